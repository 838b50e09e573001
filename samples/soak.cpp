// What a long session does to memory: creates, uses and releases resources of every kind, at random and within bounds, for
// as long as it is asked to, and says now and then how much memory and address space the process has. `cargo xtask soak`
// runs it in every way, watches both processes, and tells what grows.

#include "common.h"
#include "shaders/shaders.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#ifdef _WIN32
#include <psapi.h>
#else
#include <dirent.h>
#endif

using namespace sample;

namespace {

const int EDGE = 256;          // edge of the back buffer
const int LIVE = 160;          // things that live at once
const int LIFE = 240;          // frames that a thing lives at most
const int RESET_EVERY = 700;   // frames
const int DEVICE_EVERY = 4000; // frames between short-lived second devices
const int SHADERS = 96;        // different shaders of each stage

struct Arguments {
    int seconds = 60, interval = 10, managed_mib = 0;
    unsigned seed = 1;
    const char *json = nullptr;
};

/// A small generator of random numbers: the same on every platform.
struct Random {
    uint64_t state;
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<uint32_t>(state >> 33);
    }
    int below(int limit) { return static_cast<int>(next() % static_cast<uint32_t>(limit)); }
    bool chance(int of) { return below(of) == 0; }
    template <typename T, size_t N> T pick(const T (&list)[N]) { return list[below(N)]; }
};

/// What the process has of the machine, in bytes.
struct Memory {
    uint64_t resident = 0, space = 0, largest_free = 0, handles = 0;
};

#ifdef _WIN32
Memory memory() {
    Memory now;
    PROCESS_MEMORY_COUNTERS counters = {};
    if (K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)) now.resident = counters.WorkingSetSize;
    DWORD handles = 0;
    if (GetProcessHandleCount(GetCurrentProcess(), &handles)) now.handles = handles;
    MEMORY_BASIC_INFORMATION block;
    for (char *at = nullptr; VirtualQuery(at, &block, sizeof block); at += block.RegionSize) {
        if (block.State != MEM_FREE) now.space += block.RegionSize;
        else if (block.RegionSize > now.largest_free) now.largest_free = block.RegionSize;
        if (at + block.RegionSize < at) break;
    }
    return now;
}
#else
Memory memory() {
    Memory now;
    if (FILE *file = std::fopen("/proc/self/statm", "r")) {
        unsigned long long pages = 0, resident = 0;
        if (std::fscanf(file, "%llu %llu", &pages, &resident) == 2) {
            now.space = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
            now.resident = resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        }
        std::fclose(file);
    }
    if (DIR *folder = opendir("/proc/self/fd")) {
        while (readdir(folder)) now.handles++;
        closedir(folder);
    }
    return now;
}
#endif

struct Vertex {
    float x, y, z, w;
    D3DCOLOR colour;
    float u, v;
};
const DWORD FVF = D3DFVF_XYZRHW | D3DFVF_DIFFUSE | D3DFVF_TEX1;

struct Soak;

/// Something that is made, used in frames, and released.
struct Thing {
    int life = 0;
    bool of_default_pool = false;
    virtual ~Thing() = default;
    virtual void use(Soak &soak) = 0;
};

struct Soak {
    IDirect3D9 *direct3d = nullptr;
    IDirect3DDevice9 *device = nullptr;
    HWND window = nullptr;
    Random random;
    std::vector<std::unique_ptr<Thing>> things;
    uint64_t made = 0, lost = 0, refused = 0;

    /// Counts what was made. What a driver may refuse is no error; all else is.
    bool made_it(HRESULT result, const char *what) {
        if (SUCCEEDED(result)) {
            made++;
            return true;
        }
        if (result != D3DERR_INVALIDCALL && result != D3DERR_NOTAVAILABLE && result != D3DERR_OUTOFVIDEOMEMORY &&
            result != E_OUTOFMEMORY && result != D3DERR_DEVICELOST)
            fail("%s gave 0x%08lx", what, static_cast<unsigned long>(result));
        refused++;
        return false;
    }

    bool has(D3DFORMAT format, DWORD usage, D3DRESOURCETYPE type) {
        return SUCCEEDED(direct3d->CheckDeviceFormat(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, usage, type, format));
    }

    /// Two triangles somewhere on the target.
    void draw() {
        float x = static_cast<float>(random.below(EDGE)), y = static_cast<float>(random.below(EDGE));
        float size = static_cast<float>(8 + random.below(64));
        D3DCOLOR colour = 0xff000000 | random.next();
        const Vertex quad[4] = {{x, y, 0.5f, 1, colour, 0, 0}, {x + size, y, 0.5f, 1, colour, 1, 0},
                                {x, y + size, 0.5f, 1, colour, 0, 1}, {x + size, y + size, 0.5f, 1, colour, 1, 1}};
        device->SetFVF(FVF);
        device->DrawPrimitiveUP(D3DPT_TRIANGLESTRIP, 2, quad, sizeof(Vertex));
    }

    void draw_with(IDirect3DBaseTexture9 *texture) {
        int stage = random.below(4);
        device->SetTexture(stage, texture);
        if (stage == 0) draw();
        else {
            device->SetTextureStageState(stage, D3DTSS_COLOROP, D3DTOP_ADD);
            draw();
            device->SetTextureStageState(stage, D3DTSS_COLOROP, D3DTOP_DISABLE);
        }
        if (!random.chance(8)) device->SetTexture(stage, nullptr);
    }

    /// Draws to a target, then to the old one again.
    void draw_to(IDirect3DSurface9 *target, IDirect3DSurface9 *depth) {
        IDirect3DSurface9 *old = nullptr, *old_depth = nullptr;
        if (FAILED(device->GetRenderTarget(0, &old))) return;
        device->GetDepthStencilSurface(&old_depth);
        device->SetDepthStencilSurface(nullptr);
        if (SUCCEEDED(device->SetRenderTarget(0, target))) {
            device->SetDepthStencilSurface(depth);
            device->Clear(0, nullptr, D3DCLEAR_TARGET | (depth ? D3DCLEAR_ZBUFFER : 0), random.next(), 1, 0);
            draw();
        }
        device->SetRenderTarget(0, old);
        device->SetDepthStencilSurface(old_depth);
        release(old), release(old_depth);
    }
};

/// Rows of a locked level, written as a program does.
void write_rows(void *bits, int pitch, int rows, int bytes, int value) {
    for (int y = 0; y < rows; y++) std::memset(static_cast<char *>(bits) + static_cast<ptrdiff_t>(y) * pitch, value, bytes);
}

struct Kind {
    D3DFORMAT format;
    int block, bytes;
};
const Kind KINDS[] = {{D3DFMT_A8R8G8B8, 1, 4}, {D3DFMT_X8R8G8B8, 1, 4}, {D3DFMT_R5G6B5, 1, 2}, {D3DFMT_A1R5G5B5, 1, 2},
                      {D3DFMT_A4R4G4B4, 1, 2}, {D3DFMT_L8, 1, 1}, {D3DFMT_A8, 1, 1}, {D3DFMT_A8L8, 1, 2}, {D3DFMT_V8U8, 1, 2},
                      {D3DFMT_Q8W8V8U8, 1, 4}, {D3DFMT_A2R10G10B10, 1, 4}, {D3DFMT_G16R16, 1, 4},
                      {D3DFMT_A16B16G16R16F, 1, 8}, {D3DFMT_R32F, 1, 4}, {D3DFMT_DXT1, 4, 8}, {D3DFMT_DXT3, 4, 16},
                      {D3DFMT_DXT5, 4, 16}};

/// A 2D or cube texture in any pool, with levels, locked in parts.
template <typename Texture> struct Flat final : Thing {
    static constexpr bool CUBE = std::is_same<Texture, IDirect3DCubeTexture9>::value;
    Texture *texture = nullptr, *source = nullptr;
    Kind kind;
    D3DPOOL pool;
    DWORD usage = 0;
    UINT width, height;

    explicit Flat(Soak &soak) {
        kind = soak.random.pick(KINDS);
        const D3DPOOL pools[] = {D3DPOOL_MANAGED, D3DPOOL_MANAGED, D3DPOOL_DEFAULT, D3DPOOL_SYSTEMMEM, D3DPOOL_SCRATCH};
        pool = soak.random.pick(pools);
        of_default_pool = pool == D3DPOOL_DEFAULT;
        if (of_default_pool && soak.random.chance(2)) usage = D3DUSAGE_DYNAMIC;
        if (pool != D3DPOOL_SCRATCH && pool != D3DPOOL_SYSTEMMEM && !(usage & D3DUSAGE_DYNAMIC) && kind.block == 1 &&
            soak.random.chance(4) && soak.has(kind.format, D3DUSAGE_AUTOGENMIPMAP, D3DRTYPE_TEXTURE))
            usage |= D3DUSAGE_AUTOGENMIPMAP;
        width = height = 4u << soak.random.below(CUBE ? 6 : 8);
        if (!CUBE) height = 4u << soak.random.below(8);
        UINT levels = usage & D3DUSAGE_AUTOGENMIPMAP ? 0 : soak.random.below(4);
        while (levels > 1 && (width >> (levels - 1)) == 0) levels--;
        if (!soak.has(kind.format, 0, CUBE ? D3DRTYPE_CUBETEXTURE : D3DRTYPE_TEXTURE)) return;
        if (!soak.made_it(create(soak.device, levels, usage, pool, &texture), "CreateTexture")) return;
        // What cannot be locked is filled from system memory.
        if (of_default_pool && !(usage & (D3DUSAGE_DYNAMIC | D3DUSAGE_AUTOGENMIPMAP)))
            soak.made_it(create(soak.device, texture->GetLevelCount(), 0, D3DPOOL_SYSTEMMEM, &source), "CreateTexture");
    }
    ~Flat() override { release(source), release(texture); }

    HRESULT create(IDirect3DDevice9 *device, UINT levels, DWORD usage, D3DPOOL pool, Texture **out) {
        if constexpr (CUBE) return device->CreateCubeTexture(width, levels, usage, kind.format, pool, out, nullptr);
        else return device->CreateTexture(width, height, levels, usage, kind.format, pool, out, nullptr);
    }

    void write(Soak &soak, Texture *into, DWORD flags) {
        UINT level = soak.random.below(static_cast<int>(into->GetLevelCount()));
        int across = static_cast<int>(width >> level), down = static_cast<int>(height >> level);
        across = across ? across : 1, down = down ? down : 1;
        RECT part = {0, 0, across, soak.random.chance(2) && down > 8 ? down / 8 * 4 : down};
        D3DCUBEMAP_FACES face = static_cast<D3DCUBEMAP_FACES>(soak.random.below(6));
        D3DLOCKED_RECT locked;
        const RECT *rectangle = flags & D3DLOCK_DISCARD ? nullptr : &part;
        HRESULT result;
        if constexpr (CUBE) result = into->LockRect(face, level, &locked, rectangle, flags);
        else result = into->LockRect(level, &locked, rectangle, flags);
        if (FAILED(result)) return;
        int rows = (static_cast<int>(part.bottom) + kind.block - 1) / kind.block;
        write_rows(locked.pBits, locked.Pitch, rows, (across + kind.block - 1) / kind.block * kind.bytes, soak.random.below(256));
        if constexpr (CUBE) into->UnlockRect(face, level);
        else into->UnlockRect(level);
    }

    void use(Soak &soak) override {
        if (!texture) return;
        if (pool == D3DPOOL_DEFAULT) {
            if (source) {
                write(soak, source, 0);
                soak.device->UpdateTexture(source, texture);
            } else if (usage & D3DUSAGE_DYNAMIC) write(soak, texture, soak.random.chance(2) ? D3DLOCK_DISCARD : 0);
        } else if (soak.random.chance(2)) write(soak, texture, soak.random.chance(6) ? D3DLOCK_READONLY : 0);
        if (pool == D3DPOOL_MANAGED) {
            if (soak.random.chance(10)) texture->SetLOD(soak.random.below(3));
            if (soak.random.chance(20)) texture->PreLoad();
            if (soak.random.chance(20)) texture->SetPriority(soak.random.below(100));
        }
        if (pool == D3DPOOL_DEFAULT || pool == D3DPOOL_MANAGED) soak.draw_with(texture);
    }
};

struct Volume final : Thing {
    IDirect3DVolumeTexture9 *texture = nullptr;

    explicit Volume(Soak &soak) {
        of_default_pool = soak.random.chance(2);
        UINT edge = 4u << soak.random.below(4);
        soak.made_it(soak.device->CreateVolumeTexture(edge, edge, edge / 2, 0, of_default_pool ? D3DUSAGE_DYNAMIC : 0, D3DFMT_A8R8G8B8,
                                                      of_default_pool ? D3DPOOL_DEFAULT : D3DPOOL_MANAGED, &texture, nullptr),
                     "CreateVolumeTexture");
    }
    ~Volume() override { release(texture); }
    void use(Soak &soak) override {
        if (!texture) return;
        D3DLOCKED_BOX box;
        D3DVOLUME_DESC desc;
        CHECK(texture->GetLevelDesc(0, &desc));
        if (soak.random.chance(2) && SUCCEEDED(texture->LockBox(0, &box, nullptr, 0))) {
            for (UINT z = 0; z < desc.Depth; z++)
                write_rows(static_cast<char *>(box.pBits) + z * box.SlicePitch, box.RowPitch, desc.Height, desc.Width * 4, z);
            texture->UnlockBox(0);
        }
        soak.draw_with(texture);
    }
};

/// A texture that is drawn to, sampled and read back.
struct Target final : Thing {
    IDirect3DTexture9 *texture = nullptr;
    IDirect3DSurface9 *copy = nullptr, *depth = nullptr;

    explicit Target(Soak &soak) {
        of_default_pool = true;
        const D3DFORMAT formats[] = {D3DFMT_A8R8G8B8, D3DFMT_X8R8G8B8, D3DFMT_R5G6B5, D3DFMT_A16B16G16R16F, D3DFMT_R32F};
        D3DFORMAT format = soak.random.pick(formats);
        UINT edge = 32u << soak.random.below(4);
        DWORD usage = D3DUSAGE_RENDERTARGET | (soak.random.chance(3) ? D3DUSAGE_AUTOGENMIPMAP : 0);
        if (!soak.has(format, usage, D3DRTYPE_TEXTURE)) return;
        soak.made_it(soak.device->CreateTexture(edge, edge, soak.random.below(2), usage, format, D3DPOOL_DEFAULT, &texture, nullptr),
                     "CreateTexture (target)");
        soak.made_it(soak.device->CreateOffscreenPlainSurface(edge, edge, format, D3DPOOL_SYSTEMMEM, &copy, nullptr),
                     "CreateOffscreenPlainSurface");
        const D3DFORMAT depths[] = {D3DFMT_D16, D3DFMT_D24S8, D3DFMT_D24X8};
        soak.made_it(soak.device->CreateDepthStencilSurface(edge, edge, soak.random.pick(depths), D3DMULTISAMPLE_NONE, 0, TRUE, &depth, nullptr),
                     "CreateDepthStencilSurface");
    }
    ~Target() override { release(depth), release(copy), release(texture); }
    void use(Soak &soak) override {
        if (!texture) return;
        IDirect3DSurface9 *surface = nullptr;
        CHECK(texture->GetSurfaceLevel(0, &surface));
        soak.draw_to(surface, depth);
        if (copy && soak.random.chance(12) && SUCCEEDED(soak.device->GetRenderTargetData(surface, copy))) {
            D3DLOCKED_RECT locked;
            if (SUCCEEDED(copy->LockRect(&locked, nullptr, D3DLOCK_READONLY))) copy->UnlockRect();
        }
        if (soak.random.chance(8)) soak.device->ColorFill(surface, nullptr, soak.random.next());
        release(surface);
        soak.draw_with(texture);
    }
};

/// A multisampled target and its depth buffer, resolved to the back buffer.
struct Samples final : Thing {
    IDirect3DSurface9 *colour = nullptr, *depth = nullptr;

    explicit Samples(Soak &soak) {
        of_default_pool = true;
        D3DMULTISAMPLE_TYPE samples = soak.random.chance(2) ? D3DMULTISAMPLE_4_SAMPLES : D3DMULTISAMPLE_2_SAMPLES;
        soak.made_it(soak.device->CreateRenderTarget(EDGE, EDGE, D3DFMT_X8R8G8B8, samples, 0, FALSE, &colour, nullptr), "CreateRenderTarget");
        soak.made_it(soak.device->CreateDepthStencilSurface(EDGE, EDGE, D3DFMT_D24S8, samples, 0, TRUE, &depth, nullptr),
                     "CreateDepthStencilSurface");
    }
    ~Samples() override { release(depth), release(colour); }
    void use(Soak &soak) override {
        if (!colour || !depth) return;
        soak.draw_to(colour, depth);
        IDirect3DSurface9 *back = nullptr;
        if (SUCCEEDED(soak.device->GetRenderTarget(0, &back))) soak.device->StretchRect(colour, nullptr, back, nullptr, D3DTEXF_NONE);
        release(back);
    }
};

/// A plain surface, filled, copied, and on Windows drawn on by GDI.
struct Plain final : Thing {
    IDirect3DSurface9 *surface = nullptr, *twin = nullptr;

    explicit Plain(Soak &soak) {
        of_default_pool = soak.random.chance(2);
        D3DPOOL pool = of_default_pool ? D3DPOOL_DEFAULT : soak.random.chance(2) ? D3DPOOL_SYSTEMMEM : D3DPOOL_SCRATCH;
        UINT edge = 16u << soak.random.below(5);
        soak.made_it(soak.device->CreateOffscreenPlainSurface(edge, edge, D3DFMT_X8R8G8B8, pool, &surface, nullptr), "CreateOffscreenPlainSurface");
        if (pool == D3DPOOL_DEFAULT)
            soak.made_it(soak.device->CreateOffscreenPlainSurface(edge, edge, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &twin, nullptr),
                         "CreateOffscreenPlainSurface");
    }
    ~Plain() override { release(twin), release(surface); }
    void use(Soak &soak) override {
        if (!surface) return;
        D3DLOCKED_RECT locked;
        IDirect3DSurface9 *into = twin ? twin : surface;
        if (SUCCEEDED(into->LockRect(&locked, nullptr, 0))) {
            write_rows(locked.pBits, locked.Pitch, 16, 64, soak.random.below(256));
            into->UnlockRect();
        }
        if (twin) {
            soak.device->UpdateSurface(twin, nullptr, surface, nullptr);
            soak.device->ColorFill(surface, nullptr, soak.random.next());
        }
#ifdef _WIN32
        HDC context;
        if (soak.random.chance(8) && SUCCEEDED(surface->GetDC(&context))) {
            SetPixel(context, 1, 1, RGB(255, 0, 0));
            surface->ReleaseDC(context);
        }
#endif
    }
};

/// Vertices and indices in buffers of any usage.
struct Buffers final : Thing {
    IDirect3DVertexBuffer9 *vertices = nullptr;
    IDirect3DIndexBuffer9 *indices = nullptr;
    DWORD usage = 0;
    UINT count = 0, at = 0;

    explicit Buffers(Soak &soak) {
        const D3DPOOL pools[] = {D3DPOOL_DEFAULT, D3DPOOL_DEFAULT, D3DPOOL_MANAGED, D3DPOOL_SYSTEMMEM};
        D3DPOOL pool = soak.random.pick(pools);
        of_default_pool = pool == D3DPOOL_DEFAULT;
        if (soak.random.chance(2)) usage |= D3DUSAGE_WRITEONLY;
        if (pool != D3DPOOL_MANAGED && soak.random.chance(2)) usage |= D3DUSAGE_DYNAMIC;
        count = 64u << soak.random.below(9);
        bool wide = soak.random.chance(2);
        soak.made_it(soak.device->CreateVertexBuffer(count * sizeof(Vertex), usage, FVF, pool, &vertices, nullptr), "CreateVertexBuffer");
        soak.made_it(soak.device->CreateIndexBuffer(24 * 4, usage, wide ? D3DFMT_INDEX32 : D3DFMT_INDEX16, pool, &indices, nullptr),
                     "CreateIndexBuffer");
        if (!vertices || !indices) return;
        void *bytes;
        if (FAILED(indices->Lock(0, 0, &bytes, 0))) return;
        for (int index = 0; index < 24; index++) {
            if (wide) static_cast<uint32_t *>(bytes)[index] = index;
            else static_cast<uint16_t *>(bytes)[index] = static_cast<uint16_t>(index);
        }
        indices->Unlock();
    }
    ~Buffers() override { release(indices), release(vertices); }
    void use(Soak &soak) override {
        if (!vertices || !indices) return;
        const UINT part = 32;
        DWORD flags = 0;
        if (usage & D3DUSAGE_DYNAMIC) flags = at == 0 ? D3DLOCK_DISCARD : D3DLOCK_NOOVERWRITE;
        void *bytes;
        if (FAILED(vertices->Lock(at * sizeof(Vertex), part * sizeof(Vertex), &bytes, flags))) return;
        for (UINT index = 0; index < part; index++)
            static_cast<Vertex *>(bytes)[index] = {static_cast<float>(soak.random.below(EDGE)), static_cast<float>(soak.random.below(EDGE)), 0.5f, 1,
                                                   soak.random.next() | 0xff000000, 0, 0};
        vertices->Unlock();
        soak.device->SetFVF(FVF);
        soak.device->SetStreamSource(0, vertices, 0, sizeof(Vertex));
        soak.device->SetIndices(indices);
        soak.device->DrawPrimitive(D3DPT_TRIANGLELIST, at, 4);
        soak.device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, static_cast<INT>(at), 0, 24, 0, 4);
        if (!soak.random.chance(8)) soak.device->SetStreamSource(0, nullptr, 0, 0), soak.device->SetIndices(nullptr);
        at = at + 2 * part <= count ? at + part : 0;
    }
};

/// Shaders of their own constants, with a declaration.
struct Shading final : Thing {
    IDirect3DVertexShader9 *vertex = nullptr;
    IDirect3DPixelShader9 *pixel = nullptr;
    IDirect3DVertexDeclaration9 *declaration = nullptr;

    explicit Shading(Soak &soak) {
        float red = static_cast<float>(soak.random.below(SHADERS)) / SHADERS;
        std::vector<DWORD> ps(shaders::bench_ps, shaders::bench_ps + sizeof shaders::bench_ps / 4);
        std::memcpy(&ps[3], &red, 4); // the first value of `def c0`
        soak.made_it(soak.device->CreatePixelShader(ps.data(), &pixel), "CreatePixelShader");
        soak.made_it(soak.device->CreateVertexShader(shaders::bench_vs, &vertex), "CreateVertexShader");
        const D3DVERTEXELEMENT9 elements[] = {{0, 0, D3DDECLTYPE_FLOAT4, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_POSITION, 0},
                                              {0, 16, D3DDECLTYPE_D3DCOLOR, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_COLOR, 0},
                                              {0, 20, D3DDECLTYPE_FLOAT2, D3DDECLMETHOD_DEFAULT, D3DDECLUSAGE_TEXCOORD, 0},
                                              D3DDECL_END()};
        soak.made_it(soak.device->CreateVertexDeclaration(elements, &declaration), "CreateVertexDeclaration");
    }
    ~Shading() override { release(declaration), release(pixel), release(vertex); }
    void use(Soak &soak) override {
        const Vertex corners[3] = {{-1, -1, 0.5f, 1, 0xffffffff, 0, 0}, {0, 1, 0.5f, 1, 0xffffffff, 0, 1}, {1, -1, 0.5f, 1, 0xffffffff, 1, 0}};
        soak.device->SetVertexDeclaration(declaration);
        soak.device->SetVertexShader(vertex);
        soak.device->SetPixelShader(pixel);
        const float value[4] = {static_cast<float>(soak.random.below(100)) / 100, 0, 0, 0};
        soak.device->SetVertexShaderConstantF(0, value, 1);
        soak.device->DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, corners, sizeof(Vertex));
        soak.device->SetVertexShader(nullptr);
        soak.device->SetPixelShader(nullptr);
    }
};

struct Block final : Thing {
    IDirect3DStateBlock9 *block = nullptr;

    explicit Block(Soak &soak) {
        of_default_pool = true; // a Reset asks for no state blocks
        if (soak.random.chance(2)) {
            const D3DSTATEBLOCKTYPE types[] = {D3DSBT_ALL, D3DSBT_PIXELSTATE, D3DSBT_VERTEXSTATE};
            soak.made_it(soak.device->CreateStateBlock(soak.random.pick(types), &block), "CreateStateBlock");
            return;
        }
        CHECK(soak.device->BeginStateBlock());
        soak.device->SetRenderState(D3DRS_FOGENABLE, FALSE);
        soak.device->SetSamplerState(0, D3DSAMP_MINFILTER, D3DTEXF_LINEAR);
        soak.device->SetTexture(5, nullptr);
        soak.made_it(soak.device->EndStateBlock(&block), "EndStateBlock");
    }
    ~Block() override { release(block); }
    void use(Soak &soak) override {
        if (block && soak.random.chance(2)) block->Capture();
        else if (block) block->Apply();
    }
};

struct Query final : Thing {
    IDirect3DQuery9 *query = nullptr;
    D3DQUERYTYPE type;

    explicit Query(Soak &soak) {
        of_default_pool = true;
        const D3DQUERYTYPE types[] = {D3DQUERYTYPE_EVENT, D3DQUERYTYPE_OCCLUSION, D3DQUERYTYPE_TIMESTAMP, D3DQUERYTYPE_TIMESTAMPFREQ,
                                      D3DQUERYTYPE_TIMESTAMPDISJOINT};
        type = soak.random.pick(types);
        soak.made_it(soak.device->CreateQuery(type, &query), "CreateQuery");
    }
    ~Query() override { release(query); }
    void use(Soak &soak) override {
        if (!query) return;
        if (type == D3DQUERYTYPE_OCCLUSION || type == D3DQUERYTYPE_TIMESTAMPDISJOINT) query->Issue(D3DISSUE_BEGIN);
        soak.draw();
        query->Issue(D3DISSUE_END);
        char data[64];
        if (soak.random.chance(2)) query->GetData(data, query->GetDataSize(), soak.random.chance(2) ? D3DGETDATA_FLUSH : 0);
    }
};

/// An additional swap chain.
struct Chain final : Thing {
    IDirect3DSwapChain9 *chain = nullptr;

    explicit Chain(Soak &soak) {
        of_default_pool = true;
        Options options;
        options.width = options.height = 64 << soak.random.below(2);
        D3DPRESENT_PARAMETERS parameters = present_parameters(options, soak.window);
        parameters.EnableAutoDepthStencil = FALSE;
        soak.made_it(soak.device->CreateAdditionalSwapChain(&parameters, &chain), "CreateAdditionalSwapChain");
    }
    ~Chain() override { release(chain); }
    void use(Soak &soak) override {
        IDirect3DSurface9 *back = nullptr;
        if (!chain || FAILED(chain->GetBackBuffer(0, D3DBACKBUFFER_TYPE_MONO, &back))) return;
        soak.draw_to(back, nullptr);
        release(back);
        chain->Present(nullptr, nullptr, nullptr, nullptr, 0);
    }
};

std::unique_ptr<Thing> make(Soak &soak) {
    switch (soak.random.below(24)) {
    case 0: case 1: case 2: case 3: case 4: case 5: return std::make_unique<Flat<IDirect3DTexture9>>(soak);
    case 6: case 7: return std::make_unique<Flat<IDirect3DCubeTexture9>>(soak);
    case 8: return std::make_unique<Volume>(soak);
    case 9: case 10: return std::make_unique<Target>(soak);
    case 11: return std::make_unique<Samples>(soak);
    case 12: case 13: return std::make_unique<Plain>(soak);
    case 14: case 15: case 16: case 17: return std::make_unique<Buffers>(soak);
    case 18: case 19: return std::make_unique<Shading>(soak);
    case 20: return std::make_unique<Block>(soak);
    case 21: case 22: return std::make_unique<Query>(soak);
    default: return soak.random.chance(4) ? std::unique_ptr<Thing>(std::make_unique<Chain>(soak)) : std::make_unique<Query>(soak);
    }
}

D3DPRESENT_PARAMETERS parameters_of(Soak &soak, int size) {
    Options options;
    options.width = options.height = size;
    return present_parameters(options, soak.window);
}

/// Releases what a Reset asks for, and resets until the device is there again.
void reset(Soak &soak) {
    for (DWORD stage = 0; stage < 8; stage++) soak.device->SetTexture(stage, nullptr);
    soak.device->SetStreamSource(0, nullptr, 0, 0);
    soak.device->SetIndices(nullptr);
    std::vector<std::unique_ptr<Thing>> kept;
    for (std::unique_ptr<Thing> &thing : soak.things)
        if (!thing->of_default_pool) kept.push_back(std::move(thing));
    soak.things = std::move(kept);
    for (int tries = 0; tries < 1200; tries++) {
        D3DPRESENT_PARAMETERS parameters = parameters_of(soak, soak.random.chance(2) ? EDGE : EDGE / 2);
        HRESULT state = soak.device->TestCooperativeLevel();
        if (state != D3DERR_DEVICELOST) {
            HRESULT result = soak.device->Reset(&parameters);
            if (SUCCEEDED(result)) return;
            if (result != D3DERR_DEVICELOST) fail("Reset gave 0x%08lx", static_cast<unsigned long>(result));
        }
        SAMPLE_SLEEP(50);
        keep_going(soak.window);
    }
    fail("the device was lost and did not come back within a minute");
}

IDirect3DDevice9 *create_device(Soak &soak, IDirect3D9 *direct3d) {
    D3DPRESENT_PARAMETERS parameters = parameters_of(soak, EDGE);
    IDirect3DDevice9 *device = nullptr;
    HRESULT result = direct3d->CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, soak.window, D3DCREATE_HARDWARE_VERTEXPROCESSING, &parameters, &device);
    if (FAILED(result)) fail("CreateDevice gave 0x%08lx", static_cast<unsigned long>(result));
    return device;
}

/// Another device comes, draws nothing, and goes.
void second_device(Soak &soak) {
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    if (!direct3d) fail("Direct3DCreate9 gave nothing");
    IDirect3DDevice9 *device = create_device(soak, direct3d);
    device->Clear(0, nullptr, D3DCLEAR_TARGET, 0, 1, 0);
    device->Present(nullptr, nullptr, nullptr, nullptr);
    if (ULONG left = device->Release()) fail("%lu references to the second device are left", left);
    release(direct3d);
    soak.made++;
}

/// How many managed textures of 4 MiB a process can have: asks for `megabytes`, writes each, draws with each.
int managed(Soak &soak, int megabytes) {
    std::vector<IDirect3DTexture9 *> textures;
    for (int have = 0; have < megabytes; have += 4) {
        IDirect3DTexture9 *texture = nullptr;
        HRESULT result = soak.device->CreateTexture(1024, 1024, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr);
        D3DLOCKED_RECT locked;
        if (SUCCEEDED(result)) result = texture->LockRect(0, &locked, nullptr, 0);
        if (FAILED(result)) {
            std::printf("managed: the texture after %d MiB gave 0x%08lx\n", have, static_cast<unsigned long>(result));
            return 1;
        }
        write_rows(locked.pBits, locked.Pitch, 1024, 4096, have / 4 % 251);
        CHECK(texture->UnlockRect(0));
        textures.push_back(texture);
        if (have % 256 == 0) {
            Memory now = memory();
            std::printf("managed: %d MiB, address space %llu MiB, largest free block %llu MiB\n", have, static_cast<unsigned long long>(now.space >> 20),
                        static_cast<unsigned long long>(now.largest_free >> 20));
            std::fflush(stdout);
        }
    }
    for (size_t index = 0; index < textures.size(); index++) {
        D3DLOCKED_RECT locked;
        CHECK(textures[index]->LockRect(0, &locked, nullptr, D3DLOCK_READONLY));
        unsigned char first = *static_cast<unsigned char *>(locked.pBits), last = static_cast<unsigned char *>(locked.pBits)[(4 << 20) - 1];
        if (first != index % 251 || last != index % 251) fail("texture %zu holds %d and %d instead of %zu", index, first, last, index % 251);
        CHECK(textures[index]->UnlockRect(0));
    }
    for (IDirect3DTexture9 *&texture : textures) release(texture);
    std::printf("managed: %d MiB written and read back\n", megabytes);
    return 0;
}

Arguments arguments_of(int count, char **words) {
    Arguments arguments;
    for (int at = 1; at < count; at++) {
        const std::string word = words[at];
        const bool more = at + 1 < count;
        if (word == "--seconds" && more) arguments.seconds = std::atoi(words[++at]);
        else if (word == "--interval" && more) arguments.interval = std::atoi(words[++at]);
        else if (word == "--seed" && more) arguments.seed = static_cast<unsigned>(std::atoi(words[++at]));
        else if (word == "--managed" && more) arguments.managed_mib = std::atoi(words[++at]);
        else if (word == "--json" && more) arguments.json = words[++at];
        else {
            const bool help = word == "--help" || word == "-h";
            std::fprintf(help ? stdout : stderr,
                         "Creates, uses and releases resources of every kind, and says what memory the process has.\n\n"
                         "usage: %s [--seconds N] [--interval N] [--seed N] [--json FILE] [--managed MIB]\n"
                         "  --seconds N    how long (60)\n  --interval N   seconds from one report to the next (10)\n"
                         "  --seed N       of the random choices (1)\n  --json F       write a line of JSON for each report\n"
                         "  --managed M    instead: M MiB of managed textures at once, written and read back\n",
                         words[0]);
            std::exit(help ? 0 : 2);
        }
    }
    if (arguments.seconds < 1 || arguments.interval < 1) fail("--seconds and --interval take numbers from 1 on");
    return arguments;
}

void frame(Soak &soak, uint64_t number) {
    while (static_cast<int>(soak.things.size()) < LIVE) {
        soak.things.push_back(make(soak));
        soak.things.back()->life = 1 + soak.random.below(LIFE);
    }
    soak.device->BeginScene();
    soak.device->Clear(0, nullptr, D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER | D3DCLEAR_STENCIL, soak.random.next(), 1, 0);
    for (std::unique_ptr<Thing> &thing : soak.things) {
        if (soak.random.chance(4)) thing->use(soak);
        thing->life--;
    }
    soak.device->EndScene();
    for (size_t index = 0; index < soak.things.size();) {
        if (soak.things[index]->life > 0) {
            index++;
            continue;
        }
        std::swap(soak.things[index], soak.things.back());
        soak.things.pop_back();
    }
    HRESULT presented = soak.device->Present(nullptr, nullptr, nullptr, nullptr);
    const bool lost = presented == D3DERR_DEVICELOST || presented == D3DERR_DEVICENOTRESET;
    if (!lost) CHECK(presented);
    soak.lost += lost;
    if (lost || number % RESET_EVERY == RESET_EVERY - 1) reset(soak);
    if (number % DEVICE_EVERY == DEVICE_EVERY / 2) second_device(soak);
    if (number % 500 == 499) soak.device->EvictManagedResources();
}

} // namespace

int main(int count, char **words) {
    const Arguments arguments = arguments_of(count, words);
    Soak soak;
    soak.random = {arguments.seed};
    Options options;
    options.width = options.height = EDGE;
    soak.window = open_window(options, "soak");
    soak.direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    if (!soak.direct3d) fail("Direct3DCreate9 gave nothing");
    soak.device = create_device(soak, soak.direct3d);
    if (arguments.managed_mib > 0) {
        int result = managed(soak, arguments.managed_mib);
        release(soak.device), release(soak.direct3d);
        return result;
    }
    FILE *json = arguments.json ? std::fopen(arguments.json, "w") : nullptr;
    if (arguments.json && !json) fail("cannot write %s", arguments.json);
    const auto start = std::chrono::steady_clock::now();
    uint64_t frames = 0;
    int next = 0;
    for (;;) {
        const int seconds = static_cast<int>(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (seconds >= next) {
            const Memory now = memory();
            std::printf("%6d s  %8llu frames  %9llu resources  %3llu lost  resident %6llu MiB  address space %6llu MiB  largest free %6llu MiB  "
                        "%4llu handles\n",
                        seconds, static_cast<unsigned long long>(frames), static_cast<unsigned long long>(soak.made),
                        static_cast<unsigned long long>(soak.lost), static_cast<unsigned long long>(now.resident >> 20),
                        static_cast<unsigned long long>(now.space >> 20), static_cast<unsigned long long>(now.largest_free >> 20),
                        static_cast<unsigned long long>(now.handles));
            std::fflush(stdout);
            if (json) {
                std::fprintf(json,
                             "{\"seconds\":%d,\"frames\":%llu,\"resources\":%llu,\"refused\":%llu,\"lost\":%llu,\"resident\":%llu,\"space\":%llu,"
                             "\"largest_free\":%llu,\"handles\":%llu}\n",
                             seconds, static_cast<unsigned long long>(frames), static_cast<unsigned long long>(soak.made),
                             static_cast<unsigned long long>(soak.refused), static_cast<unsigned long long>(soak.lost),
                             static_cast<unsigned long long>(now.resident), static_cast<unsigned long long>(now.space),
                             static_cast<unsigned long long>(now.largest_free), static_cast<unsigned long long>(now.handles));
                std::fflush(json);
            }
            next = (seconds / arguments.interval + 1) * arguments.interval;
        }
        if (seconds >= arguments.seconds || !keep_going(soak.window)) break;
        frame(soak, frames++);
    }
    if (json) std::fclose(json);
    for (DWORD stage = 0; stage < 8; stage++) soak.device->SetTexture(stage, nullptr);
    soak.device->SetStreamSource(0, nullptr, 0, 0);
    soak.device->SetIndices(nullptr);
    soak.things.clear();
    if (ULONG left = soak.device->Release()) fail("%lu references to the device are left", left);
    release(soak.direct3d);
    return 0;
}
