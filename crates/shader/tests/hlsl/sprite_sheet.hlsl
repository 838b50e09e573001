// profiles: vs_2_0 vs_3_0
// A frame of an animation, its place computed from its number.
float4x4 projection;
float4 sheet;

void main(float2 corner : POSITION, float frame : TEXCOORD0, out float4 clip : POSITION, out float2 coord : TEXCOORD0)
{
    float n = floor(frame);
    float row = floor(n * sheet.z);
    coord = (float2(n - row * sheet.x, row) + corner) * sheet.zw;
    clip = mul(float4(corner, 0, 1), projection);
}
