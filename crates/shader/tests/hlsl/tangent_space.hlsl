// profiles: vs_2_0 vs_3_0
// Light and eye in tangent space, for normal mapping.
float4x4 world_view_projection;
float3 eye, light;

struct Out { float4 position : POSITION; float2 coord : TEXCOORD0; float3 light : TEXCOORD1; float3 eye : TEXCOORD2; };

Out main(float4 position : POSITION, float3 normal : NORMAL, float3 tangent : TANGENT, float2 coord : TEXCOORD0)
{
    Out o;
    float3x3 space = float3x3(tangent, cross(normal, tangent), normal);
    o.position = mul(position, world_view_projection);
    o.coord = coord;
    o.light = mul(space, light - position.xyz);
    o.eye = mul(space, eye - position.xyz);
    return o;
}
