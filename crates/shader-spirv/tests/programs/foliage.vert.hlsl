// Direct3D's way: cbuffers with row-major matrices, a structured buffer, textures apart from samplers, semantics.
cbuffer Frame : register(b0) { row_major float4x4 view_projection; float3 wind; float time; float4x3 bend[2]; };
struct Plant { float4 place; uint kind; float2 phase; };
StructuredBuffer<Plant> plants : register(t1);
Texture2D<float2> gusts : register(t2);
Texture2DArray<uint4> kinds : register(t3);
SamplerState linear_wrap : register(s4);
struct Input { float3 position : POSITION; float3 normal : NORMAL; float2 uv : TEXCOORD0; uint id : SV_VertexID; uint plant : SV_InstanceID; };
struct Output { float4 position : SV_Position; float3 normal : NORMAL; float2 uv[2] : TEXCOORD0; nointerpolation uint kind : KIND; float clip : SV_ClipDistance0; };
Output main(Input input)
{
    Output output = (Output)0;
    Plant plant = plants[input.plant];
    float2 gust = gusts.SampleLevel(linear_wrap, plant.place.xz * 0.01 + wind.xz * time, 0);
    uint4 kind = kinds.Load(int4(input.id & 3, 0, plant.kind, 0));
    float3 bent = mul(float4(input.position, 1.0), bend[plant.kind & 1]);
    [branch] if (input.position.y > 0.5 && any(gust))
    {
        float sway, whole;
        sway = modf(time + plant.phase.x, whole);
        bent.xz += gust * sin(sway * 6.2831853) * input.position.y;
    }
    for (uint i = 0; i < min(kind.x & 3, 2u); ++i) output.uv[i] = input.uv * (float)(i + 1) + plant.phase;
    float3 world = bent * plant.place.w + plant.place.xyz;
    output.position = mul(float4(world, 1.0), view_projection);
    output.normal = normalize(input.normal);
    output.kind = kind.y ^ asuint(plant.phase.y);
    output.clip = world.y;
    return output;
}
