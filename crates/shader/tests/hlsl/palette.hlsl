// profiles: vs_2_0 vs_3_0
// A colour out of an array of constants, by a number in the vertex.
float4 palette[4];
float4x4 world_view_projection;

void main(float4 position : POSITION, float number : TEXCOORD0,
          out float4 clip : POSITION, out float4 color : COLOR0, out float4 next : TEXCOORD0)
{
    int i = number;
    clip = mul(position, world_view_projection);
    color = palette[i];
    next = palette[i + 1] - palette[i];
}
