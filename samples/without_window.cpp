// What a native library asks SDL 2 for at its start, answered where there is neither a display nor a window.
//
// DXVK's native library looks SDL up by the name of its file and does not start without it, even for a program that has no
// window. `cargo xtask bench d3d9 --floor` compiles this under that name and runs such a library with it, so that all that it
// compares are without a window alike. There is one screen, and no surface.

#include <cstdint>

namespace {

/// SDL 2's SDL_DisplayMode.
struct Mode {
    uint32_t format;
    int width, height, refresh_rate;
    void *data;
};

/// SDL 2's SDL_Rect.
struct Area {
    int x, y, width, height;
};

const uint32_t XRGB8888 = 0x16161804;
const Mode SCREEN = {XRGB8888, 1280, 1024, 60, nullptr};

int give(Mode *mode) {
    *mode = SCREEN;
    return 0;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int SDL_GetNumVideoDisplays() { return 1; }
EXPORT int SDL_GetNumDisplayModes(int) { return 1; }
EXPORT int SDL_GetDisplayMode(int, int index, Mode *mode) { return index == 0 ? give(mode) : -1; }
EXPORT int SDL_GetCurrentDisplayMode(int, Mode *mode) { return give(mode); }
EXPORT int SDL_GetDesktopDisplayMode(int, Mode *mode) { return give(mode); }
EXPORT Mode *SDL_GetClosestDisplayMode(int, const Mode *, Mode *closest) { return give(closest), closest; }
EXPORT int SDL_GetDisplayBounds(int, Area *area) { return *area = {0, 0, SCREEN.width, SCREEN.height}, 0; }
EXPORT const char *SDL_GetDisplayName(int) { return "none"; }
EXPORT const char *SDL_GetError() { return "there is no window"; }
EXPORT int SDL_GetWindowDisplayIndex(void *) { return 0; }
EXPORT int SDL_SetWindowDisplayMode(void *, const Mode *) { return -1; }
EXPORT int SDL_SetWindowFullscreen(void *, uint32_t) { return -1; }
EXPORT uint32_t SDL_GetWindowFlags(void *) { return 0; }
EXPORT void SDL_GetWindowSize(void *, int *width, int *height) {
    if (width) *width = 0;
    if (height) *height = 0;
}
EXPORT void SDL_SetWindowSize(void *, int, int) {}
EXPORT int SDL_Vulkan_LoadLibrary(const char *) { return 0; }
EXPORT int SDL_Vulkan_CreateSurface(void *, void *, uint64_t *) { return 0; }
EXPORT int SDL_Vulkan_GetInstanceExtensions(void *, unsigned *count, const char **names) {
    if (!names) *count = 1;
    else if (*count) names[0] = "VK_KHR_surface", *count = 1;
    return 1;
}
