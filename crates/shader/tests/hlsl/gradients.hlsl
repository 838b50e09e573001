// profiles: ps_2_a ps_3_0
// Derivatives of a place, and a lookup with them.
sampler2D base;

float4 main(float2 coord : TEXCOORD0, float4 place : TEXCOORD1) : COLOR
{
    float2 dx = ddx(coord) * 2, dy = ddy(coord) * 2;
    return tex2Dgrad(base, coord, dx, dy) + float4(ddx(place.xy), ddy(place.zw));
}
