// profiles: ps_3_0
// A few steps along the eye's direction through a height map.
sampler2D heights : register(s0);
sampler2D base : register(s1);
float depth;

float4 main(float2 coord : TEXCOORD0, float3 eye : TEXCOORD1) : COLOR
{
    float2 step_ = normalize(eye).xy * depth * 0.25;
    float level = 1;
    [unroll] for (int i = 0; i < 4; ++i)
    {
        float h = tex2D(heights, coord).x;
        bool below = h < level;
        coord += below ? step_ : 0;
        level -= below ? 0.25 : 0;
    }
    return tex2D(base, coord) * level;
}
