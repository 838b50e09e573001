// profiles: vs_2_0 vs_3_0
// Particles: a square around a centre, its size and its fading from its age.
float4x4 view_projection;
float3 right, up;
float now;

struct Out { float4 position : POSITION; float4 color : COLOR0; float2 coord : TEXCOORD0; };

Out main(float4 centre : POSITION, float4 corner : TEXCOORD0, float4 color : COLOR0)
{
    Out o;
    float age = frac(now + corner.z);
    float size = corner.w * (1 - age * age);
    float3 place = centre.xyz + (right * corner.x + up * corner.y) * size;
    o.position = mul(float4(place, 1), view_projection);
    o.color = color * float4(1, 1, 1, 1 - age);
    o.coord = corner.xy * 0.5 + 0.5;
    return o;
}
