// profiles: vs_3_0
// A matrix in the vertex stream.
float4x4 view_projection;

struct In
{
    float4 position : POSITION;
    float4 row0 : TEXCOORD4;
    float4 row1 : TEXCOORD5;
    float4 row2 : TEXCOORD6;
    float4 color : COLOR1;
};

void main(In v, out float4 clip : POSITION, out float4 color : COLOR0, out float4 world : TEXCOORD7)
{
    world = float4(dot(v.position, v.row0), dot(v.position, v.row1), dot(v.position, v.row2), 1);
    clip = mul(world, view_projection);
    color = v.color;
}
