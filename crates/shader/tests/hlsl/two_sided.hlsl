// profiles: ps_3_0
// One colour for each side, and a pattern of the pixel's place.
float4 front, back;

float4 main(float face : VFACE, float2 pixel : VPOS, float4 color : COLOR0) : COLOR
{
    float4 side = face > 0 ? front : back;
    float2 checker = frac(floor(pixel / 2) * 0.5);
    return side * color + checker.x * checker.y;
}
