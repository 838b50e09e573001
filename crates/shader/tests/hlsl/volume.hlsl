// profiles: ps_2_0 ps_3_0
// Smoke: a volume sampled twice.
sampler3D noise;
float4 speed;

float4 main(float3 place : TEXCOORD0) : COLOR
{
    float a = tex3D(noise, place + speed.xyz).x, b = tex3D(noise, place * 2 - speed.zyx).y;
    return float4(a, b, a * b, saturate(a + b));
}
