// profiles: ps_2_0 ps_2_a ps_3_0
// No input at all.
float4 color, gain;

float4 main() : COLOR
{
    return color * gain + float4(0.25, 0, 0, 1);
}
