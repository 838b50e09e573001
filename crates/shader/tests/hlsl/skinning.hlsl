// profiles: vs_2_0 vs_3_0
// Two bones.
float4x3 bones[2];
float4x4 view_projection;

struct Out { float4 position : POSITION; float3 normal : TEXCOORD0; };

Out main(float4 position : POSITION, float3 normal : NORMAL, float2 weight : BLENDWEIGHT)
{
    Out o;
    float3 p = mul(position, bones[0]) * weight.x + mul(position, bones[1]) * weight.y;
    float3 n = mul(normal, (float3x3)bones[0]) * weight.x + mul(normal, (float3x3)bones[1]) * weight.y;
    o.position = mul(float4(p, 1), view_projection);
    o.normal = n;
    return o;
}
