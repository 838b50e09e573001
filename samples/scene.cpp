// A textured, lit, indexed scene: about two hundred draws a frame through vs_2_0 and ps_2_0, per-pixel lighting from a
// moving point light, mip-mapped textures with anisotropic filtering, a depth buffer, and shadows on the ground that the
// stencil buffer keeps from darkening a place twice.

#include "common.h"
#include "geometry.h"
#include "shaders/shaders.h"

using namespace sample;

namespace {

const Colour BACKGROUND = {0.05f, 0.07f, 0.12f, 1};

struct Material {
    IDirect3DTexture9 *texture;
    Vec3 tint;
    float repeat, highlight, exponent;
};

struct Scene final : Program {
    IDirect3DVertexDeclaration9 *declaration = nullptr;
    IDirect3DVertexShader9 *scene_vs = nullptr, *shadow_vs = nullptr;
    IDirect3DPixelShader9 *scene_ps = nullptr, *shadow_ps = nullptr;
    IDirect3DTexture9 *stone = nullptr, *marble = nullptr, *bronze = nullptr, *tiles = nullptr;
    Mesh ground, box, shaft, ring, trefoil, ball;
    Mat4 view_projection = {};
    Vec3 eye = {}, light = {};
    float aspect = 1;

    void create(IDirect3DDevice9 *device, const Options &options) override {
        aspect = static_cast<float>(options.width) / options.height;
        const D3DVERTEXELEMENT9 elements[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                              {0, 12, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_NORMAL, 0},
                                              {0, 24, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                              D3DDECL_END()};
        CHECK(device->CreateVertexDeclaration(elements, &declaration));
        CHECK(device->CreateVertexShader(shaders::scene_vs, &scene_vs));
        CHECK(device->CreatePixelShader(shaders::scene_ps, &scene_ps));
        CHECK(device->CreateVertexShader(shaders::shadow_vs, &shadow_vs));
        CHECK(device->CreatePixelShader(shaders::shadow_ps, &shadow_ps));

        tiles = Picture::make(256, [](float u, float v) {
                    int column = static_cast<int>(u * 4), row = static_cast<int>(v * 4);
                    float x = u * 4 - column, y = v * 4 - row;
                    float edge = x < 0.04f || y < 0.04f ? 0.35f : 1.0f, shade = 0.72f + 0.28f * noise(column, row);
                    float grain = 0.75f + 0.4f * turbulence(u, v);
                    return Colour{0.62f * edge * shade * grain, 0.56f * edge * shade * grain, 0.50f * edge * shade * grain, 1};
                }).texture(device);
        stone = Picture::make(256, [](float u, float v) {
                    float grain = 0.55f + 0.6f * turbulence(u, v), fleck = noise(static_cast<int>(u * 256), static_cast<int>(v * 256));
                    grain *= 0.9f + 0.1f * fleck;
                    return Colour{0.80f * grain, 0.76f * grain, 0.68f * grain, 1};
                }).texture(device);
        marble = Picture::make(256, [](float u, float v) {
                     float vein = sine((u * 2 + 1.6f * turbulence(u, v)) * 2 * PI);
                     return mix({0.30f, 0.36f, 0.46f, 1}, {0.95f, 0.94f, 0.90f, 1}, 0.5f + 0.5f * vein);
                 }).texture(device);
        bronze = Picture::make(128, [](float u, float v) {
                     float band = sine(v * 16 * PI), worn = turbulence(u, v);
                     return mix({0.36f, 0.20f, 0.09f, 1}, {0.98f, 0.72f, 0.36f, 1}, 0.45f + 0.2f * band + 0.4f * worn);
                 }).texture(device);

        ground.create(device, plane(24, 10));
        box.create(device, cube());
        shaft.create(device, cylinder(28));
        ring.create(device, torus(40, 14, 0.26f));
        trefoil.create(device, knot(220, 18, 0.24f));
        ball.create(device, sphere(28, 18));
    }

    void create_default(IDirect3DDevice9 *, const Options &) override {}
    void release_default() override {}

    void destroy() override {
        for (Mesh *mesh : {&ground, &box, &shaft, &ring, &trefoil, &ball}) mesh->destroy();
        for (auto texture : {&stone, &marble, &bronze, &tiles}) release(*texture);
        release(scene_vs);
        release(shadow_vs);
        release(scene_ps);
        release(shadow_ps);
        release(declaration);
    }

    void lit(IDirect3DDevice9 *device, const Mesh &mesh, const Material &material, const Mat4 &world) {
        Mat4 to_screen = transpose(world * view_projection), to_world = transpose(world);
        CHECK(device->SetVertexShaderConstantF(0, &to_screen.m[0][0], 4));
        CHECK(device->SetVertexShaderConstantF(4, &to_world.m[0][0], 3));
        const float repeat[4] = {material.repeat, 0, 0, 0};
        CHECK(device->SetVertexShaderConstantF(9, repeat, 1));
        const float tint[4] = {material.tint.x, material.tint.y, material.tint.z, 1};
        CHECK(device->SetPixelShaderConstantF(0, tint, 1));
        const float highlight[4] = {material.highlight, material.highlight * 0.95f, material.highlight * 0.85f, material.exponent};
        CHECK(device->SetPixelShaderConstantF(3, highlight, 1));
        CHECK(device->SetTexture(0, material.texture));
        mesh.draw(device);
    }

    /// Flattens a shape onto the ground, away from the light.
    void shadow(IDirect3DDevice9 *device, const Mesh &mesh, const Mat4 &world) {
        const float height = 0.02f, drop = light.y - height;
        Mat4 flatten = {{{drop, 0, 0, 0},
                         {-light.x, -height, -light.z, -1},
                         {0, 0, drop, 0},
                         {light.x * height, light.y * height, light.z * height, light.y}}};
        Mat4 to_screen = transpose(world * flatten * view_projection);
        CHECK(device->SetVertexShaderConstantF(0, &to_screen.m[0][0], 4));
        mesh.draw(device);
    }

    /// Every thing that moves: the knot, the rings, the spiral of cubes and balls.
    template <typename F> void moving(int frame, F each) {
        float time = frame * (2 * PI / 240);
        each(trefoil, Material{bronze, {1, 1, 1}, 1, 1.2f, 48}, scale(1.75f, 1.75f, 1.75f) * turn_x(PI / 2) * turn_y(time) * move(0, 4.3f, 0));
        for (int i = 0; i < 12; i++) {
            float angle = (i + 0.5f) * (2 * PI / 12);
            Mat4 world = scale(0.7f, 0.7f, 0.7f) * turn_x(time * 2 + i) * turn_y(angle) *
                         move(8 * cosine(angle), 1.6f + 0.3f * sine(time * 3 + i), 8 * sine(angle));
            Vec3 tint = {0.55f + 0.45f * cosine(angle), 0.55f + 0.45f * cosine(angle + 2.1f), 0.55f + 0.45f * cosine(angle + 4.2f)};
            each(ring, Material{marble, tint, 1, 0.9f, 32}, world);
        }
        for (int i = 0; i < 56; i++) {
            float angle = i * 0.45f + time, height = 0.5f + 0.13f * i, radius = 5.6f - 0.055f * i;
            float size = 0.16f + 0.10f * noise(i, 7);
            Mat4 world = scale(size, size, size) * turn_x(time * 3 + i) * turn_y(i * 1.7f + time) *
                         move(radius * cosine(angle), height, radius * sine(angle));
            Vec3 tint = {0.5f + 0.5f * noise(i, 1), 0.5f + 0.5f * noise(i, 2), 0.5f + 0.5f * noise(i, 3)};
            if (i % 2) each(box, Material{stone, tint, 1, 0.4f, 16}, world);
            else each(ball, Material{marble, tint, 1, 1.0f, 40}, world);
        }
    }

    void draw(IDirect3DDevice9 *device, int frame) override {
        float time = frame * (2 * PI / 240);
        eye = {15.5f * sine(0.40f + 0.5f * time), 9.2f + 0.6f * sine(time), -15.5f * cosine(0.40f + 0.5f * time)};
        light = {4.5f * cosine(-2 * time + 2.4f), 11.5f, 4.5f * sine(-2 * time + 2.4f)};
        view_projection = look_at(eye, {0, 2.4f, 0}) * perspective(1.75f, aspect, 1, 60);

        CHECK(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, pack(BACKGROUND), 1, 0));
        CHECK(device->BeginScene());
        CHECK(device->SetVertexDeclaration(declaration));
        CHECK(device->SetVertexShader(scene_vs));
        CHECK(device->SetPixelShader(scene_ps));
        CHECK(device->SetRenderState(D3DRS_ZENABLE, D3DZB_TRUE));
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_CCW));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE));
        CHECK(device->SetRenderState(D3DRS_STENCILENABLE, FALSE));
        CHECK(device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC));
        CHECK(device->SetSamplerState(0, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR));
        CHECK(device->SetSamplerState(0, D3DSAMP_MAXANISOTROPY, 4));

        const float lights[2][4] = {{light.x, light.y, light.z, 1}, {eye.x, eye.y, eye.z, 1}};
        CHECK(device->SetVertexShaderConstantF(7, lights[0], 2));
        const float fade[4] = {1 / 22.0f, -15 / 22.0f, 0, 0};
        CHECK(device->SetVertexShaderConstantF(10, fade, 1));
        const float light_colour[2][4] = {{1.95f, 1.8f, 1.5f, 0.0045f}, {0.26f, 0.29f, 0.38f, 0}};
        CHECK(device->SetPixelShaderConstantF(1, light_colour[0], 2));
        CHECK(device->SetPixelShaderConstantF(6, &BACKGROUND.r, 1));

        lit(device, ground, {tiles, {1, 1, 1}, 1, 0.25f, 24}, scale(26, 1, 26));
        shadows(device, frame);
        CHECK(device->SetVertexShader(scene_vs));
        CHECK(device->SetPixelShader(scene_ps));
        CHECK(device->SetVertexShaderConstantF(7, lights[0], 2));
        CHECK(device->SetPixelShaderConstantF(1, light_colour[0], 2));

        const Material grey = {stone, {0.85f, 0.85f, 0.9f}, 1, 0.2f, 12}, white = {marble, {0.95f, 0.93f, 0.9f}, 1, 0.7f, 32};
        lit(device, box, grey, scale(1.7f, 0.35f, 1.7f) * move(0, 0.35f, 0));
        lit(device, box, white, scale(1.1f, 0.6f, 1.1f) * move(0, 1.3f, 0));
        for (int i = 0; i < 12; i++) {
            float angle = i * (2 * PI / 12);
            Mat4 place = turn_y(-angle) * move(9.2f * cosine(angle), 0, 9.2f * sine(angle));
            lit(device, box, grey, scale(0.8f, 0.2f, 0.8f) * move(0, 0.2f, 0) * place);
            lit(device, shaft, white, scale(0.48f, 2.0f, 0.48f) * move(0, 2.4f, 0) * place);
            lit(device, box, grey, scale(0.75f, 0.25f, 0.75f) * move(0, 4.65f, 0) * place);
        }
        moving(frame, [&](const Mesh &mesh, const Material &material, const Mat4 &world) { lit(device, mesh, material, world); });
        CHECK(device->EndScene());
    }

    void shadows(IDirect3DDevice9 *device, int frame) {
        CHECK(device->SetVertexShader(shadow_vs));
        CHECK(device->SetPixelShader(shadow_ps));
        const float dark[4] = {0.01f, 0.012f, 0.02f, 0.55f};
        CHECK(device->SetPixelShaderConstantF(0, dark, 1));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA));
        CHECK(device->SetRenderState(D3DRS_DESTBLEND, D3DBLEND_INVSRCALPHA));
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, FALSE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE));
        CHECK(device->SetRenderState(D3DRS_STENCILENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_STENCILFUNC, D3DCMP_EQUAL));
        CHECK(device->SetRenderState(D3DRS_STENCILREF, 0));
        CHECK(device->SetRenderState(D3DRS_STENCILPASS, D3DSTENCILOP_INCRSAT));
        moving(frame, [&](const Mesh &mesh, const Material &, const Mat4 &world) { shadow(device, mesh, world); });
        for (int i = 0; i < 12; i++) {
            float angle = i * (2 * PI / 12);
            shadow(device, shaft, scale(0.48f, 2.4f, 0.48f) * move(9.2f * cosine(angle), 2.4f, 9.2f * sine(angle)));
        }
        CHECK(device->SetRenderState(D3DRS_STENCILENABLE, FALSE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_CCW));
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE));
    }
};

} // namespace

int main(int count, char **words) {
    Scene scene;
    return run(count, words, "scene", "A textured, lit, indexed scene drawn with vs_2_0 and ps_2_0.", scene);
}
