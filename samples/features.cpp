// What games ask for beside plain triangles, a cell each: a rectangle and a triangle patch, vertices that ProcessVertices lit,
// point sprites, alpha to coverage in a multisampled target, a palette that turns, instances, and a plane that cuts.

#include "common.h"
#include "geometry.h"
#include "shaders/shaders.h"

using namespace sample;

namespace {

const int COLUMNS = 4, ROWS = 2;
const int SPRITES = 160;
const int LEAVES = 14;
const int PALETTE_SIZE = 128;
const int INSTANCES = 5 * 5 * 5;
const DWORD COLOURED_FVF = D3DFVF_XYZ | D3DFVF_DIFFUSE;
const DWORD MESH_FVF = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1;
const DWORD PROCESSED_FVF = D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1;
const DWORD SPRITE_FVF = D3DFVF_XYZ | D3DFVF_PSIZE | D3DFVF_DIFFUSE;
/// The format and the value of a state by which drivers are asked for alpha to coverage.
const DWORD ATOC = MAKEFOURCC('A', 'T', 'O', 'C');

struct Coloured {
    Vec3 position;
    DWORD colour;
};

struct Processed {
    float x, y, z, w;
    DWORD colour;
    float u, v;
};

struct Sprite {
    Vec3 position;
    float size;
    DWORD colour;
};

struct Instance {
    Vec3 position;
    float size;
    DWORD colour;
};

DWORD as_word(float value) {
    DWORD word;
    std::memcpy(&word, &value, sizeof word);
    return word;
}

struct Features final : Program {
    IDirect3DVertexDeclaration9 *instance_declaration = nullptr;
    IDirect3DVertexShader9 *instance_vs = nullptr;
    IDirect3DPixelShader9 *instance_ps = nullptr;
    IDirect3DVertexBuffer9 *instances = nullptr, *patch = nullptr, *processed = nullptr;
    IDirect3DTexture9 *glow = nullptr, *leaf = nullptr, *stone = nullptr, *plasma = nullptr;
    Mesh ball, box, trefoil;

    // The default pool: gone with a Reset.
    IDirect3DSurface9 *samples = nullptr, *sample_depth = nullptr;
    int width = 0, height = 0;
    float time = 0;

    // ProcessVertices needs software vertex processing, instances need the hardware's.
    DWORD processing() const override { return D3DCREATE_MIXED_VERTEXPROCESSING; }

    void create(IDirect3DDevice9 *device, const Options &options) override {
        width = options.width / COLUMNS;
        height = options.height / ROWS;
        D3DCAPS9 caps;
        CHECK(device->GetDeviceCaps(&caps));
        if (!(caps.DevCaps & D3DDEVCAPS_RTPATCHES)) fail("the device draws no patches");
        if (caps.MaxUserClipPlanes < 1) fail("the device has no clip planes");
        const D3DVERTEXELEMENT9 elements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                              {0, 12, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_NORMAL, 0},
                                              {1, 0, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 1},
                                              {1, 16, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
                                              D3DDECL_END()};
        CHECK(device->CreateVertexDeclaration(elements, &instance_declaration));
        CHECK(device->CreateVertexShader(shaders::instance_vs, &instance_vs));
        CHECK(device->CreatePixelShader(shaders::instance_ps, &instance_ps));
        ball.create(device, sphere(40, 28));
        box.create(device, cube());
        trefoil.create(device, knot(96, 10, 0.28f));
        auto buffer = [&](UINT size, DWORD fvf, D3DPOOL pool, IDirect3DVertexBuffer9 **out) {
            CHECK(device->CreateVertexBuffer(size, 0, fvf, pool, out, nullptr));
        };
        buffer(INSTANCES * sizeof(Instance), 0, D3DPOOL_MANAGED, &instances);
        buffer(16 * sizeof(Coloured), COLOURED_FVF, D3DPOOL_MANAGED, &patch);
        buffer(ball.vertex_count * sizeof(Processed), PROCESSED_FVF, D3DPOOL_SYSTEMMEM, &processed);
        glow = Picture::make(32, [](float u, float v) {
                   float x = 2 * u - 1, y = 2 * v - 1, bright = 1 - x * x - y * y;
                   bright = bright < 0 ? 0 : bright * bright;
                   return Colour{bright, bright, bright, 1};
               }).texture(device);
        leaf = Picture::make(64, [](float u, float v) {
                   float x = 2 * u - 1, half = 0.55f * sine(v * PI) * (0.75f + 0.25f * cosine(v * 26 * PI));
                   float away = x < 0 ? -x : x;
                   Colour green = mix({0.10f, 0.30f, 0.08f, 1}, {0.62f, 0.72f, 0.22f, 1}, v * 0.7f + 0.3f * turbulence(u, v));
                   green.a = (half - away) * 12;
                   return away < 0.03f ? mix(green, {0.85f, 0.85f, 0.5f, green.a}, 0.7f) : green;
               }).texture(device);
        stone = Picture::make(128, [](float u, float v) {
                    float grain = turbulence(u, v);
                    return mix({0.35f, 0.20f, 0.42f, 1}, {0.98f, 0.86f, 0.62f, 1}, grain * grain * 1.3f);
                }).texture(device);
        create_plasma(device);
    }

    /// A texture of palette numbers.
    void create_plasma(IDirect3DDevice9 *device) {
        IDirect3D9 *direct3d = nullptr;
        CHECK(device->GetDirect3D(&direct3d));
        bool there = SUCCEEDED(direct3d->CheckDeviceFormat(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, 0,
                                                           D3DRTYPE_TEXTURE, D3DFMT_P8));
        release(direct3d);
        if (!there) return;
        CHECK(device->CreateTexture(PALETTE_SIZE, PALETTE_SIZE, 1, 0, D3DFMT_P8, D3DPOOL_MANAGED, &plasma, nullptr));
        D3DLOCKED_RECT locked;
        CHECK(plasma->LockRect(0, &locked, nullptr, 0));
        for (int y = 0; y < PALETTE_SIZE; y++)
            for (int x = 0; x < PALETTE_SIZE; x++) {
                float u = (x + 0.5f) / PALETTE_SIZE, v = (y + 0.5f) / PALETTE_SIZE;
                float wave = sine(u * 9) + sine(v * 7 + 2 * sine(u * 4)) + sine((u + v) * 6) + turbulence(u, v);
                static_cast<unsigned char *>(locked.pBits)[y * locked.Pitch + x] = static_cast<unsigned char>((wave + 4) * 32);
            }
        CHECK(plasma->UnlockRect(0));
    }

    void create_default(IDirect3DDevice9 *device, const Options &) override {
        CHECK(device->CreateRenderTarget(width, height, D3DFMT_A8R8G8B8, D3DMULTISAMPLE_4_SAMPLES, 0, FALSE, &samples, nullptr));
        CHECK(device->CreateDepthStencilSurface(width, height, D3DFMT_D24S8, D3DMULTISAMPLE_4_SAMPLES, 0, FALSE, &sample_depth,
                                                nullptr));
        D3DLIGHT9 light = {};
        light.Type = D3DLIGHT_DIRECTIONAL;
        light.Diffuse = {1, 0.95f, 0.88f, 1};
        Vec3 direction = normalize({0.5f, -0.8f, 0.7f});
        light.Direction = {direction.x, direction.y, direction.z};
        CHECK(device->SetLight(0, &light));
        CHECK(device->LightEnable(0, TRUE));
        CHECK(device->SetRenderState(D3DRS_AMBIENT, 0xff404858));
        CHECK(device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR));
        D3DMATERIAL9 material = {};
        material.Diffuse = material.Ambient = {1, 1, 1, 1};
        CHECK(device->SetMaterial(&material));
    }

    void release_default() override {
        release(samples);
        release(sample_depth);
    }

    void destroy() override {
        for (Mesh *mesh : {&ball, &box, &trefoil}) mesh->destroy();
        for (auto buffer : {&instances, &patch, &processed}) release(*buffer);
        for (auto texture : {&glow, &leaf, &stone, &plasma}) release(*texture);
        release(instance_declaration);
        release(instance_vs);
        release(instance_ps);
    }

    /// Turns to a cell: its viewport, its colour, and a camera that looks at the origin from there.
    Mat4 enter(IDirect3DDevice9 *device, int cell, DWORD colour, Vec3 eye) {
        D3DVIEWPORT9 place = {static_cast<DWORD>(cell % COLUMNS * width), static_cast<DWORD>(cell / COLUMNS * height),
                              static_cast<DWORD>(width), static_cast<DWORD>(height), 0, 1};
        CHECK(device->SetViewport(&place));
        CHECK(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, colour, 1, 0));
        return look(device, eye);
    }

    Mat4 look(IDirect3DDevice9 *device, Vec3 eye) {
        Mat4 view = look_at(eye, {0, 0, 0});
        Mat4 projection = perspective(2.0f * width / height, static_cast<float>(width) / height, 0.5f, 40);
        CHECK(device->SetTransform(D3DTS_VIEW, view.d3d()));
        CHECK(device->SetTransform(D3DTS_PROJECTION, projection.d3d()));
        return view * projection;
    }

    void place(IDirect3DDevice9 *device, const Mat4 &world) { CHECK(device->SetTransform(D3DTS_WORLD, world.d3d())); }

    void state(IDirect3DDevice9 *device, D3DRENDERSTATETYPE which, DWORD value) { CHECK(device->SetRenderState(which, value)); }

    template <typename T> void fill(IDirect3DVertexBuffer9 *buffer, const std::vector<T> &vertices) {
        void *data;
        CHECK(buffer->Lock(0, static_cast<UINT>(vertices.size() * sizeof(T)), &data, 0));
        std::memcpy(data, vertices.data(), vertices.size() * sizeof(T));
        CHECK(buffer->Unlock());
    }

    /// A bicubic patch of sixteen vertices, and their net.
    void rectangle_patch(IDirect3DDevice9 *device) {
        enter(device, 0, 0xff1a2233, {1.6f, 3.0f, -4.0f});
        place(device, identity());
        std::vector<Coloured> net;
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++) {
                float lift = 0.9f * sine(4 * time + row * 1.7f + column * 1.1f);
                Colour colour = {0.25f + column * 0.22f, 0.75f - row * 0.18f, 0.45f + 0.25f * lift, 1};
                net.push_back({{column - 1.5f, lift, 1.5f - row}, pack(colour)});
            }
        fill(patch, net);
        CHECK(device->SetFVF(COLOURED_FVF));
        CHECK(device->SetStreamSource(0, patch, 0, sizeof(Coloured)));
        D3DRECTPATCH_INFO info = {0, 0, 4, 4, 4, D3DBASIS_BEZIER, D3DDEGREE_CUBIC};
        const float segments[4] = {16, 16, 16, 16};
        CHECK(device->DrawRectPatch(0, segments, &info));
        std::vector<Coloured> lines;
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++) {
                const Coloured &here = net[row * 4 + column];
                if (column < 3) lines.insert(lines.end(), {here, net[row * 4 + column + 1]});
                if (row < 3) lines.insert(lines.end(), {here, net[row * 4 + column + 4]});
            }
        for (Coloured &end : lines) end.colour = 0xffd8e0f0;
        CHECK(device->DrawPrimitiveUP(D3DPT_LINELIST, static_cast<UINT>(lines.size() / 2), lines.data(), sizeof(Coloured)));
    }

    /// A cubic triangle of ten vertices, kept under a number and drawn again by it as wires.
    void triangle_patch(IDirect3DDevice9 *device) {
        enter(device, 1, 0xff2a1f2c, {0.3f, 2.4f, -3.9f});
        place(device, turn_y(0.4f * sine(time * 2)));
        const Vec3 corners[3] = {{-1.7f, 0, -1.2f}, {0, 0, 1.8f}, {1.7f, 0, -1.2f}};
        std::vector<Coloured> net;
        for (int row = 0; row <= 3; row++)
            for (int column = 0; column <= row; column++) {
                float a = (3 - row) / 3.0f, b = (row - column) / 3.0f, c = column / 3.0f;
                Vec3 position = corners[0] * a + corners[1] * b + corners[2] * c;
                if (row == 2 && column == 1) position.y = 3.4f * sine(3 * time) + 1.2f;
                net.push_back({position, pack({0.2f + 0.8f * a, 0.2f + 0.7f * b, 0.25f + 0.75f * c, 1})});
            }
        fill(patch, net);
        CHECK(device->SetFVF(COLOURED_FVF));
        CHECK(device->SetStreamSource(0, patch, 0, sizeof(Coloured)));
        D3DTRIPATCH_INFO info = {0, static_cast<UINT>(net.size()), D3DBASIS_BEZIER, D3DDEGREE_CUBIC};
        const float segments[3] = {9, 9, 9};
        CHECK(device->DrawTriPatch(1, segments, &info));
        state(device, D3DRS_FILLMODE, D3DFILL_WIREFRAME);
        state(device, D3DRS_DEPTHBIAS, as_word(-0.0005f));
        state(device, D3DRS_TEXTUREFACTOR, 0xff101014);
        CHECK(device->SetTextureStageState(0, D3DTSS_COLOROP, D3DTOP_SELECTARG1));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLORARG1, D3DTA_TFACTOR));
        CHECK(device->DrawTriPatch(1, segments, nullptr));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLOROP, D3DTOP_MODULATE));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLORARG1, D3DTA_TEXTURE));
        state(device, D3DRS_DEPTHBIAS, 0);
        state(device, D3DRS_FILLMODE, D3DFILL_SOLID);
        CHECK(device->DeletePatch(1));
    }

    /// A ball that the CPU transformed and lit, every second row of it pulled to the side after that.
    void processed_vertices(IDirect3DDevice9 *device) {
        enter(device, 2, 0xff15262a, {0, 1.2f, -3.4f});
        place(device, turn_y(time));
        state(device, D3DRS_LIGHTING, TRUE);
        CHECK(device->SetSoftwareVertexProcessing(TRUE));
        CHECK(device->SetFVF(MESH_FVF));
        CHECK(device->SetStreamSource(0, ball.vertices, 0, sizeof(Vertex)));
        CHECK(device->ProcessVertices(0, 0, ball.vertex_count, processed, nullptr, 0));
        CHECK(device->SetSoftwareVertexProcessing(FALSE));
        state(device, D3DRS_LIGHTING, FALSE);
        void *data;
        CHECK(processed->Lock(0, 0, &data, 0));
        for (UINT number = 0; number < ball.vertex_count; number++) {
            Processed &vertex = static_cast<Processed *>(data)[number];
            vertex.x += 5 * sine(vertex.y * 0.12f + 3 * time);
        }
        CHECK(processed->Unlock());
        CHECK(device->SetFVF(PROCESSED_FVF));
        CHECK(device->SetTexture(0, stone));
        CHECK(device->SetStreamSource(0, processed, 0, sizeof(Processed)));
        CHECK(device->SetIndices(ball.indices));
        CHECK(device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, 0, 0, ball.vertex_count, 0, ball.triangle_count));
        CHECK(device->SetTexture(0, nullptr));
    }

    /// Points that are squares with a texture, smaller with distance.
    void point_sprites(IDirect3DDevice9 *device) {
        enter(device, 3, 0xff080a14, {0, 2.2f, -4.0f});
        place(device, turn_y(time));
        std::vector<Sprite> sprites;
        for (int number = 0; number < SPRITES; number++) {
            float part = static_cast<float>(number) / SPRITES, angle = part * 10 * PI, radius = 0.3f + 1.4f * part;
            Colour colour = mix({0.70f, 0.34f, 0.12f, 1}, {0.12f, 0.30f, 0.80f, 1}, part);
            float rise = 0.5f * sine(angle * 0.5f + time * 4);
            sprites.push_back({{radius * cosine(angle), rise, radius * sine(angle)}, 0.14f + 0.22f * noise(number, 3), pack(colour)});
        }
        CHECK(device->SetFVF(SPRITE_FVF));
        CHECK(device->SetTexture(0, glow));
        state(device, D3DRS_POINTSPRITEENABLE, TRUE);
        state(device, D3DRS_POINTSCALEENABLE, TRUE);
        state(device, D3DRS_POINTSCALE_A, as_word(0));
        state(device, D3DRS_POINTSCALE_B, as_word(0));
        state(device, D3DRS_POINTSCALE_C, as_word(1));
        state(device, D3DRS_ALPHABLENDENABLE, TRUE);
        state(device, D3DRS_SRCBLEND, D3DBLEND_ONE);
        state(device, D3DRS_DESTBLEND, D3DBLEND_ONE);
        state(device, D3DRS_ZWRITEENABLE, FALSE);
        CHECK(device->DrawPrimitiveUP(D3DPT_POINTLIST, SPRITES, sprites.data(), sizeof(Sprite)));
        state(device, D3DRS_ZWRITEENABLE, TRUE);
        state(device, D3DRS_ALPHABLENDENABLE, FALSE);
        state(device, D3DRS_POINTSCALEENABLE, FALSE);
        state(device, D3DRS_POINTSPRITEENABLE, FALSE);
        CHECK(device->SetTexture(0, nullptr));
    }

    /// Leaves whose edges are as smooth as four samples make them, in any order; resolved into the cell.
    void coverage(IDirect3DDevice9 *device, IDirect3DSurface9 *back_buffer, IDirect3DSurface9 *depth) {
        CHECK(device->SetRenderTarget(0, samples));
        CHECK(device->SetDepthStencilSurface(sample_depth));
        CHECK(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xffcfe0ea, 1, 0));
        look(device, {0, 0.6f, -4.0f});
        CHECK(device->SetFVF(MESH_FVF));
        CHECK(device->SetTexture(0, leaf));
        state(device, D3DRS_ALPHATESTENABLE, TRUE);
        state(device, D3DRS_ALPHAREF, 1);
        state(device, D3DRS_ALPHAFUNC, D3DCMP_GREATEREQUAL);
        state(device, D3DRS_ADAPTIVETESS_Y, ATOC);
        const Vertex quad[4] = {{{-0.4f, 1.9f, 0}, {0, 0, -1}, 0, 0}, {{0.4f, 1.9f, 0}, {0, 0, -1}, 1, 0},
                                {{-0.4f, 0, 0}, {0, 0, -1}, 0, 1}, {{0.4f, 0, 0}, {0, 0, -1}, 1, 1}};
        for (int number = 0; number < LEAVES; number++) {
            float angle = number * 2.4f, lean = 0.5f + 0.35f * noise(number, 1) + 0.08f * sine(3 * time + number);
            place(device, turn_x(lean) * turn_y(angle + 0.3f * time) * move(0, -1.4f + 0.17f * number, 0));
            CHECK(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, quad, sizeof(Vertex)));
        }
        state(device, D3DRS_ADAPTIVETESS_Y, 0);
        state(device, D3DRS_ALPHATESTENABLE, FALSE);
        CHECK(device->SetTexture(0, nullptr));
        CHECK(device->SetRenderTarget(0, back_buffer));
        CHECK(device->SetDepthStencilSurface(depth));
        RECT cell = {0, height, width, 2 * height};
        CHECK(device->StretchRect(samples, nullptr, back_buffer, &cell, D3DTEXF_NONE));
    }

    /// One texture whose palette turns from frame to frame.
    void palette(IDirect3DDevice9 *device, int frame) {
        enter(device, 5, 0xff101010, {0, 0, -5.2f});
        if (!plasma) return;
        PALETTEENTRY entries[256];
        for (int number = 0; number < 256; number++) {
            float at = ((number + 4 * frame) & 255) * (2 * PI / 256);
            DWORD colour = pack({0.5f + 0.5f * sine(at), 0.35f + 0.35f * sine(at + 2.1f), 0.6f + 0.4f * sine(at * 2 + 4), 1});
            entries[number] = {static_cast<BYTE>(colour >> 16), static_cast<BYTE>(colour >> 8), static_cast<BYTE>(colour), 255};
        }
        CHECK(device->SetPaletteEntries(0, entries));
        CHECK(device->SetCurrentTexturePalette(0));
        CHECK(device->SetFVF(MESH_FVF));
        CHECK(device->SetTexture(0, plasma));
        place(device, turn_x(0.5f) * turn_y(time));
        box.draw(device);
        CHECK(device->SetTexture(0, nullptr));
    }

    /// Many boxes in one call.
    void instanced(IDirect3DDevice9 *device) {
        Mat4 view_projection = enter(device, 6, 0xff241a16, {3.0f * cosine(time), 2.4f, 4.6f * sine(time) - 1});
        Mat4 to_screen = transpose(view_projection);
        std::vector<Instance> all;
        for (int number = 0; number < INSTANCES; number++) {
            int x = number % 5 - 2, y = number / 5 % 5 - 2, z = number / 25 - 2;
            float size = 0.13f + 0.08f * sine(4 * time + x + 2 * y + 3 * z);
            all.push_back({{x * 0.6f, y * 0.6f, z * 0.6f}, size, pack({0.5f + 0.24f * x, 0.5f + 0.24f * y, 0.5f + 0.24f * z, 1})});
        }
        fill(instances, all);
        Vec3 light = normalize({0.4f, 0.9f, -0.6f});
        const float from[4] = {light.x, light.y, light.z, 0};
        CHECK(device->SetVertexDeclaration(instance_declaration));
        CHECK(device->SetVertexShader(instance_vs));
        CHECK(device->SetPixelShader(instance_ps));
        CHECK(device->SetVertexShaderConstantF(0, &to_screen.m[0][0], 4));
        CHECK(device->SetVertexShaderConstantF(4, from, 1));
        CHECK(device->SetStreamSource(1, instances, 0, sizeof(Instance)));
        CHECK(device->SetStreamSourceFreq(0, D3DSTREAMSOURCE_INDEXEDDATA | INSTANCES));
        CHECK(device->SetStreamSourceFreq(1, D3DSTREAMSOURCE_INSTANCEDATA | 1));
        box.draw(device);
        CHECK(device->SetStreamSourceFreq(0, 1));
        CHECK(device->SetStreamSourceFreq(1, 1));
        CHECK(device->SetStreamSource(1, nullptr, 0, 0));
        CHECK(device->SetVertexShader(nullptr));
        CHECK(device->SetPixelShader(nullptr));
    }

    /// A knot cut open by a plane; what is behind it is drawn as wires.
    void cut(IDirect3DDevice9 *device) {
        enter(device, 7, 0xff1b1d20, {0, 0.6f, -3.6f});
        place(device, turn_y(time) * turn_x(0.6f));
        CHECK(device->SetFVF(MESH_FVF));
        CHECK(device->SetTexture(0, stone));
        state(device, D3DRS_LIGHTING, TRUE);
        state(device, D3DRS_CLIPPLANEENABLE, D3DCLIPPLANE0);
        float offset = 0.3f * sine(3 * time);
        const float left[4] = {-0.8f, 0.6f, 0, offset}, right[4] = {0.8f, -0.6f, 0, -offset};
        CHECK(device->SetClipPlane(0, left));
        trefoil.draw(device);
        CHECK(device->SetClipPlane(0, right));
        state(device, D3DRS_FILLMODE, D3DFILL_WIREFRAME);
        trefoil.draw(device);
        state(device, D3DRS_FILLMODE, D3DFILL_SOLID);
        state(device, D3DRS_CLIPPLANEENABLE, 0);
        state(device, D3DRS_LIGHTING, FALSE);
        CHECK(device->SetTexture(0, nullptr));
    }

    void draw(IDirect3DDevice9 *device, int frame) override {
        time = frame * (2 * PI / 240);
        IDirect3DSurface9 *back_buffer = nullptr, *depth = nullptr;
        CHECK(device->GetRenderTarget(0, &back_buffer));
        CHECK(device->GetDepthStencilSurface(&depth));
        CHECK(device->BeginScene());
        state(device, D3DRS_LIGHTING, FALSE);
        state(device, D3DRS_CULLMODE, D3DCULL_NONE);
        rectangle_patch(device);
        triangle_patch(device);
        processed_vertices(device);
        point_sprites(device);
        coverage(device, back_buffer, depth);
        palette(device, frame);
        instanced(device);
        cut(device);
        CHECK(device->EndScene());
        release(back_buffer);
        release(depth);
    }
};

} // namespace

int main(int count, char **words) {
    // Textures with palettes are early hardware's, which drivers no longer have: Afterimage has them when it is asked.
#ifdef _WIN32
    _putenv("AFTERIMAGE_OLD_FORMATS=P8");
#else
    setenv("AFTERIMAGE_OLD_FORMATS", "P8", 1);
#endif
    Features features;
    return run(count, words, "features", "Patches, ProcessVertices, point sprites, coverage, palettes, instances and clip planes.", features);
}
