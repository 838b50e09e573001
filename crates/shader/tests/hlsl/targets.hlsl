// profiles: ps_2_0 ps_3_0
// Several targets: colour, normal, place, and depth.
sampler2D base;

struct Out { float4 color : COLOR0; float4 normal : COLOR1; float4 place : COLOR2; float depth : DEPTH; };

Out main(float2 coord : TEXCOORD0, float3 normal : TEXCOORD1, float4 place : TEXCOORD2)
{
    Out o;
    o.color = tex2D(base, coord);
    o.normal = float4(normalize(normal) * 0.5 + 0.5, 1);
    o.place = place;
    o.depth = saturate(place.z / place.w);
    return o;
}
