// profiles: vs_2_0 vs_3_0
// Points that shrink with distance.
float4x4 world_view_projection;
float4 size;

void main(float4 position : POSITION, out float4 clip : POSITION, out float points : PSIZE, out float4 color : COLOR0)
{
    clip = mul(position, world_view_projection);
    points = clamp(size.x / clip.w, size.y, size.z);
    color = step(0.5, frac(position));
}
