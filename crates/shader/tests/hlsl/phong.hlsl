// profiles: ps_2_0 ps_3_0
// Highlight per pixel.
sampler2D base;
float4 light_color, ambient;
float shininess;

float4 main(float2 coord : TEXCOORD0, float3 normal : TEXCOORD1, float3 light : TEXCOORD2, float3 eye : TEXCOORD3) : COLOR
{
    float3 n = normalize(normal), l = normalize(light), e = normalize(eye);
    float3 r = reflect(-l, n);
    float4 texel = tex2D(base, coord);
    float diffuse = saturate(dot(n, l));
    float specular = pow(saturate(dot(r, e)), shininess);
    return texel * (ambient + diffuse * light_color) + specular * light_color;
}
