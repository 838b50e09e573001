// profiles: vs_2_0 vs_3_0
// A point in two projections.
float4x4 world_view_projection, light_matrix;
float bias;

void main(float4 position : POSITION, float3 normal : NORMAL,
          out float4 clip : POSITION, out float4 in_light : TEXCOORD0, out float3 n : TEXCOORD1)
{
    clip = mul(position, world_view_projection);
    in_light = mul(position, light_matrix);
    in_light.z -= bias * in_light.w;
    n = normal;
}
