// profiles: vs_3_0
// Parts that the application switches on and off.
bool lit_, fogged;
float4x4 world_view_projection;
float4 light, fog;

void main(float4 position : POSITION, float3 normal : NORMAL,
          out float4 clip : POSITION, out float4 color : COLOR0, out float f : FOG)
{
    clip = mul(position, world_view_projection);
    color = 1;
    f = 1;
    if (lit_)
        color = saturate(dot(normal, light.xyz)) + light.w;
    if (fogged)
        f = saturate((fog.y - clip.w) * fog.z);
}
