// profiles: ps_2_a ps_3_0
// A grid with smooth edges.
float4 main(float2 coord : TEXCOORD0) : COLOR
{
    float2 w = fwidth(coord) * 1.5, f = abs(frac(coord) - 0.5);
    float2 line_ = smoothstep(0.5 - w, 0.5, f);
    return max(line_.x, line_.y);
}
