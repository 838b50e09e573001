// profiles: vs_2_0 vs_3_0
// Four point lights with attenuation, unrolled.
float4x4 world_view_projection, world;
float4 light_position[4], light_color[4];
float3 attenuation;

struct Out { float4 position : POSITION; float4 color : COLOR0; float fog : FOG; };

Out main(float4 position : POSITION, float3 normal : NORMAL)
{
    Out o;
    float3 place = mul(position, world).xyz;
    float3 n = normalize(mul(normal, (float3x3)world));
    float4 sum = 0;
    [unroll] for (int i = 0; i < 4; ++i)
    {
        float3 to = light_position[i].xyz - place;
        float d = length(to);
        float a = 1 / dot(attenuation, float3(1, d, d * d));
        sum += light_color[i] * max(dot(n, to / d), 0) * a;
    }
    o.position = mul(position, world_view_projection);
    o.color = sum;
    o.fog = saturate(1 - o.position.w * 0.01);
    return o;
}
