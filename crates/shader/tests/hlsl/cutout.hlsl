// profiles: ps_2_0 ps_3_0
// Leaves: discarded by alpha.
sampler2D leaf;
float4 color;

float4 main(float2 coord : TEXCOORD0) : COLOR
{
    float4 c = tex2D(leaf, coord);
    clip(c.a - 0.5);
    return c * color;
}
