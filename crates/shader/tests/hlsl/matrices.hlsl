// profiles: vs_2_0 vs_3_0
// Products of matrices, transposed, and a determinant.
float4x4 a, b;
float3x3 c;

void main(float4 position : POSITION, float3 normal : NORMAL, out float4 clip : POSITION, out float4 t : TEXCOORD0)
{
    clip = mul(mul(position, a), b);
    float3x3 m = mul(c, transpose(c));
    t = float4(mul(m, normal), determinant(c));
}
