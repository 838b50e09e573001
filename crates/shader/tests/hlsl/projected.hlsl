// profiles: ps_2_0 ps_3_0
// A projected texture, only in front of the projector.
sampler2D slide;

float4 main(float4 coord : TEXCOORD0, float4 color : COLOR0) : COLOR
{
    float4 light = tex2Dproj(slide, coord);
    return color * (coord.w > 0 ? light : float4(0, 0, 0, 1));
}
