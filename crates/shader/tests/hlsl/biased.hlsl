// profiles: ps_2_0 ps_3_0
// Sharper and softer than the derivatives say.
sampler2D base;

float4 main(float2 coord : TEXCOORD0) : COLOR
{
    return tex2Dbias(base, float4(coord, 0, 1)) * 0.5 + tex2Dbias(base, float4(coord, 0, -1)) * 0.5;
}
