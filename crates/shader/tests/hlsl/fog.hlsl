// profiles: ps_2_0 ps_3_0
// Fog by distance, three curves.
float4 fog_color;
float3 range;

float4 main(float4 color : COLOR0, float distance_ : TEXCOORD0) : COLOR
{
    float straight = saturate((range.y - distance_) / (range.y - range.x));
    float d = distance_ * range.z;
    float curve = exp(-d), square = exp(-d * d);
    return lerp(fog_color, color, min(straight, max(curve, square)));
}
