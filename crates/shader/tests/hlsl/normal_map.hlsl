// profiles: ps_2_0 ps_3_0
// Normals from a texture.
sampler2D base : register(s0);
sampler2D normals : register(s1);

float4 main(float2 coord : TEXCOORD0, float3 light : TEXCOORD1, float3 eye : TEXCOORD2) : COLOR
{
    float3 n = normalize(tex2D(normals, coord).xyz * 2 - 1);
    float3 l = normalize(light);
    float3 h = normalize(l + normalize(eye));
    float4 lighting = lit(dot(n, l), dot(n, h), 16);
    return tex2D(base, coord) * lighting.y + lighting.z;
}
