// profiles: vs_2_0 vs_3_0
// Water: sines of the place, with the normal from their derivatives.
float4x4 world_view_projection;
float4 frequency, phase, height;

struct Out { float4 position : POSITION; float4 normal : TEXCOORD0; };

Out main(float4 position : POSITION)
{
    Out o;
    float4 angle = frequency * position.x + phase * position.z;
    float4 s, c;
    sincos(angle, s, c);
    float4 p = position;
    p.y += dot(s, height);
    o.position = mul(p, world_view_projection);
    float3 normal = normalize(float3(-dot(c, height * frequency), 1, -dot(c, height * phase)));
    o.normal = float4(normal, o.position.z / o.position.w);
    return o;
}
