// Direct3D's way of a geometry shader: lines become ribbons, written to a stream.
cbuffer View : register(b1) { float4x4 view_projection; float3 eye; float width; };
struct Point { float4 position : SV_Position; float4 colour : COLOR; };
struct Corner { float4 position : SV_Position; float4 colour : COLOR; uint layer : SV_RenderTargetArrayIndex; };
[maxvertexcount(8)]
void main(lineadj Point points[4], uint id : SV_PrimitiveID, inout TriangleStream<Corner> ribbon)
{
    [unroll] for (int layer = 0; layer < 2; ++layer)
    {
        for (int i = 1; i < 3; ++i)
        {
            float3 along = points[i + 1].position.xyz - points[i - 1].position.xyz;
            float3 side = normalize(cross(along, eye - points[i].position.xyz)) * width;
            [unroll] for (int s = -1; s <= 1; s += 2)
            {
                Corner corner;
                corner.position = mul(view_projection, float4(points[i].position.xyz + side * s, 1.0));
                corner.colour = points[i].colour * (1.0 / (1 + (id & 3)));
                corner.layer = layer;
                ribbon.Append(corner);
            }
        }
        ribbon.RestartStrip();
    }
}
