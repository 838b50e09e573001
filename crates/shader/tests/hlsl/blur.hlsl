// profiles: ps_2_0 ps_3_0
// Seven taps along a line.
sampler2D picture;
float2 step_;

float4 main(float2 coord : TEXCOORD0) : COLOR
{
    float4 sum = tex2D(picture, coord) * 0.25;
    [unroll] for (int i = 1; i <= 3; ++i)
        sum += (tex2D(picture, coord + step_ * i) + tex2D(picture, coord - step_ * i)) * 0.125;
    return sum;
}
