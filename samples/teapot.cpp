// A scene of the fixed-function pipeline: transforms, directional lights, materials, one texture stage, and a background
// of vertices that are transformed already.
//
// On Windows the textures come through D3DXCreateTextureFromFileInMemory (from a DDS file made in memory) and the states
// from an effect; natively, where there is no D3DX, the same texels and states are set by hand, so the pictures are the
// same. The teapot is Newell's in both; `--d3dx` takes the mesh of D3DXCreateTeapot instead (Windows only, and whatever
// the D3DX at hand makes of a teapot: Wine's is a simple one).

#include "common.h"
#include "geometry.h"
#include "teapot.h"

#ifdef _WIN32
#include "effect.h"
#include <d3dx9.h>
#endif

using namespace sample;

namespace {

const DWORD MESH_FVF = D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_TEX1;
const DWORD FLAT_FVF = D3DFVF_XYZRHW | D3DFVF_DIFFUSE;
const float CLAY[4] = {0.86f, 0.45f, 0.28f, 1};

struct FlatVertex {
    float x, y, z, w;
    DWORD colour;
};

#ifdef _WIN32
/// A DDS file of a picture with all its levels.
std::vector<char> dds_file(const Picture &picture) {
    const DWORD caps = 0x1, height = 0x2, width = 0x4, pitch = 0x8, pixel_format = 0x1000, mip_count = 0x20000;
    const DWORD rgb = 0x40, alpha = 0x1, texture = 0x1000, complex_ = 0x8, mipmap = 0x400000;
    DWORD header[32] = {};
    header[0] = 0x20534444; // "DDS "
    header[1] = 124;
    header[2] = caps | height | width | pitch | pixel_format | mip_count;
    header[3] = header[4] = picture.size;
    header[5] = picture.size * 4;
    header[7] = static_cast<DWORD>(picture.levels.size());
    header[19] = 32;
    header[20] = rgb | alpha;
    header[22] = 32;
    header[23] = 0x00ff0000;
    header[24] = 0x0000ff00;
    header[25] = 0x000000ff;
    header[26] = 0xff000000;
    header[27] = texture | complex_ | mipmap;
    std::vector<char> file(reinterpret_cast<char *>(header), reinterpret_cast<char *>(header + 32));
    for (auto &level : picture.levels) {
        auto bytes = reinterpret_cast<const char *>(level.data());
        file.insert(file.end(), bytes, bytes + level.size() * sizeof(DWORD));
    }
    return file;
}

IDirect3DTexture9 *load(IDirect3DDevice9 *device, const Picture &picture) {
    std::vector<char> file = dds_file(picture);
    IDirect3DTexture9 *texture = nullptr;
    CHECK(D3DXCreateTextureFromFileInMemory(device, file.data(), static_cast<UINT>(file.size()), &texture));
    if (texture->GetLevelCount() != picture.levels.size()) fail("D3DX made %lu levels", texture->GetLevelCount());
    return texture;
}
#else
IDirect3DTexture9 *load(IDirect3DDevice9 *device, const Picture &picture) { return picture.texture(device); }
#endif

struct Teapot final : Program {
    IDirect3DTexture9 *china = nullptr, *wood = nullptr, *glaze = nullptr;
    Mesh pot, table, cup, saucer;
    Vec3 clay = {};
#ifdef _WIN32
    ID3DXEffect *effect = nullptr;
    ID3DXMesh *d3dx_pot = nullptr;
#endif
    int width = 0, height = 0;

    void create(IDirect3DDevice9 *device, const Options &options) override {
        width = options.width;
        height = options.height;
        china = load(device, Picture::make(256, [](float u, float v) {
                         float x = u * 8, y = v * 4;
                         x -= static_cast<int>(x) + 0.5f;
                         y -= static_cast<int>(y) + 0.5f;
                         float flower = x * x + y * y, wave = sine(u * 16 * PI) * 0.012f;
                         float edge = v - 0.06f - wave, lower = v - 0.94f + wave;
                         bool line = (edge > -0.015f && edge < 0.015f) || (lower > -0.015f && lower < 0.015f);
                         bool petals = flower < 0.085f && flower > 0.03f + 0.02f * turbulence(u, v);
                         if (line || petals || flower < 0.008f) return Colour{0.12f, 0.22f, 0.58f, 1};
                         float shade = 0.95f + 0.05f * turbulence(u, v);
                         return Colour{0.97f * shade, 0.96f * shade, 0.92f * shade, 1};
                     }));
        wood = load(device, Picture::make(256, [](float u, float v) {
                        int plank = static_cast<int>(v * 4);
                        float across = v * 4 - plank, ring = sine((across * 3 + 2.2f * turbulence(u, (v + plank * 0.37f) * 0.25f)) * 2 * PI);
                        Colour wood = mix({0.36f, 0.20f, 0.10f, 1}, {0.62f, 0.40f, 0.22f, 1}, 0.5f + 0.35f * ring);
                        return across < 0.03f ? mix(wood, {0.08f, 0.04f, 0.02f, 1}, 0.8f) : wood;
                    }));
        glaze = load(device, Picture::make(64, [](float u, float v) {
                         float grain = 0.85f + 0.25f * turbulence(u, v);
                         return Colour{grain, grain, grain, 1};
                     }));
        pot.create(device, teapot(10));
        table.create(device, plane(32, 4));
        cup.create(device, sphere(32, 20));
        saucer.create(device, torus(48, 16, 0.2f));
#ifdef _WIN32
        const std::vector<EffectSetting> settings = {
            {EFFECT_Z_ENABLE, D3DZB_TRUE}, {EFFECT_Z_WRITE_ENABLE, TRUE}, {EFFECT_CULL_MODE, D3DCULL_CCW}, {EFFECT_ALPHA_BLEND_ENABLE, FALSE}};
        std::vector<uint32_t> compiled = make_effect(settings, CLAY);
        CHECK(D3DXCreateEffect(device, compiled.data(), static_cast<UINT>(compiled.size() * 4), nullptr, nullptr, 0, nullptr, &effect, nullptr));
        D3DXVECTOR4 tint;
        CHECK(effect->GetVector("tint", &tint));
        clay = {tint.x, tint.y, tint.z};
        if (options.d3dx) CHECK(D3DXCreateTeapot(device, &d3dx_pot, nullptr));
#else
        if (options.d3dx) fail("--d3dx needs Windows: there is no D3DX here");
        clay = {CLAY[0], CLAY[1], CLAY[2]};
#endif
    }

    // The effect holds nothing in the default pool; Wine 8 has neither OnLostDevice nor OnResetDevice.
    void create_default(IDirect3DDevice9 *, const Options &) override {}
    void release_default() override {}

    void destroy() override {
        for (Mesh *mesh : {&pot, &table, &cup, &saucer}) mesh->destroy();
        for (auto texture : {&china, &wood, &glaze}) release(*texture);
#ifdef _WIN32
        release(effect);
        release(d3dx_pot);
#endif
    }

    void begin_solid(IDirect3DDevice9 *device) {
#ifdef _WIN32
        UINT passes;
        CHECK(effect->Begin(&passes, 0));
        CHECK(effect->BeginPass(0));
        (void)device;
#else
        CHECK(device->SetRenderState(D3DRS_ZENABLE, D3DZB_TRUE));
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_CCW));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE));
#endif
    }

    void end_solid() {
#ifdef _WIN32
        CHECK(effect->EndPass());
        CHECK(effect->End());
#endif
    }

    void place(IDirect3DDevice9 *device, const Mesh &mesh, IDirect3DTexture9 *texture, Vec3 colour, const Mat4 &world) {
        D3DMATERIAL9 material = {};
        material.Diffuse = {colour.x, colour.y, colour.z, 1};
        material.Ambient = material.Diffuse;
        CHECK(device->SetMaterial(&material));
        CHECK(device->SetTexture(0, texture));
        CHECK(device->SetTransform(D3DTS_WORLD, world.d3d()));
        mesh.draw(device);
    }

    void place_pot(IDirect3DDevice9 *device, IDirect3DTexture9 *texture, Vec3 colour, const Mat4 &world) {
#ifdef _WIN32
        if (d3dx_pot) {
            D3DMATERIAL9 material = {};
            material.Diffuse = {colour.x, colour.y, colour.z, 1};
            material.Ambient = material.Diffuse;
            CHECK(device->SetMaterial(&material));
            CHECK(device->SetTexture(0, nullptr)); // D3DX gives its teapot no texture coordinates
            CHECK(device->SetTransform(D3DTS_WORLD, (turn_y(PI) * move(0, 1.0f, 0) * world).d3d()));
            CHECK(d3dx_pot->DrawSubset(0));
            CHECK(device->SetFVF(MESH_FVF));
            return;
        }
#endif
        place(device, pot, texture, colour, world);
    }

    /// A gradient behind everything, in screen coordinates, four colours over two strips.
    void background(IDirect3DDevice9 *device) {
        float right = static_cast<float>(width) - 0.5f, middle = height * 0.55f, bottom = static_cast<float>(height) - 0.5f;
        const DWORD top = 0xff20304a, glow = 0xffc99a72, low = 0xff3a2a26;
        const FlatVertex strip[6] = {{-0.5f, -0.5f, 0.5f, 1, top}, {right, -0.5f, 0.5f, 1, top},    {-0.5f, middle, 0.5f, 1, glow},
                                     {right, middle, 0.5f, 1, glow}, {-0.5f, bottom, 0.5f, 1, low}, {right, bottom, 0.5f, 1, low}};
        CHECK(device->SetFVF(FLAT_FVF));
        CHECK(device->SetTexture(0, nullptr));
        CHECK(device->SetRenderState(D3DRS_ZENABLE, D3DZB_FALSE));
        CHECK(device->SetRenderState(D3DRS_LIGHTING, FALSE));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLOROP, D3DTOP_SELECTARG2));
        CHECK(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 4, strip, sizeof(FlatVertex)));
    }

    void draw(IDirect3DDevice9 *device, int frame) override {
        float time = frame * (2 * PI / 240);
        Mat4 view = look_at({0.8f * sine(time), 4.6f, -10.2f}, {0, 1.2f, 0});
        Mat4 projection = perspective(1.9f, static_cast<float>(width) / height, 1, 60);
        CHECK(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0xff000000, 1, 0));
        CHECK(device->BeginScene());
        CHECK(device->SetVertexShader(nullptr));
        CHECK(device->SetPixelShader(nullptr));
        background(device);
        begin_solid(device);
        CHECK(device->SetFVF(MESH_FVF));
        CHECK(device->SetRenderState(D3DRS_LIGHTING, TRUE));
        CHECK(device->SetRenderState(D3DRS_AMBIENT, 0xff4a4650));
        CHECK(device->SetRenderState(D3DRS_NORMALIZENORMALS, TRUE));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLOROP, D3DTOP_MODULATE));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLORARG1, D3DTA_TEXTURE));
        CHECK(device->SetTextureStageState(0, D3DTSS_COLORARG2, D3DTA_DIFFUSE));
        CHECK(device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetTransform(D3DTS_VIEW, view.d3d()));
        CHECK(device->SetTransform(D3DTS_PROJECTION, projection.d3d()));
        const Vec3 directions[2] = {{0.55f, -0.75f, 0.6f}, {-0.8f, -0.25f, 0.35f}};
        const Vec3 colours[2] = {{0.95f, 0.88f, 0.78f}, {0.16f, 0.22f, 0.34f}};
        for (DWORD i = 0; i < 2; i++) {
            D3DLIGHT9 light = {};
            light.Type = D3DLIGHT_DIRECTIONAL;
            light.Diffuse = {colours[i].x, colours[i].y, colours[i].z, 1};
            light.Direction = {directions[i].x, directions[i].y, directions[i].z};
            CHECK(device->SetLight(i, &light));
            CHECK(device->LightEnable(i, TRUE));
        }

        place(device, table, wood, {0.9f, 0.9f, 0.9f}, scale(9, 1, 9));
        place_pot(device, china, {1, 1, 1}, turn_y(time - 0.35f) * move(0, 0.02f, 0));
        for (int i = 0; i < 6; i++) {
            float angle = i * (2 * PI / 6) + 0.5f * time, x = 4.4f * cosine(angle), z = 3.6f * sine(angle);
            Vec3 colour = i % 2 ? clay : Vec3{0.35f + 0.1f * i, 0.62f, 0.55f - 0.05f * i};
            place(device, saucer, glaze, {0.9f, 0.88f, 0.84f}, scale(0.62f, 0.3f, 0.62f) * move(x, 0.08f, z));
            place_pot(device, glaze, colour, scale(0.36f, 0.36f, 0.36f) * turn_y(-2 * time + i) * move(x, 0.1f, z));
            place(device, cup, glaze, colour, scale(0.16f, 0.16f, 0.16f) * move(6.0f * cosine(angle + 0.5f), 0.16f, 4.6f * sine(angle + 0.5f)));
        }
        end_solid();
        CHECK(device->EndScene());
    }
};

} // namespace

int main(int count, char **words) {
    Teapot teapot;
    return run(count, words, "teapot", "The fixed-function pipeline, with D3DX on Windows.", teapot);
}
