// Render targets: a scene into two textures at once (MRT), the bright one blurred by ps_3_0 loops and added again, a
// mip-mapped cube map reflected sharply and bluntly, lights in a vs_3_0 loop, additive particles out of a dynamic vertex
// buffer, StretchRect, state blocks, DrawPrimitiveUP, an occlusion query whose count is drawn as a bar, and an event query.

#include "common.h"
#include "geometry.h"
#include "shaders/shaders.h"

using namespace sample;

namespace {

const int CUBE_SIZE = 128;
const int PARTICLES = 240;
const int BATCH = 24; // particles per draw call
const int LIGHTS = 4;

struct Particle {
    Vec3 position;
    DWORD colour;
    float u, v;
};

struct Corner {
    float x, y, z, w, u, v;
};

/// What lies in a direction: sky, sun, clouds near the horizon, dark ground.
Colour surroundings(Vec3 direction) {
    Vec3 d = normalize(direction), sun = normalize({0.5f, 0.42f, 0.75f});
    float up = d.y < 0 ? 0 : d.y;
    Colour sky = mix({0.95f, 0.62f, 0.40f, 1}, {0.10f, 0.20f, 0.48f, 1}, up < 0.5f ? up * 2 : 1);
    float side = (d.x > 0 ? d.x : -d.x) + (d.z > 0 ? d.z : -d.z);
    float cloud = turbulence(0.5f + 0.49f * d.x / side, 0.5f + 0.49f * d.z / side) * (1 - up);
    sky = mix(sky, {1.0f, 0.86f, 0.74f, 1}, cloud > 0.4f ? (cloud - 0.4f) * 2 : 0);
    float glow = dot(d, sun);
    if (glow > 0.9f) sky = mix(sky, {1, 0.97f, 0.85f, 1}, (glow - 0.9f) * 10 * (glow > 0.985f ? 1.0f : 0.6f));
    if (d.y < 0) {
        float depth = -d.y * 4;
        sky = mix({0.55f, 0.36f, 0.27f, 1}, {0.07f, 0.06f, 0.09f, 1}, depth > 1 ? 1 : depth);
    }
    return sky;
}

struct Targets final : Program {
    IDirect3DVertexDeclaration9 *mesh_declaration = nullptr, *particle_declaration = nullptr, *quad_declaration = nullptr;
    IDirect3DVertexShader9 *mirror_vs = nullptr, *sky_vs = nullptr, *floor_vs = nullptr, *particle_vs = nullptr, *quad_vs = nullptr;
    IDirect3DPixelShader9 *mirror_ps = nullptr, *sky_ps = nullptr, *floor_ps = nullptr, *particle_ps = nullptr, *blur_ps = nullptr,
                          *finish_ps = nullptr, *colour_ps = nullptr, *copy_ps = nullptr;
    IDirect3DCubeTexture9 *environment = nullptr;
    IDirect3DTexture9 *paving = nullptr, *plain = nullptr;
    Mesh ground, ball, ring, trefoil, box;

    // The default pool: gone with a Reset.
    IDirect3DTexture9 *picture = nullptr, *bright = nullptr, *half_a = nullptr, *half_b = nullptr, *inset = nullptr;
    IDirect3DSurface9 *depth = nullptr;
    IDirect3DVertexBuffer9 *particles = nullptr;
    IDirect3DStateBlock9 *flat_state = nullptr;
    IDirect3DQuery9 *visible = nullptr, *finished = nullptr;
    UINT particle_place = 0;
    int width = 0, height = 0;
    DWORD seen = 0;

    void create(IDirect3DDevice9 *device, const Options &options) override {
        width = options.width;
        height = options.height;
        const D3DVERTEXELEMENT9 mesh[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                          {0, 12, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_NORMAL, 0},
                                          {0, 24, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                          D3DDECL_END()};
        const D3DVERTEXELEMENT9 particle[] = {{0, 0, D3DDECLTYPE_FLOAT3, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                              {0, 12, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
                                              {0, 16, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                              D3DDECL_END()};
        const D3DVERTEXELEMENT9 quad[] = {{0, 0, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                          {0, 16, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                          D3DDECL_END()};
        CHECK(device->CreateVertexDeclaration(mesh, &mesh_declaration));
        CHECK(device->CreateVertexDeclaration(particle, &particle_declaration));
        CHECK(device->CreateVertexDeclaration(quad, &quad_declaration));
        CHECK(device->CreateVertexShader(shaders::mirror_vs, &mirror_vs));
        CHECK(device->CreateVertexShader(shaders::sky_vs, &sky_vs));
        CHECK(device->CreateVertexShader(shaders::floor_vs, &floor_vs));
        CHECK(device->CreateVertexShader(shaders::particle_vs, &particle_vs));
        CHECK(device->CreateVertexShader(shaders::quad_vs, &quad_vs));
        CHECK(device->CreatePixelShader(shaders::mirror_ps, &mirror_ps));
        CHECK(device->CreatePixelShader(shaders::sky_ps, &sky_ps));
        CHECK(device->CreatePixelShader(shaders::floor_ps, &floor_ps));
        CHECK(device->CreatePixelShader(shaders::particle_ps, &particle_ps));
        CHECK(device->CreatePixelShader(shaders::blur_ps, &blur_ps));
        CHECK(device->CreatePixelShader(shaders::finish_ps, &finish_ps));
        CHECK(device->CreatePixelShader(shaders::colour_ps, &colour_ps));
        CHECK(device->CreatePixelShader(shaders::copy_ps, &copy_ps));
        create_environment(device);
        paving = Picture::make(256, [](float u, float v) {
                     int column = static_cast<int>(u * 8), row = static_cast<int>(v * 8);
                     float shade = (column + row) % 2 ? 0.85f : 0.42f;
                     shade *= 0.8f + 0.35f * turbulence(u, v);
                     return Colour{shade, shade * 0.97f, shade * 0.92f, 1};
                 }).texture(device);
        plain = Picture::make(4, [](float, float) { return Colour{1, 1, 1, 1}; }).texture(device);
        ground.create(device, plane(48, 6));
        ball.create(device, sphere(48, 32));
        ring.create(device, torus(64, 20, 0.3f));
        trefoil.create(device, knot(240, 20, 0.24f));
        box.create(device, cube());
    }

    /// Six faces of a picture each, with all their mip levels.
    void create_environment(IDirect3DDevice9 *device) {
        CHECK(device->CreateCubeTexture(CUBE_SIZE, 0, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &environment, nullptr));
        // What is right, up and ahead on each face, in Direct3D's order: +x -x +y -y +z -z.
        const Vec3 faces[6][3] = {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}},  {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},
                                  {{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},  {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},   {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}};
        for (UINT face = 0; face < 6; face++) {
            const Vec3 *axes = faces[face];
            Picture side = Picture::make(CUBE_SIZE, [&](float u, float v) {
                return surroundings(axes[0] * (2 * u - 1) + axes[1] * (1 - 2 * v) + axes[2]);
            });
            for (UINT level = 0; level < environment->GetLevelCount(); level++) {
                D3DLOCKED_RECT locked;
                CHECK(environment->LockRect(static_cast<D3DCUBEMAP_FACES>(face), level, &locked, nullptr, 0));
                side.copy_level(level, locked);
                CHECK(environment->UnlockRect(static_cast<D3DCUBEMAP_FACES>(face), level));
            }
        }
    }

    void create_default(IDirect3DDevice9 *device, const Options &) override {
        auto target = [&](int w, int h, IDirect3DTexture9 **texture) {
            CHECK(device->CreateTexture(w, h, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT, texture, nullptr));
        };
        target(width, height, &picture);
        target(width, height, &bright);
        target(width / 2, height / 2, &half_a);
        target(width / 2, height / 2, &half_b);
        target(width / 4, height / 4, &inset);
        CHECK(device->CreateDepthStencilSurface(width, height, D3DFMT_D24S8, D3DMULTISAMPLE_NONE, 0, FALSE, &depth, nullptr));
        CHECK(device->CreateVertexBuffer(PARTICLES * 6 * sizeof(Particle), D3DUSAGE_DYNAMIC | D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT,
                                         &particles, nullptr));
        particle_place = 0;
        CHECK(device->CreateQuery(D3DQUERYTYPE_OCCLUSION, &visible));
        CHECK(device->CreateQuery(D3DQUERYTYPE_EVENT, &finished));
        // All that a pass over a rectangle needs, recorded once and applied before each such pass.
        CHECK(device->BeginStateBlock());
        CHECK(device->SetVertexDeclaration(quad_declaration));
        CHECK(device->SetVertexShader(quad_vs));
        CHECK(device->SetRenderState(D3DRS_ZENABLE, D3DZB_FALSE));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE));
        for (DWORD stage = 0; stage < 2; stage++) {
            CHECK(device->SetSamplerState(stage, D3DSAMP_MINFILTER, D3DTEXF_LINEAR));
            CHECK(device->SetSamplerState(stage, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR));
            CHECK(device->SetSamplerState(stage, D3DSAMP_MIPFILTER, D3DTEXF_NONE));
            CHECK(device->SetSamplerState(stage, D3DSAMP_ADDRESSU, D3DTADDRESS_CLAMP));
            CHECK(device->SetSamplerState(stage, D3DSAMP_ADDRESSV, D3DTADDRESS_CLAMP));
        }
        CHECK(device->EndStateBlock(&flat_state));
    }

    void release_default() override {
        for (auto texture : {&picture, &bright, &half_a, &half_b, &inset}) release(*texture);
        release(depth);
        release(particles);
        release(flat_state);
        release(visible);
        release(finished);
    }

    void destroy() override {
        for (Mesh *mesh : {&ground, &ball, &ring, &trefoil, &box}) mesh->destroy();
        for (auto shader : {&mirror_vs, &sky_vs, &floor_vs, &particle_vs, &quad_vs}) release(*shader);
        for (auto shader : {&mirror_ps, &sky_ps, &floor_ps, &particle_ps, &blur_ps, &finish_ps, &colour_ps, &copy_ps}) release(*shader);
        for (auto declaration : {&mesh_declaration, &particle_declaration, &quad_declaration}) release(*declaration);
        release(environment);
        release(paving);
        release(plain);
    }

    void transform(IDirect3DDevice9 *device, const Mat4 &world, const Mat4 &view_projection) {
        Mat4 to_screen = transpose(world * view_projection), to_world = transpose(world);
        CHECK(device->SetVertexShaderConstantF(0, &to_screen.m[0][0], 4));
        CHECK(device->SetVertexShaderConstantF(4, &to_world.m[0][0], 3));
    }

    void aim(IDirect3DDevice9 *device, DWORD index, IDirect3DTexture9 *texture) {
        IDirect3DSurface9 *surface = nullptr;
        if (texture) CHECK(texture->GetSurfaceLevel(0, &surface));
        CHECK(device->SetRenderTarget(index, surface));
        release(surface);
    }

    /// Draws a rectangle given in clip space, its texels falling on pixels of a target of this size.
    void rectangle(IDirect3DDevice9 *device, float left, float top, float right, float bottom, int w, int h) {
        // A pixel's centre is at whole coordinates in Direct3D 9: half a pixel to the left and up.
        float x = -1.0f / w, y = 1.0f / h;
        const Corner corners[4] = {{left + x, top + y, 0, 1, 0, 0}, {right + x, top + y, 0, 1, 1, 0},
                                   {left + x, bottom + y, 0, 1, 0, 1}, {right + x, bottom + y, 0, 1, 1, 1}};
        CHECK(device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, corners, sizeof(Corner)));
    }

    void draw(IDirect3DDevice9 *device, int frame) override {
        float time = frame * (2 * PI / 240);
        Vec3 eye = {7.2f * sine(0.4f * sine(time) - 0.35f), 2.7f, -7.2f * cosine(0.4f * sine(time) - 0.35f)};
        Mat4 view = look_at(eye, {0, 1.1f, 0}), projection = perspective(1.9f, static_cast<float>(width) / height, 0.2f, 60);
        Mat4 view_projection = view * projection;
        CHECK(device->BeginScene());
        IDirect3DSurface9 *back_buffer = nullptr, *own_depth = nullptr;
        CHECK(device->GetRenderTarget(0, &back_buffer));
        CHECK(device->GetDepthStencilSurface(&own_depth));

        // Whatever the flat passes set is undone by this block when the solid ones begin again.
        IDirect3DStateBlock9 *before = nullptr;
        CHECK(device->CreateStateBlock(D3DSBT_ALL, &before));

        aim(device, 0, picture);
        aim(device, 1, bright);
        CHECK(device->SetDepthStencilSurface(depth));
        CHECK(device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, 0xff000000, 1, 0));
        solid(device, frame, eye, view, projection, view_projection);
        sparks(device, frame, view, view_projection);
        aim(device, 1, nullptr);

        CHECK(flat_state->Apply());
        blur(device);
        CHECK(device->SetRenderTarget(0, back_buffer));
        CHECK(device->SetDepthStencilSurface(own_depth));
        CHECK(device->SetPixelShader(finish_ps));
        const float finish[4] = {0.85f, 0.9f, 0, 0};
        CHECK(device->SetPixelShaderConstantF(0, finish, 1));
        const BOOL darken = TRUE;
        CHECK(device->SetPixelShaderConstantB(0, &darken, 1));
        CHECK(device->SetTexture(0, picture));
        CHECK(device->SetTexture(1, half_a));
        rectangle(device, -1, 1, 1, -1, width, height);
        overlay(device);
        CHECK(device->SetTexture(0, nullptr));
        CHECK(device->SetTexture(1, nullptr));
        CHECK(before->Apply());
        release(before);
        release(back_buffer);
        release(own_depth);
        CHECK(device->EndScene());
        CHECK(finished->Issue(D3DISSUE_END));
        wait(finished, nullptr, 0);
    }

    /// Waits for a query's answer.
    void wait(IDirect3DQuery9 *query, void *answer, DWORD size) {
        for (int tries = 0; tries < 60000; tries++) {
            HRESULT state = query->GetData(answer, size, D3DGETDATA_FLUSH);
            if (state == S_OK || state == D3DERR_DEVICELOST) return;
            if (FAILED(state)) CHECK(state);
            SAMPLE_SLEEP(1);
        }
        fail("a query had no answer after a minute");
    }

    /// The sky, the floor, and what stands on it.
    void solid(IDirect3DDevice9 *device, int frame, Vec3 eye, const Mat4 &view, const Mat4 &projection, const Mat4 &view_projection) {
        float time = frame * (2 * PI / 240);
        CHECK(device->SetVertexDeclaration(mesh_declaration));
        CHECK(device->SetRenderState(D3DRS_ZENABLE, D3DZB_TRUE));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_CCW));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, FALSE));
        for (DWORD stage = 0; stage < 2; stage++) {
            CHECK(device->SetSamplerState(stage, D3DSAMP_MINFILTER, D3DTEXF_LINEAR));
            CHECK(device->SetSamplerState(stage, D3DSAMP_MAGFILTER, D3DTEXF_LINEAR));
            CHECK(device->SetSamplerState(stage, D3DSAMP_MIPFILTER, D3DTEXF_LINEAR));
            CHECK(device->SetSamplerState(stage, D3DSAMP_ADDRESSU, D3DTADDRESS_WRAP));
            CHECK(device->SetSamplerState(stage, D3DSAMP_ADDRESSV, D3DTADDRESS_WRAP));
        }
        const float threshold[4] = {0.72f, 0, 0, 0};
        CHECK(device->SetPixelShaderConstantF(2, threshold, 1));

        CHECK(device->SetVertexShader(floor_vs));
        CHECK(device->SetPixelShader(floor_ps));
        CHECK(device->SetTexture(1, paving));
        const int count[4] = {LIGHTS, 0, 2, 0}; // how often, aL's first value, its step
        CHECK(device->SetVertexShaderConstantI(0, count, 1));
        float lights[LIGHTS * 2][4];
        for (int i = 0; i < LIGHTS; i++) {
            float angle = 2 * time + i * (2 * PI / LIGHTS);
            Vec3 at = {3.4f * cosine(angle), 1.2f, 3.4f * sine(angle)};
            const Vec3 colours[LIGHTS] = {{2.6f, 0.9f, 0.5f}, {0.5f, 1.9f, 0.8f}, {0.5f, 0.9f, 2.8f}, {2.2f, 0.7f, 2.2f}};
            const float rows[2][4] = {{at.x, at.y, at.z, 1}, {colours[i].x, colours[i].y, colours[i].z, 0}};
            std::memcpy(lights[2 * i], rows, sizeof rows);
        }
        CHECK(device->SetVertexShaderConstantF(20, lights[0], LIGHTS * 2));
        const float ambient[4] = {0.34f, 0.28f, 0.27f, 1};
        CHECK(device->SetVertexShaderConstantF(9, ambient, 1));
        transform(device, scale(9, 1, 9), view_projection);
        ground.draw(device);

        CHECK(device->SetVertexShader(mirror_vs));
        CHECK(device->SetPixelShader(mirror_ps));
        CHECK(device->SetTexture(0, environment));
        CHECK(device->SetTexture(1, plain));
        const float eye_constant[4] = {eye.x, eye.y, eye.z, 1};
        CHECK(device->SetVertexShaderConstantF(8, eye_constant, 1));
        Vec3 sun = normalize({0.5f, 0.42f, 0.75f});
        const float sun_constant[4] = {sun.x, sun.y, sun.z, 0};
        CHECK(device->SetPixelShaderConstantF(1, sun_constant, 1));
        mirror(device, trefoil, {1.0f, 0.80f, 0.45f}, 0.5f, scale(0.95f, 0.95f, 0.95f) * turn_x(PI / 2) * turn_y(time) * move(0, 1.75f, 0),
               view_projection);
        for (int i = 0; i < 6; i++) { // from a mirror to a matt ball
            float angle = i * (2 * PI / 6) + 0.3f;
            mirror(device, ball, {0.94f, 0.95f, 0.97f}, i * 1.0f, scale(0.62f, 0.62f, 0.62f) * move(3.0f * cosine(angle), 0.64f, 3.0f * sine(angle)),
                   view_projection);
        }
        // How much of this ring can be seen is what the occlusion query counts.
        CHECK(visible->Issue(D3DISSUE_BEGIN));
        mirror(device, ring, {0.55f, 0.85f, 1.0f}, 1.5f, turn_x(1.1f) * turn_y(-time) * scale(0.8f, 0.8f, 0.8f) * move(2.6f * cosine(-time), 1.0f, 2.6f * sine(-time)),
               view_projection);
        CHECK(visible->Issue(D3DISSUE_END));

        CHECK(device->SetVertexShader(sky_vs));
        CHECK(device->SetPixelShader(sky_ps));
        CHECK(device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE));
        Mat4 turned = view;
        for (float &part : turned.m[3]) part = 0;
        turned.m[3][3] = 1;
        transform(device, identity(), turned * projection);
        CHECK(device->SetRenderState(D3DRS_ZFUNC, D3DCMP_LESSEQUAL));
        box.draw(device);
    }

    void mirror(IDirect3DDevice9 *device, const Mesh &mesh, Vec3 tint, float roughness, const Mat4 &world, const Mat4 &view_projection) {
        transform(device, world, view_projection);
        const float material[4] = {tint.x, tint.y, tint.z, roughness};
        CHECK(device->SetPixelShaderConstantF(0, material, 1));
        mesh.draw(device);
    }

    /// A fountain of sparks, written into the dynamic buffer batch by batch.
    void sparks(IDirect3DDevice9 *device, int frame, const Mat4 &view, const Mat4 &view_projection) {
        CHECK(device->SetVertexDeclaration(particle_declaration));
        CHECK(device->SetVertexShader(particle_vs));
        CHECK(device->SetPixelShader(particle_ps));
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, FALSE));
        CHECK(device->SetRenderState(D3DRS_ALPHABLENDENABLE, TRUE));
        CHECK(device->SetRenderState(D3DRS_SRCBLEND, D3DBLEND_SRCALPHA));
        CHECK(device->SetRenderState(D3DRS_DESTBLEND, D3DBLEND_ONE));
        Mat4 to_screen = transpose(view_projection);
        CHECK(device->SetVertexShaderConstantF(0, &to_screen.m[0][0], 4));
        CHECK(device->SetStreamSource(0, particles, 0, sizeof(Particle)));
        Vec3 right = {view.m[0][0], view.m[1][0], view.m[2][0]}, up = {view.m[0][1], view.m[1][1], view.m[2][1]};
        for (int first = 0; first < PARTICLES; first += BATCH) {
            const UINT batch_vertices = BATCH * 6;
            DWORD how = D3DLOCK_NOOVERWRITE;
            if (particle_place + batch_vertices > PARTICLES * 6 || first == 0) {
                particle_place = 0;
                how = D3DLOCK_DISCARD;
            }
            Particle *out;
            CHECK(particles->Lock(particle_place * sizeof(Particle), batch_vertices * sizeof(Particle), reinterpret_cast<void **>(&out), how));
            for (int i = first; i < first + BATCH; i++) {
                int age = (frame + static_cast<int>(noise(i, 11) * 90)) % 90;
                float t = age / 45.0f, angle = noise(i, 5) * 2 * PI, out_speed = 0.35f + 0.75f * noise(i, 6);
                Vec3 centre = {out_speed * t * cosine(angle), 2.6f + (1.4f + noise(i, 9)) * t - 1.35f * t * t, out_speed * t * sine(angle)};
                float size = 0.055f * (2.2f - t), life = 1 - age / 90.0f;
                DWORD colour = pack({1, 0.45f + 0.4f * life, 0.15f + 0.5f * life * life, life});
                const float corners[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}};
                for (auto &corner : corners)
                    *out++ = {centre + right * ((2 * corner[0] - 1) * size) + up * ((1 - 2 * corner[1]) * size), colour, corner[0], corner[1]};
            }
            CHECK(particles->Unlock());
            CHECK(device->DrawPrimitive(D3DPT_TRIANGLELIST, particle_place, BATCH * 2));
            particle_place += batch_vertices;
        }
        CHECK(device->SetRenderState(D3DRS_ZWRITEENABLE, TRUE));
    }

    /// The bright picture, half as large (StretchRect), blurred sideways and then upwards.
    void blur(IDirect3DDevice9 *device) {
        IDirect3DSurface9 *from = nullptr, *to = nullptr;
        CHECK(bright->GetSurfaceLevel(0, &from));
        CHECK(half_a->GetSurfaceLevel(0, &to));
        CHECK(device->StretchRect(from, nullptr, to, nullptr, D3DTEXF_LINEAR));
        release(from);
        release(to);
        CHECK(device->SetDepthStencilSurface(nullptr));
        CHECK(device->SetPixelShader(blur_ps));
        int w = width / 2, h = height / 2;
        const float steps[2][4] = {{1.0f / w, 0, 1 / 12.0f, 0}, {0, 1.0f / h, 1 / 12.0f, 0}};
        for (int pass = 0; pass < 2; pass++) {
            aim(device, 0, pass ? half_a : half_b);
            CHECK(device->SetTexture(0, pass ? half_b : half_a));
            CHECK(device->SetPixelShaderConstantF(0, steps[pass], 1));
            rectangle(device, -1, 1, 1, -1, w, h);
        }
    }

    /// The bright target as a small picture, and a bar as long as the ring's visible pixels.
    void overlay(IDirect3DDevice9 *device) {
        wait(visible, &seen, sizeof seen);
        IDirect3DSurface9 *from = nullptr, *to = nullptr;
        CHECK(bright->GetSurfaceLevel(0, &from));
        CHECK(inset->GetSurfaceLevel(0, &to));
        CHECK(device->StretchRect(from, nullptr, to, nullptr, D3DTEXF_LINEAR));
        release(from);
        release(to);
        CHECK(device->SetPixelShader(copy_ps));
        CHECK(device->SetTexture(0, inset));
        rectangle(device, 0.55f, 0.95f, 0.95f, 0.55f, width, height);
        CHECK(device->SetPixelShader(colour_ps));
        const float frame_colour[4] = {0.1f, 0.1f, 0.12f, 1}, bar_colour[4] = {0.55f, 0.85f, 1.0f, 1};
        CHECK(device->SetPixelShaderConstantF(0, frame_colour, 1));
        rectangle(device, -0.95f, -0.90f, -0.15f, -0.94f, width, height);
        float part = static_cast<float>(seen) / (static_cast<float>(width) * height * 0.04f);
        CHECK(device->SetPixelShaderConstantF(0, bar_colour, 1));
        rectangle(device, -0.94f, -0.905f, -0.94f + 0.78f * (part > 1 ? 1 : part), -0.935f, width, height);
    }
};

} // namespace

int main(int count, char **words) {
    Targets targets;
    return run(count, words, "targets", "Render targets, ps_3_0 flow control, blending, a cube map, queries.", targets);
}
