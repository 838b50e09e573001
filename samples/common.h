// What the sample programs share: arguments, a window or none, a device, the frame loop, errors with their HRESULT.
//
// One source for Windows (mingw, the system's own d3d9.h) and for Linux (the headers that Afterimage installs). Nothing
// here depends on the clock or on random numbers: a frame's picture depends on its number alone, so that the pictures of
// two runs can be compared pixel by pixel.
#pragma once

#include <d3d9.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef _WIN32
#include <psapi.h>
#define SAMPLE_SLEEP(ms) Sleep(ms)
#define SAMPLE_YIELD() Sleep(0)
#else
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>
#define SAMPLE_SLEEP(ms) usleep((ms) * 1000)
#define SAMPLE_YIELD() sched_yield()
#endif

namespace sample {

/// Ends the program with a message on the error output.
[[noreturn]] inline void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "error: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\n");
    va_end(arguments);
    std::exit(1);
}

inline void check(HRESULT result, const char *call, const char *file, int line) {
    if (FAILED(result)) fail("%s:%d: %s gave 0x%08lx", file, line, call, static_cast<unsigned long>(result));
}

/// Ends the program when a Direct3D call fails, naming call, place and HRESULT.
#define CHECK(call) ::sample::check((call), #call, __FILE__, __LINE__)

/// Calls Release and forgets the pointer.
template <typename T> void release(T *&object) {
    if (object) object->Release();
    object = nullptr;
}

/// The most memory that this process has had at once, in KiB; 0 where the system does not say.
inline unsigned long peak_kib() {
#ifdef _WIN32
    PROCESS_MEMORY_COUNTERS counters = {};
    // Newer Windows has it in kernel32, so that nothing more is linked.
    using Ask = BOOL(WINAPI *)(HANDLE, PROCESS_MEMORY_COUNTERS *, DWORD);
    FARPROC ask = GetProcAddress(GetModuleHandleA("kernel32.dll"), "K32GetProcessMemoryInfo");
    if (!ask || !reinterpret_cast<Ask>(reinterpret_cast<void *>(ask))(GetCurrentProcess(), &counters, sizeof counters)) return 0;
    return static_cast<unsigned long>(counters.PeakWorkingSetSize / 1024);
#else
    unsigned long kib = 0;
    char line[256];
    FILE *status = std::fopen("/proc/self/status", "r");
    while (status && std::fgets(line, sizeof line, status) && std::sscanf(line, "VmHWM: %lu", &kib) != 1) {}
    if (status) std::fclose(status);
    return kib;
#endif
}

/// The command line.
struct Options {
    int frames = 60;     ///< how many frames to draw
    int width = 640;     ///< of the back buffer, in pixels
    int height = 480;    ///< of the back buffer, in pixels
    bool window = false; ///< natively: open a window through SDL instead of none (Windows programs always have one)
    const char *save = nullptr; ///< file for the last frame, read back from the back buffer
    bool d3dx = false;   ///< teapot, Windows: take the mesh from D3DXCreateTeapot
};

inline Options parse(int count, char **words, const char *what) {
    Options options;
    auto number = [&](int &at) {
        if (at + 1 >= count) fail("%s needs a number", words[at]);
        int value = std::atoi(words[++at]);
        if (value < 1 || value > 1000000) fail("%s: %s is not a number from 1 to 1000000", words[at - 1], words[at]);
        return value;
    };
    for (int at = 1; at < count; at++) {
        if (!std::strcmp(words[at], "--frames")) options.frames = number(at);
        else if (!std::strcmp(words[at], "--width")) options.width = number(at);
        else if (!std::strcmp(words[at], "--height")) options.height = number(at);
        else if (!std::strcmp(words[at], "--save")) {
            if (at + 1 >= count) fail("--save needs a file name");
            options.save = words[++at];
        } else if (!std::strcmp(words[at], "--window")) options.window = true;
        else if (!std::strcmp(words[at], "--d3dx")) options.d3dx = true;
        else {
            bool help = !std::strcmp(words[at], "--help") || !std::strcmp(words[at], "-h");
            std::fprintf(help ? stdout : stderr,
                         "%s\n\nusage: %s [--frames N] [--width W] [--height H] [--save FILE.ppm]\n       [--window] [--d3dx]\n"
                         "  --frames N   frames to draw (60)\n  --width W, --height H   size in pixels (640x480)\n"
                         "  --save F     read the last frame back and write it as a PPM picture\n"
                         "  --window     native programs: open a window through SDL2 (none otherwise)\n"
                         "  --d3dx       teapot on Windows: use the mesh of D3DXCreateTeapot\n",
                         what, words[0]);
            std::exit(help ? 0 : 2);
        }
    }
    return options;
}

#ifdef _WIN32
inline LRESULT CALLBACK window_procedure(HWND window, UINT message, WPARAM w, LPARAM l) {
    if (message == WM_CLOSE) {
        PostQuitMessage(0);
        return 0;
    }
    return DefWindowProcA(window, message, w, l);
}

inline HWND open_window(const Options &options, const char *title) {
    WNDCLASSA window_class = {};
    window_class.lpfnWndProc = window_procedure;
    window_class.hInstance = GetModuleHandleA(nullptr);
    window_class.lpszClassName = "afterimage sample";
    RegisterClassA(&window_class);
    RECT box = {0, 0, options.width, options.height};
    AdjustWindowRect(&box, WS_OVERLAPPEDWINDOW, FALSE);
    HWND window = CreateWindowA("afterimage sample", title, WS_OVERLAPPEDWINDOW | WS_VISIBLE, 40, 40, box.right - box.left,
                                box.bottom - box.top, nullptr, nullptr, window_class.hInstance, nullptr);
    if (!window) fail("CreateWindow failed with error %lu", GetLastError());
    return window;
}

/// Handles what the window has to say; false when the user closed it.
inline bool keep_going(HWND) {
    MSG message;
    while (PeekMessageA(&message, nullptr, 0, 0, PM_REMOVE)) {
        if (message.message == WM_QUIT) return false;
        TranslateMessage(&message);
        DispatchMessageA(&message);
    }
    return true;
}
#else
// SDL2 is looked up at run time, so that the program needs neither its headers nor its library without a window.
struct Sdl {
    int (*init)(uint32_t);
    void *(*create_window)(const char *, int, int, int, int, uint32_t);
    int (*poll_event)(void *);
};

inline Sdl &sdl() {
    static Sdl functions = {};
    return functions;
}

inline HWND open_window(const Options &options, const char *title) {
    if (!options.window) return nullptr;
    void *library = dlopen("libSDL2-2.0.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library) fail("--window needs SDL2 (Debian: apt-get install libsdl2-2.0-0): %s", dlerror());
    auto look_up = [&](const char *name) {
        void *symbol = dlsym(library, name);
        if (!symbol) fail("SDL2 has no %s", name);
        return symbol;
    };
    sdl().init = reinterpret_cast<int (*)(uint32_t)>(look_up("SDL_Init"));
    sdl().create_window =
        reinterpret_cast<void *(*)(const char *, int, int, int, int, uint32_t)>(look_up("SDL_CreateWindow"));
    sdl().poll_event = reinterpret_cast<int (*)(void *)>(look_up("SDL_PollEvent"));
    const uint32_t init_video = 0x20, window_vulkan = 0x10000000, centred = 0x2fff0000;
    if (sdl().init(init_video)) fail("SDL_Init failed");
    void *window = sdl().create_window(title, centred, centred, options.width, options.height, window_vulkan);
    if (!window) fail("SDL_CreateWindow failed");
    return reinterpret_cast<HWND>(window);
}

/// Handles what the window has to say; false when the user closed it.
inline bool keep_going(HWND window) {
    if (!window) return true;
    alignas(8) unsigned char event[128] = {};
    const uint32_t quit = 0x100;
    while (sdl().poll_event(event)) {
        uint32_t type;
        std::memcpy(&type, event, sizeof type);
        if (type == quit) return false;
    }
    return true;
}
#endif

/// A program: what it makes once, what a Reset takes from it, and how it draws a frame.
struct Program {
    virtual ~Program() = default;
    /// Who processes vertices: a flag of CreateDevice.
    virtual DWORD processing() const { return D3DCREATE_HARDWARE_VERTEXPROCESSING; }
    /// Makes everything that outlives a Reset (the managed pool, shaders, declarations).
    virtual void create(IDirect3DDevice9 *device, const Options &options) = 0;
    /// Makes everything in the default pool.
    virtual void create_default(IDirect3DDevice9 *device, const Options &options) = 0;
    /// Releases everything in the default pool.
    virtual void release_default() = 0;
    /// Releases everything else.
    virtual void destroy() = 0;
    /// Draws one frame between BeginScene and EndScene, which it calls itself.
    virtual void draw(IDirect3DDevice9 *device, int frame) = 0;
};

inline D3DPRESENT_PARAMETERS present_parameters(const Options &options, HWND window) {
    D3DPRESENT_PARAMETERS parameters = {};
    parameters.BackBufferWidth = options.width;
    parameters.BackBufferHeight = options.height;
    parameters.BackBufferFormat = D3DFMT_X8R8G8B8;
    parameters.BackBufferCount = 1;
    parameters.SwapEffect = D3DSWAPEFFECT_DISCARD;
    parameters.hDeviceWindow = window;
    parameters.Windowed = TRUE;
    parameters.EnableAutoDepthStencil = TRUE;
    parameters.AutoDepthStencilFormat = D3DFMT_D24S8;
    parameters.PresentationInterval = D3DPRESENT_INTERVAL_IMMEDIATE;
    return parameters;
}

/// Waits until a lost device can be reset, and resets it. Gives up after a minute.
inline void recover(IDirect3DDevice9 *device, Program &program, const Options &options, HWND window) {
    program.release_default();
    for (int tries = 0; tries < 1200; tries++) {
        HRESULT state = device->TestCooperativeLevel();
        if (state == D3D_OK) break;
        if (state == D3DERR_DEVICENOTRESET) {
            D3DPRESENT_PARAMETERS parameters = present_parameters(options, window);
            if (SUCCEEDED(device->Reset(&parameters))) break;
        }
        SAMPLE_SLEEP(50);
        keep_going(window);
    }
    CHECK(device->TestCooperativeLevel());
    program.create_default(device, options);
    std::printf("device lost and reset\n");
}

/// Reads the back buffer back and writes it as a PPM picture.
inline void save(IDirect3DDevice9 *device, const Options &options) {
    IDirect3DSurface9 *back_buffer = nullptr, *copy = nullptr;
    CHECK(device->GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, &back_buffer));
    CHECK(device->CreateOffscreenPlainSurface(options.width, options.height, D3DFMT_X8R8G8B8, D3DPOOL_SYSTEMMEM, &copy, nullptr));
    CHECK(device->GetRenderTargetData(back_buffer, copy));
    D3DLOCKED_RECT locked;
    CHECK(copy->LockRect(&locked, nullptr, D3DLOCK_READONLY));
    FILE *file = std::fopen(options.save, "wb");
    if (!file) fail("cannot write %s", options.save);
    std::fprintf(file, "P6\n%d %d\n255\n", options.width, options.height);
    for (int y = 0; y < options.height; y++)
        for (int x = 0; x < options.width; x++) {
            const unsigned char *pixel = static_cast<const unsigned char *>(locked.pBits) + y * locked.Pitch + x * 4;
            const unsigned char rgb[3] = {pixel[2], pixel[1], pixel[0]};
            std::fwrite(rgb, 1, 3, file);
        }
    if (std::fclose(file)) fail("cannot write %s", options.save);
    CHECK(copy->UnlockRect());
    release(copy);
    release(back_buffer);
}

/// The whole of main().
inline int run(int count, char **words, const char *title, const char *what, Program &program) {
    Options options = parse(count, words, what);
    HWND window = open_window(options, title);
    IDirect3D9 *direct3d = Direct3DCreate9(D3D_SDK_VERSION);
    if (!direct3d) fail("Direct3DCreate9 gave nothing");
    D3DPRESENT_PARAMETERS parameters = present_parameters(options, window);
    IDirect3DDevice9 *device = nullptr;
    CHECK(direct3d->CreateDevice(D3DADAPTER_DEFAULT, D3DDEVTYPE_HAL, window, program.processing(), &parameters, &device));
    program.create(device, options);
    program.create_default(device, options);
    int drawn = 0;
    for (int frame = 0; frame < options.frames && keep_going(window); frame++) {
        program.draw(device, frame);
        if (options.save && frame + 1 == options.frames) save(device, options);
        HRESULT presented = device->Present(nullptr, nullptr, nullptr, nullptr);
        if (presented == D3DERR_DEVICELOST || presented == D3DERR_DEVICENOTRESET) recover(device, program, options, window);
        else CHECK(presented);
        drawn++;
    }
    program.release_default();
    program.destroy();
    ULONG left = device->Release();
    ULONG left_direct3d = direct3d->Release();
    if (left || left_direct3d) fail("%lu references to the device and %lu to Direct3D are left", left, left_direct3d);
    std::printf("%s: %d frames\n", title, drawn);
    return 0;
}

} // namespace sample
