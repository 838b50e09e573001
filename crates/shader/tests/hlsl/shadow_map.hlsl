// profiles: ps_2_0 ps_3_0
// Percentage-closer filter of four taps.
sampler2D depth_map;
float4 texel;

float lit_at(float2 place, float depth)
{
    return step(depth, tex2D(depth_map, place).x);
}

float4 main(float4 in_light : TEXCOORD0, float4 color : COLOR0) : COLOR
{
    float2 place = in_light.xy / in_light.w;
    float depth = in_light.z / in_light.w;
    float part = lit_at(place, depth) + lit_at(place + texel.xz, depth) + lit_at(place + texel.zy, depth)
            + lit_at(place + texel.xy, depth);
    return color * (0.25 + 0.1875 * part);
}
