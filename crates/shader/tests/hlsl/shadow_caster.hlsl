// profiles: vs_2_0 vs_3_0
// Depth as a colour.
float4x4 light_view_projection;

void main(float4 position : POSITION, out float4 clip : POSITION, out float2 depth : TEXCOORD0)
{
    clip = mul(position, light_view_projection);
    depth = clip.zw;
}
