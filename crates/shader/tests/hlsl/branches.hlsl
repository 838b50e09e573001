// profiles: ps_3_0
// Branches on what the pixels have.
sampler2D base;
float4 limits;

float4 main(float2 coord : TEXCOORD0, float4 color : COLOR0) : COLOR
{
    float4 c = color;
    if (c.r > limits.x)
    {
        c.rgb *= limits.y;
        if (c.g < limits.z)
            c += limits.w;
    }
    else
    {
        c = 1 - c;
    }
    return c * tex2D(base, coord);
}
