// profiles: ps_2_0 ps_3_0
// A texture times a colour.
sampler2D base;

float4 main(float2 coord : TEXCOORD0, float4 color : COLOR0) : COLOR
{
    return tex2D(base, coord) * color;
}
