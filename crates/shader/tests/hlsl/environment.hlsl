// profiles: vs_2_0 vs_3_0
// Reflected and refracted directions.
float4x4 world_view_projection;
float3 eye;

void main(float4 position : POSITION, float3 normal : NORMAL,
          out float4 clip : POSITION, out float4 mirrored : TEXCOORD0, out float3 bent : TEXCOORD1)
{
    clip = mul(position, world_view_projection);
    float3 i = normalize(position.xyz - eye);
    float f = pow(1 - saturate(dot(-i, normal)), 5);
    mirrored = float4(reflect(i, normal), f);
    bent = refract(i, normal, 0.75);
}
