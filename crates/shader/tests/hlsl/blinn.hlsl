// profiles: vs_2_0 vs_3_0
// Specular highlight with lit() per vertex.
float4x4 projection, world_view;
float4 light_direction, diffuse, specular, emissive;
float shininess;

struct In { float4 position : POSITION; float3 normal : NORMAL; float2 coord : TEXCOORD0; };
struct Out { float4 position : POSITION; float4 diffuse : COLOR0; float4 specular : COLOR1; float2 coord : TEXCOORD0; };

Out main(In v)
{
    Out o;
    float4 view = mul(v.position, world_view);
    float3 n = normalize(mul(v.normal, (float3x3)world_view));
    float3 h = normalize(light_direction.xyz - normalize(view.xyz));
    float4 l = lit(dot(n, light_direction.xyz), dot(n, h), shininess);
    o.position = mul(view, projection);
    o.diffuse = diffuse * l.y + emissive;
    o.specular = specular * l.z;
    o.coord = v.coord;
    return o;
}
