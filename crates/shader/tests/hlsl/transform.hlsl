// profiles: vs_1_1 vs_2_0 vs_3_0
// Position by a matrix, colour and coordinate as they are.
float4x4 world_view_projection;

void main(float4 position : POSITION, float4 color : COLOR0, float2 coord : TEXCOORD0,
          out float4 clip : POSITION, out float4 shade : COLOR0, out float2 place : TEXCOORD0)
{
    clip = mul(position, world_view_projection);
    shade = color;
    place = coord;
}
