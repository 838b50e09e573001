// profiles: vs_1_1 vs_2_0
// Between two key frames.
float4x4 world_view_projection;
float t;

float4 main(float4 from : POSITION0, float4 to : POSITION1) : POSITION
{
    return mul(lerp(from, to, t), world_view_projection);
}
