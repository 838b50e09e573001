// profiles: vs_2_0 vs_3_0
// One directional light, ambient light and a material.
float4x4 world_view_projection;
float3x3 world;
float3 to_light;
float4 ambient, diffuse;

struct Out { float4 position : POSITION; float4 color : COLOR0; };

Out main(float4 position : POSITION, float3 normal : NORMAL)
{
    Out o;
    o.position = mul(world_view_projection, position);
    float3 n = normalize(mul(world, normal));
    o.color = saturate(ambient + diffuse * max(dot(n, to_light), 0));
    return o;
}
