// profiles: ps_2_0 ps_3_0
// Layers of terrain by the weights in a texture.
sampler2D weights : register(s0);
sampler2D grass : register(s1);
sampler2D rock : register(s2);
sampler2D snow : register(s3);
float4 tiling;

float4 main(float2 coord : TEXCOORD0, float4 place : TEXCOORD1) : COLOR
{
    float4 w = tex2D(weights, coord);
    float4 c = tex2D(grass, coord * tiling.x) * w.x + tex2D(rock, coord * tiling.y) * w.y;
    return lerp(c, tex2D(snow, coord * tiling.z), smoothstep(0.25, 0.75, place.y) * w.z);
}
