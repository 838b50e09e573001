// What SDL2's own Direct3D 9 renderer draws: textures with every blend mode and a colour, turned and flipped; planar YUV, which it
// converts in pixel shaders; a render target; geometry; lines, points, a clip rectangle and a scale. SDL2.dll is loaded at run
// time; the few declarations are ours. Writes what SDL reads back to picture.ppm.
#include <windows.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Rect { int x, y, w, h; };
struct Point { float x, y; };
struct Colour { uint8_t r, g, b, a; };
struct Vertex { Point at; Colour colour; Point texture; };
struct Window;
struct Renderer;
struct Texture;
struct RendererInfo { const char *name; uint32_t flags, formats; uint32_t format[16]; int width, height; };

const uint32_t VIDEO = 0x20, ARGB8888 = 0x16362004, RGB24 = 0x17101803, YV12 = 0x32315659;
const int STATIC = 0, STREAMING = 1, TARGET = 2, WIDTH = 640, HEIGHT = 480;
const uint32_t ACCELERATED = 2, TARGET_TEXTURE = 8;

[[noreturn]] void fail(const char *what, const char *why) {
    std::fprintf(stderr, "error: %s: %s\n", what, why);
    std::exit(1);
}

HMODULE library() {
    static HMODULE sdl = LoadLibraryA("SDL2.dll");
    if (!sdl) fail("LoadLibrary", "there is no SDL2.dll");
    return sdl;
}

/// A function of SDL2.
template <typename Result, typename... Arguments> Result call(const char *name, Arguments... arguments) {
    FARPROC function = GetProcAddress(library(), name);
    if (!function) fail(name, "not in SDL2.dll");
    return reinterpret_cast<Result(__cdecl *)(Arguments...)>(reinterpret_cast<void *>(function))(arguments...);
}

/// A function of SDL2 that returns less than zero when it fails.
template <typename... Arguments> void must(const char *name, Arguments... arguments) {
    if (call<int>(name, arguments...) < 0) fail(name, call<const char *>("SDL_GetError"));
}

/// A function of SDL2 that returns null when it fails.
template <typename Result, typename... Arguments> Result *made(const char *name, Arguments... arguments) {
    Result *result = call<Result *>(name, arguments...);
    if (!result) fail(name, call<const char *>("SDL_GetError"));
    return result;
}

/// The index of the Direct3D 9 renderer.
int direct3d() {
    for (int index = 0; index < call<int>("SDL_GetNumRenderDrivers"); index++) {
        RendererInfo info = {};
        must("SDL_GetRenderDriverInfo", index, &info);
        if (!std::strcmp(info.name, "direct3d")) return index;
    }
    fail("SDL_GetRenderDriverInfo", "there is no direct3d");
}

Texture *rings(Renderer *renderer) {
    const int size = 64;
    std::vector<uint32_t> texels(size * size);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) {
            int distance = (x - 32) * (x - 32) + (y - 32) * (y - 32);
            uint32_t alpha = distance < 1024 ? 255 - distance / 8 : 0;
            texels[y * size + x] = alpha << 24 | (x * 4) << 16 | (y * 4) << 8 | ((distance / 64) & 1) * 200;
        }
    Texture *texture = made<Texture>("SDL_CreateTexture", renderer, ARGB8888, STATIC, size, size);
    must("SDL_UpdateTexture", texture, static_cast<const Rect *>(nullptr), static_cast<const void *>(texels.data()), size * 4);
    return texture;
}

Texture *planar(Renderer *renderer) {
    const int size = 64;
    std::vector<uint8_t> planes(size * size * 3 / 2);
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++) planes[y * size + x] = static_cast<uint8_t>(64 + 2 * x);
    for (int y = 0; y < size / 2; y++)
        for (int x = 0; x < size / 2; x++) {
            planes[size * size + y * size / 2 + x] = static_cast<uint8_t>(8 * y);
            planes[size * size * 5 / 4 + y * size / 2 + x] = static_cast<uint8_t>(255 - 8 * x);
        }
    Texture *texture = made<Texture>("SDL_CreateTexture", renderer, YV12, STREAMING, size, size);
    must("SDL_UpdateTexture", texture, static_cast<const Rect *>(nullptr), static_cast<const void *>(planes.data()), size);
    return texture;
}

void colour(Renderer *renderer, int r, int g, int b, int a = 255) {
    must("SDL_SetRenderDrawColor", renderer, uint8_t(r), uint8_t(g), uint8_t(b), uint8_t(a));
}

void draw(Renderer *renderer, Texture *texture, Texture *video, Texture *target) {
    must("SDL_SetRenderTarget", renderer, target);
    colour(renderer, 90, 20, 60);
    must("SDL_RenderClear", renderer);
    Rect middle = {16, 16, 96, 96};
    must("SDL_RenderCopy", renderer, texture, static_cast<const Rect *>(nullptr), &middle);
    must("SDL_SetRenderTarget", renderer, static_cast<Texture *>(nullptr));
    colour(renderer, 30, 40, 70);
    must("SDL_RenderClear", renderer);
    const int blends[] = {0, 1, 2, 4, 8};
    for (int index = 0; index < 5; index++) {
        Rect place = {16 + 124 * index, 16, 112, 112};
        must("SDL_SetTextureBlendMode", texture, blends[index]);
        must("SDL_SetTextureColorMod", texture, uint8_t(255 - 30 * index), uint8_t(255), uint8_t(130 + 30 * index));
        must("SDL_SetTextureAlphaMod", texture, uint8_t(255 - 25 * index));
        must("SDL_RenderCopyEx", renderer, texture, static_cast<const Rect *>(nullptr), &place, 12.5 * index,
             static_cast<const void *>(nullptr), index % 4);
    }
    must("SDL_SetTextureBlendMode", texture, 1);
    Rect video_place = {16, 150, 180, 140}, target_place = {216, 150, 140, 140};
    must("SDL_RenderCopy", renderer, video, static_cast<const Rect *>(nullptr), &video_place);
    must("SDL_RenderCopyEx", renderer, target, static_cast<const Rect *>(nullptr), &target_place, 0.0, static_cast<const void *>(nullptr), 2);
    Vertex fan[] = {{{420, 150}, {255, 0, 0, 255}, {0.5f, 0}},
                    {{600, 200}, {0, 255, 0, 255}, {1, 0.5f}},
                    {{540, 300}, {0, 0, 255, 255}, {0.8f, 1}},
                    {{390, 280}, {255, 255, 0, 90}, {0, 1}}};
    const int indices[] = {0, 1, 2, 0, 2, 3};
    must("SDL_RenderGeometry", renderer, texture, static_cast<const Vertex *>(fan), 4, static_cast<const int *>(indices), 6);
    must("SDL_SetRenderDrawBlendMode", renderer, 1);
    for (int index = 0; index < 40; index++) {
        colour(renderer, 255 - 6 * index, 6 * index, 128, 160);
        must("SDL_RenderDrawLine", renderer, 20 + 7 * index, 460, 300, 310 + index);
        must("SDL_RenderDrawPoint", renderer, 320 + 3 * index, 320 + (index * 37) % 100);
    }
    Rect clip = {460, 330, 120, 100};
    must("SDL_RenderSetClipRect", renderer, &clip);
    must("SDL_RenderSetScale", renderer, 2.0f, 2.0f);
    for (int index = 0; index < 8; index++) {
        Rect box = {220 + 8 * index, 160 + 6 * index, 30, 18};
        colour(renderer, 30 * index, 200, 255 - 30 * index, 120);
        must("SDL_RenderFillRect", renderer, &box);
        colour(renderer, 255, 255, 255);
        must("SDL_RenderDrawRect", renderer, &box);
    }
    must("SDL_RenderSetScale", renderer, 1.0f, 1.0f);
    must("SDL_RenderSetClipRect", renderer, static_cast<const Rect *>(nullptr));
}

} // namespace

int main() {
    must("SDL_Init", VIDEO);
    Window *window = made<Window>("SDL_CreateWindow", "sdl", 0, 0, WIDTH, HEIGHT, uint32_t(4));
    Renderer *renderer = made<Renderer>("SDL_CreateRenderer", window, direct3d(), ACCELERATED | TARGET_TEXTURE);
    must("SDL_SetHint", "SDL_RENDER_SCALE_QUALITY", "linear");
    Texture *texture = rings(renderer), *video = planar(renderer);
    Texture *target = made<Texture>("SDL_CreateTexture", renderer, ARGB8888, TARGET, 128, 128);
    std::vector<uint8_t> pixels(WIDTH * HEIGHT * 3);
    for (int frame = 0; frame < 3; frame++) {
        draw(renderer, texture, video, target);
        must("SDL_RenderReadPixels", renderer, static_cast<const Rect *>(nullptr), RGB24, static_cast<void *>(pixels.data()), WIDTH * 3);
        call<void>("SDL_RenderPresent", renderer);
    }
    FILE *file = std::fopen("picture.ppm", "wb");
    if (!file) fail("picture.ppm", "cannot be written");
    std::fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    std::fwrite(pixels.data(), 1, pixels.size(), file);
    if (std::fclose(file)) fail("picture.ppm", "cannot be written");
    return 0;
}
