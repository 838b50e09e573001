// profiles: ps_2_0 ps_3_0
// Angles.
float4 main(float2 a : TEXCOORD0) : COLOR
{
    float s, c;
    sincos(a.x, s, c);
    return float4(s, c, atan2(a.y, a.x), tan(a.y * 0.25) + radians(a.x) + acos(saturate(a.x)) + asin(saturate(a.y)));
}
