// profiles: ps_2_0 ps_3_0
// Comparisons and rounding.
float4 main(float4 a : TEXCOORD0, float4 b : TEXCOORD1) : COLOR
{
    float4 c = step(a, b) + floor(a) - ceil(b) + round(a * 3) + fmod(a, 0.75);
    c += lerp(float4(1, 2, 3, 4), 8, step(a.wzyx, b)) + frac(-b) * abs(a);
    return min(max(c, -a), clamp(b, -1, 3));
}
