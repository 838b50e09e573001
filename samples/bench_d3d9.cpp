// What a draw costs: the time the program's own thread spends, and the time until the device has finished.
//
// Every draw is one triangle outside of the clip volume, so that nothing is filled and the cost is that of submission.
// Runs against any d3d9: ours natively and under Wine, WineD3D, DXVK. Prints a table, and JSON with --json FILE.

#include "common.h"
#include "shaders/shaders.h"

#include <algorithm>
#include <chrono>
#include <vector>

using namespace sample;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Vertex {
    float x, y, z, w;
    D3DCOLOR colour;
    float u, v;
};

const Vertex OUTSIDE[3] = {{5, 5, 0, 1, 0xffffffff, 0, 0}, {5, 5.1f, 0, 1, 0xffffffff, 0, 1}, {5.1f, 5, 0, 1, 0xffffffff, 1, 0}};
const UINT RING_BYTES = 1 << 20;
const int TEXTURES = 16, SHADERS = 64, RELOCKS = 64, EMPTY_FRAMES = 200, WARM_UP = 3;

struct Result {
    const char *name, *unit;
    double app, complete;
};

struct Bench {
    IDirect3DDevice9 *device;
    IDirect3DQuery9 *event = nullptr;
    IDirect3DVertexShader9 *vertex_shader = nullptr;
    IDirect3DPixelShader9 *pixel_shader = nullptr;
    IDirect3DVertexBuffer9 *triangle = nullptr, *ring = nullptr;
    IDirect3DVertexDeclaration9 *declaration = nullptr;
    IDirect3DTexture9 *textures[TEXTURES] = {};
    UINT ring_at = 0;
    int draws, frames;
    const char *only;
    std::vector<Result> results;

    Bench(IDirect3DDevice9 *device, int draws, int frames, const char *only)
        : device(device), draws(draws), frames(frames), only(only) {
        CHECK(device->CreateQuery(D3DQUERYTYPE_EVENT, &event));
        CHECK(device->CreateVertexShader(shaders::bench_vs, &vertex_shader));
        CHECK(device->CreatePixelShader(shaders::bench_ps, &pixel_shader));
        const D3DVERTEXELEMENT9 elements[] = {{0, 0, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                              {0, 16, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
                                              {0, 20, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                              D3DDECL_END()};
        CHECK(device->CreateVertexDeclaration(elements, &declaration));
        CHECK(device->CreateVertexBuffer(sizeof OUTSIDE, D3DUSAGE_WRITEONLY, 0, D3DPOOL_DEFAULT, &triangle, nullptr));
        void *bytes;
        CHECK(triangle->Lock(0, 0, &bytes, 0));
        std::memcpy(bytes, OUTSIDE, sizeof OUTSIDE);
        CHECK(triangle->Unlock());
        CHECK(device->CreateVertexBuffer(RING_BYTES, D3DUSAGE_WRITEONLY | D3DUSAGE_DYNAMIC, 0, D3DPOOL_DEFAULT, &ring, nullptr));
        for (int index = 0; index < TEXTURES; index++) {
            CHECK(device->CreateTexture(16, 16, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &textures[index], nullptr));
            fill(textures[index], 16, index * 16);
        }
        bind();
    }

    ~Bench() {
        for (IDirect3DTexture9 *&texture : textures) release(texture);
        release(ring), release(triangle), release(declaration), release(pixel_shader), release(vertex_shader), release(event);
    }

    static void fill(IDirect3DTexture9 *texture, int size, int value) {
        D3DLOCKED_RECT locked;
        CHECK(texture->LockRect(0, &locked, nullptr, 0));
        for (int y = 0; y < size; y++) std::memset(static_cast<char *>(locked.pBits) + y * locked.Pitch, value, size * 4);
        CHECK(texture->UnlockRect(0));
    }

    void bind() {
        CHECK(device->SetVertexDeclaration(declaration));
        CHECK(device->SetVertexShader(vertex_shader));
        CHECK(device->SetPixelShader(pixel_shader));
        CHECK(device->SetTexture(0, textures[0]));
        CHECK(device->SetStreamSource(0, triangle, 0, sizeof(Vertex)));
    }

    void finish() {
        CHECK(event->Issue(D3DISSUE_END));
        while (event->GetData(nullptr, 0, D3DGETDATA_FLUSH) == S_FALSE) SAMPLE_YIELD();
    }

    void report(const char *name, const char *unit, double app, double complete) {
        results.push_back({name, unit, app, complete});
        double baseline = results[0].complete;
        std::printf("%-34s app %9.3f  complete %9.3f %s", name, app, complete, unit);
        if (!std::strcmp(unit, "us/draw")) std::printf("  %6.2f x same state", complete / baseline);
        std::printf("\n");
        std::fflush(stdout);
    }

    /// Times frames of equal draws, each after what `change` does; medians over the frames.
    template <typename Change> void per_draw(const char *name, Change change) {
        if (!wanted(name)) return;
        std::vector<double> app, complete;
        for (int frame = -WARM_UP; frame < frames; frame++) {
            Clock::time_point start = Clock::now();
            device->BeginScene();
            device->Clear(0, nullptr, D3DCLEAR_TARGET, 0xff203040, 1, 0);
            for (int draw = 0; draw < draws; draw++) change(draw);
            device->EndScene();
            double submitted = seconds_since(start);
            finish();
            if (frame >= 0) {
                app.push_back(submitted * 1e6 / draws);
                complete.push_back(seconds_since(start) * 1e6 / draws);
            }
            device->Present(nullptr, nullptr, nullptr, nullptr);
        }
        report(name, "us/draw", median(app), median(complete));
        bind();
    }

    bool wanted(const char *name) const { return !only || std::strstr(name, only); }

    void draw() { device->DrawPrimitive(D3DPT_TRIANGLELIST, 0, 1); }

    void all() {
        float constants[8 * 4] = {};
        per_draw("same state", [&](int) { draw(); });
        per_draw("vertex constant", [&](int index) {
            constants[0] = static_cast<float>(index);
            device->SetVertexShaderConstantF(0, constants, 1);
            draw();
        });
        constants[0] = 0;
        device->SetVertexShaderConstantF(0, constants, 1);
        per_draw("texture", [&](int index) {
            device->SetTexture(0, textures[index % TEXTURES]);
            draw();
        });
        per_draw("blend and depth state", [&](int index) {
            device->SetRenderState(D3DRS_ALPHABLENDENABLE, index & 1);
            device->SetRenderState(D3DRS_ZFUNC, D3DCMP_NEVER + (index & 7));
            draw();
        });
        per_draw("texture, 8 constants, 4 states", [&](int index) {
            constants[0] = static_cast<float>(index);
            device->SetVertexShaderConstantF(0, constants, 8);
            device->SetTexture(0, textures[index % TEXTURES]);
            device->SetRenderState(D3DRS_ALPHABLENDENABLE, index & 1);
            device->SetRenderState(D3DRS_SRCBLEND, index & 2 ? D3DBLEND_SRCALPHA : D3DBLEND_ONE);
            device->SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE + index % 3);
            device->SetRenderState(D3DRS_ZWRITEENABLE, (index >> 2) & 1);
            draw();
        });
        constants[0] = 0;
        device->SetVertexShaderConstantF(0, constants, 1);
        per_draw("dynamic buffer lock", [&](int) {
            DWORD flags = D3DLOCK_NOOVERWRITE;
            if (ring_at + sizeof OUTSIDE > RING_BYTES) ring_at = 0, flags = D3DLOCK_DISCARD;
            void *bytes;
            CHECK(ring->Lock(ring_at, sizeof OUTSIDE, &bytes, flags));
            std::memcpy(bytes, OUTSIDE, sizeof OUTSIDE);
            ring->Unlock();
            device->SetStreamSource(0, ring, ring_at, sizeof(Vertex));
            ring_at += sizeof OUTSIDE;
            draw();
        });
        per_draw("DrawPrimitiveUP",
                 [&](int) { device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, OUTSIDE, sizeof(Vertex)); });
        if (wanted("new pixel shader")) new_shaders();
        if (wanted("relock")) relock();
        if (wanted("clear and present")) empty_frames();
    }

    /// Creates pixel shaders that differ in a defined constant and draws once with each.
    void new_shaders() {
        std::vector<DWORD> tokens(std::begin(shaders::bench_ps), std::end(shaders::bench_ps));
        const DWORD def = 0x05000051;
        size_t constant = std::find(tokens.begin(), tokens.end(), def) - tokens.begin() + 2;
        Clock::time_point start = Clock::now();
        for (int index = 0; index < SHADERS; index++) {
            float value = 1 + index * 0.001f;
            std::memcpy(&tokens[constant], &value, sizeof value);
            IDirect3DPixelShader9 *shader = nullptr;
            CHECK(device->CreatePixelShader(tokens.data(), &shader));
            device->SetPixelShader(shader);
            device->BeginScene();
            draw();
            device->EndScene();
            device->SetPixelShader(pixel_shader);
            release(shader);
        }
        double submitted = seconds_since(start);
        finish();
        report("new pixel shader and first draw", "ms", submitted * 1e3 / SHADERS, seconds_since(start) * 1e3 / SHADERS);
        device->Present(nullptr, nullptr, nullptr, nullptr);
    }

    void relock() {
        const int size = 512;
        IDirect3DTexture9 *texture = nullptr;
        CHECK(device->CreateTexture(size, size, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr));
        device->SetTexture(0, texture);
        for (int round = -WARM_UP; round < 0; round++) fill(texture, size, round), draw();
        finish();
        Clock::time_point start = Clock::now();
        for (int round = 0; round < RELOCKS; round++) fill(texture, size, round), draw();
        double submitted = seconds_since(start);
        finish();
        double megabytes = RELOCKS * size * size * 4.0 / 1e6;
        report("relock 512x512 managed and draw", "MB/s", megabytes / submitted, megabytes / seconds_since(start));
        device->SetTexture(0, textures[0]);
        release(texture);
        device->Present(nullptr, nullptr, nullptr, nullptr);
    }

    void empty_frames() {
        Clock::time_point start = Clock::now();
        for (int frame = 0; frame < EMPTY_FRAMES; frame++) {
            device->Clear(0, nullptr, D3DCLEAR_TARGET, 0xff000000 | frame, 1, 0);
            device->Present(nullptr, nullptr, nullptr, nullptr);
        }
        double submitted = seconds_since(start);
        finish();
        report("clear and present", "ms", submitted * 1e3 / EMPTY_FRAMES, seconds_since(start) * 1e3 / EMPTY_FRAMES);
    }

    void write_json(const char *path, const char *adapter) const {
        FILE *file = std::fopen(path, "w");
        if (!file) fail("cannot write %s", path);
        std::fprintf(file, "{\"bench\": \"d3d9\", \"adapter\": \"%s\", \"draws\": %d, \"frames\": %d, \"peak_kib\": %lu, \"cases\": [", adapter,
                     draws, frames, peak_kib());
        for (const Result &result : results)
            std::fprintf(file, "%s\n  {\"name\": \"%s\", \"unit\": \"%s\", \"app\": %.4f, \"complete\": %.4f}",
                         &result == &results[0] ? "" : ",", result.name, result.unit, result.app, result.complete);
        std::fprintf(file, "\n]}\n");
        if (std::fclose(file)) fail("cannot write %s", path);
    }
};

} // namespace

int main(int count, char **words) {
    int draws = 1000, frames = 60;
    const char *json = nullptr, *only = nullptr;
    Options options;
    for (int at = 1; at < count; at++) {
        if (at + 1 < count && !std::strcmp(words[at], "--draws")) draws = std::max(1, std::atoi(words[++at]));
        else if (at + 1 < count && !std::strcmp(words[at], "--frames")) frames = std::max(1, std::atoi(words[++at]));
        else if (at + 1 < count && !std::strcmp(words[at], "--json")) json = words[++at];
        else if (at + 1 < count && !std::strcmp(words[at], "--only")) only = words[++at];
        else if (!std::strcmp(words[at], "--window")) options.window = true;
        else
            fail("usage: %s [--draws N] [--frames N] [--only PART_OF_NAME] [--json FILE] [--window]\n"
                 "Times draws of one clipped triangle each: app thread and complete, medians over the frames.", words[0]);
    }
    options.width = options.height = 64;
    HWND window = open_window(options, "bench");
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    if (!direct3d) fail("Direct3DCreate9 gave nothing");
    D3DADAPTER_IDENTIFIER9 adapter = {};
    CHECK(direct3d->GetAdapterIdentifier(D3DADAPTER_DEFAULT, 0, &adapter));
    std::printf("%s, %d draws a frame, %d frames\n", adapter.Description, draws, frames);
    D3DPRESENT_PARAMETERS parameters = present_parameters(options, window);
    IDirect3DDevice9 *device = nullptr;
    CHECK(direct3d->CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters,
                                 &device));
    {
        Bench bench(device, draws, frames, only);
        bench.all();
        std::printf("peak memory %.1f MiB\n", peak_kib() / 1024.0);
        if (json) bench.write_json(json, adapter.Description);
    }
    device->Release();
    direct3d->Release();
    return 0;
}
