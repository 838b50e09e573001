// profiles: ps_2_0 ps_3_0
// Exposure, tone curve, gamma.
sampler2D picture;
float exposure;

float4 main(float2 coord : TEXCOORD0) : COLOR
{
    float3 c = tex2D(picture, coord).rgb * exp2(exposure);
    c = c / (1 + c);
    float grey = dot(c, float3(0.299, 0.587, 0.114));
    return float4(pow(lerp(grey, c, 1.25), 1 / 2.2), 1);
}
