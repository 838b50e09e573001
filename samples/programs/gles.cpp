// What ANGLE's Direct3D 9 back end draws of an OpenGL ES 2.0 program: its compiler makes HLSL of these shaders, and Microsoft's makes
// shader model 2 and 3 of that. A bumpy torus with per-pixel light and a mip-mapped texture in a frame buffer object with depth; that as
// a texture on a quad; blending, stencil, scissor, an index buffer. libEGL.dll and libGLESv2.dll are loaded at run time; the few
// declarations are ours. Writes what glReadPixels gives to picture.ppm.
#include <windows.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

const int WIDTH = 640, HEIGHT = 480, EDGE = 256;

[[noreturn]] void fail(const char *what, const char *why) {
    std::fprintf(stderr, "error: %s: %s\n", what, why);
    std::exit(1);
}

/// A function of a library beside the program.
template <typename Result, typename... Arguments> Result call(const char *library, const char *name, Arguments... arguments) {
    HMODULE module = LoadLibraryA(library);
    FARPROC function = module ? GetProcAddress(module, name) : nullptr;
    if (!function) fail(name, "not there");
    return reinterpret_cast<Result(__stdcall *)(Arguments...)>(reinterpret_cast<void *>(function))(arguments...);
}
template <typename Result = void *, typename... Arguments> Result egl(const char *name, Arguments... arguments) {
    return call<Result>("libEGL.dll", name, arguments...);
}
template <typename Result = void, typename... Arguments> Result gl(const char *name, Arguments... arguments) {
    return call<Result>("libGLESv2.dll", name, arguments...);
}

enum : uint32_t {
    TRIANGLES = 4, TRIANGLE_STRIP = 5, DEPTH_BITS = 0x100, STENCIL_BITS = 0x400, COLOUR_BITS = 0x4000, SRC_ALPHA = 0x302,
    ONE_MINUS_SRC_ALPHA = 0x303, EQUAL = 0x202, ALWAYS = 0x207, CULL_FACE = 0xb44, DEPTH_TEST = 0xb71, STENCIL_TEST = 0xb90, BLEND = 0xbe2,
    SCISSOR_TEST = 0xc11, TEXTURE_2D = 0xde1, UNSIGNED_BYTE = 0x1401, UNSIGNED_SHORT = 0x1403, FLOAT = 0x1406, KEEP = 0x1e00, REPLACE = 0x1e01,
    RGBA = 0x1908, RENDERER = 0x1f01, LINEAR = 0x2601, LINEAR_MIPMAP_LINEAR = 0x2703, MAG_FILTER = 0x2800, MIN_FILTER = 0x2801, WRAP_S = 0x2802,
    WRAP_T = 0x2803, CLAMP = 0x812f, DEPTH16 = 0x81a5, ARRAY_BUFFER = 0x8892, ELEMENT_BUFFER = 0x8893, STATIC_DRAW = 0x88e4,
    FRAGMENT_SHADER = 0x8b30, VERTEX_SHADER = 0x8b31, COMPILED = 0x8b81, LINKED = 0x8b82, COMPLETE = 0x8cd5, COLOUR0 = 0x8ce0,
    DEPTH_ATTACHMENT = 0x8d00, FRAMEBUFFER = 0x8d40, RENDERBUFFER = 0x8d41,
};

void context() {
    const int attributes[] = {0x3203, 0x3207, 0x3038}; // the type of ANGLE's platform: Direct3D 9
    auto find = reinterpret_cast<void *(__stdcall *)(uint32_t, void *, const int *)>(egl<void *, const char *>("eglGetProcAddress", "eglGetPlatformDisplayEXT"));
    void *display = find ? find(0x3202, nullptr, attributes) : nullptr;
    if (!display || !egl<uint32_t>("eglInitialize", display, (int *)nullptr, (int *)nullptr)) fail("eglInitialize", "no Direct3D 9");
    const int wanted[] = {0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3025, 24, 0x3026, 8, 0x3033, 4, 0x3040, 4, 0x3038};
    void *config = nullptr;
    int count = 0;
    if (!egl<uint32_t>("eglChooseConfig", display, (const int *)wanted, &config, 1, &count) || !count) fail("eglChooseConfig", "no configuration");
    HWND window = CreateWindowA("STATIC", "gles", WS_POPUP | WS_VISIBLE, 0, 0, WIDTH, HEIGHT, nullptr, nullptr, nullptr, nullptr);
    const int version[] = {0x3098, 2, 0x3038};
    void *surface = egl("eglCreateWindowSurface", display, config, (void *)window, (const int *)nullptr);
    void *context = egl("eglCreateContext", display, config, (void *)nullptr, (const int *)version);
    if (!surface || !context || !egl<uint32_t>("eglMakeCurrent", display, surface, surface, context)) fail("eglMakeCurrent", "failed");
    std::printf("%s\n", gl<const char *>("glGetString", uint32_t(RENDERER)));
}

uint32_t shader(uint32_t kind, const char *text) {
    uint32_t shader = gl<uint32_t>("glCreateShader", kind);
    gl("glShaderSource", shader, 1, &text, (const int *)nullptr);
    gl("glCompileShader", shader);
    int good = 0;
    gl("glGetShaderiv", shader, uint32_t(COMPILED), &good);
    if (!good) {
        char log[4096] = {};
        gl("glGetShaderInfoLog", shader, 4095, (int *)nullptr, (char *)log);
        fail("glCompileShader", log);
    }
    return shader;
}

uint32_t program(const char *vertex, const char *fragment) {
    uint32_t program = gl<uint32_t>("glCreateProgram");
    gl("glAttachShader", program, shader(VERTEX_SHADER, vertex));
    gl("glAttachShader", program, shader(FRAGMENT_SHADER, fragment));
    const char *names[] = {"position", "normal", "texel"};
    for (uint32_t index = 0; index < 3; index++) gl("glBindAttribLocation", program, index, names[index]);
    gl("glLinkProgram", program);
    int good = 0;
    gl("glGetProgramiv", program, uint32_t(LINKED), &good);
    if (!good) {
        char log[4096] = {};
        gl("glGetProgramInfoLog", program, 4095, (int *)nullptr, (char *)log);
        fail("glLinkProgram", log);
    }
    return program;
}

void uniform(uint32_t program, const char *name, float x, float y, float z, float w) {
    gl("glUniform4f", gl<int>("glGetUniformLocation", program, name), x, y, z, w);
}

const char *BUMPY_VS = R"(
attribute vec3 position; attribute vec3 normal; attribute vec2 texel; uniform vec4 turn; varying vec3 n; varying vec2 t; varying vec3 p;
vec3 turned(vec3 v) {
    v = vec3(turn.x * v.x + turn.y * v.z, v.y, turn.x * v.z - turn.y * v.x);
    return vec3(v.x, turn.z * v.y - turn.w * v.z, turn.w * v.y + turn.z * v.z);
}
void main() { n = turned(normal); p = turned(position); t = texel; gl_Position = vec4(p.xy, p.z * -0.4 - 0.2, p.z * -0.35 + 1.6); })";
const char *BUMPY_FS = R"(
precision highp float; varying vec3 n; varying vec2 t; varying vec3 p; uniform sampler2D image;
void main() {
    vec3 bump = vec3(0.0);
    for (int i = 1; i < 4; i++) bump += vec3(sin(t.x * 40.0 * float(i)), cos(t.y * 30.0 * float(i)), 0.0) / float(i * 8);
    vec3 normal = normalize(n + bump), light = normalize(vec3(0.5, 0.7, 1.0));
    float diffuse = max(dot(normal, light), 0.0), shine = pow(max(dot(reflect(-light, normal), vec3(0.0, 0.0, 1.0)), 0.0), 24.0);
    if (fract(t.y * 6.0) < 0.04) discard;
    gl_FragColor = vec4(texture2D(image, t * vec2(6.0, 3.0)).rgb * (0.2 + diffuse) + shine * 0.6, 1.0);
})";
const char *QUAD_VS = R"(
attribute vec3 position; attribute vec2 texel; uniform vec4 place; varying vec2 t;
void main() { t = texel; gl_Position = vec4(position.xy * place.zw + place.xy, position.z, 1.0); })";
const char *QUAD_FS = R"(
precision mediump float; varying vec2 t; uniform sampler2D image; uniform vec4 tint;
void main() { gl_FragColor = texture2D(image, t) * tint; })";

struct Mesh { uint32_t vertices, indices; int count; };

uint32_t buffer(uint32_t kind, const void *bytes, size_t size) {
    uint32_t name = 0;
    gl("glGenBuffers", 1, &name);
    gl("glBindBuffer", kind, name);
    gl("glBufferData", kind, intptr_t(size), bytes, uint32_t(STATIC_DRAW));
    return name;
}

Mesh torus() {
    const int around = 64, across = 32;
    const float tau = 6.2831853f;
    std::vector<float> vertices;
    std::vector<uint16_t> indices;
    for (int i = 0; i <= around; i++)
        for (int j = 0; j <= across; j++) {
            float u = tau * i / around, v = tau * j / across, r = 0.75f + 0.32f * std::cos(v);
            const float values[] = {r * std::cos(u), r * std::sin(u), 0.32f * std::sin(v), std::cos(u) * std::cos(v),
                                    std::sin(u) * std::cos(v), std::sin(v), float(i) / around, float(j) / across};
            vertices.insert(vertices.end(), values, values + 8);
        }
    for (int i = 0; i < around; i++)
        for (int j = 0; j < across; j++) {
            int a = i * (across + 1) + j, b = a + across + 1;
            for (int index : {a, b, a + 1, a + 1, b, b + 1}) indices.push_back(uint16_t(index));
        }
    return {buffer(ARRAY_BUFFER, vertices.data(), vertices.size() * 4), buffer(ELEMENT_BUFFER, indices.data(), indices.size() * 2), int(indices.size())};
}

void attributes() {
    const int sizes[] = {3, 3, 2};
    for (uint32_t index = 0, at = 0; index < 3; at += sizes[index++] * 4) {
        gl("glEnableVertexAttribArray", index);
        gl("glVertexAttribPointer", index, sizes[index], uint32_t(FLOAT), uint8_t(0), 32, reinterpret_cast<const void *>(uintptr_t(at)));
    }
}

void filter(uint32_t minify, uint32_t wrap) {
    gl("glTexParameteri", uint32_t(TEXTURE_2D), uint32_t(MIN_FILTER), int(minify));
    gl("glTexParameteri", uint32_t(TEXTURE_2D), uint32_t(MAG_FILTER), int(LINEAR));
    if (wrap) gl("glTexParameteri", uint32_t(TEXTURE_2D), uint32_t(WRAP_S), int(wrap)), gl("glTexParameteri", uint32_t(TEXTURE_2D), uint32_t(WRAP_T), int(wrap));
}

uint32_t texture(int size, const void *texels) {
    uint32_t name = 0;
    gl("glGenTextures", 1, &name);
    gl("glBindTexture", uint32_t(TEXTURE_2D), name);
    gl("glTexImage2D", uint32_t(TEXTURE_2D), 0, int(RGBA), size, size, 0, uint32_t(RGBA), uint32_t(UNSIGNED_BYTE), texels);
    return name;
}

void toggle(uint32_t what, bool on) { gl(on ? "glEnable" : "glDisable", what); }

void clear(float r, float g, float b) {
    gl("glClearColor", r, g, b, 1.0f);
    gl("glClear", uint32_t(COLOUR_BITS | DEPTH_BITS | STENCIL_BITS));
}

} // namespace

int main() {
    context();
    std::vector<uint32_t> texels(EDGE * EDGE);
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++) texels[y * EDGE + x] = 0xff000000u | uint32_t(x) << 16 | uint32_t(y) << 8 | ((x / 16 ^ y / 16) & 1 ? 230u : 60u);
    uint32_t image = texture(EDGE, texels.data());
    gl("glGenerateMipmap", uint32_t(TEXTURE_2D));
    filter(LINEAR_MIPMAP_LINEAR, 0);
    uint32_t drawn = texture(EDGE, nullptr), depth = 0, target = 0;
    filter(LINEAR, CLAMP);
    gl("glGenRenderbuffers", 1, &depth);
    gl("glBindRenderbuffer", uint32_t(RENDERBUFFER), depth);
    gl("glRenderbufferStorage", uint32_t(RENDERBUFFER), uint32_t(DEPTH16), EDGE, EDGE);
    gl("glGenFramebuffers", 1, &target);
    gl("glBindFramebuffer", uint32_t(FRAMEBUFFER), target);
    gl("glFramebufferTexture2D", uint32_t(FRAMEBUFFER), uint32_t(COLOUR0), uint32_t(TEXTURE_2D), drawn, 0);
    gl("glFramebufferRenderbuffer", uint32_t(FRAMEBUFFER), uint32_t(DEPTH_ATTACHMENT), uint32_t(RENDERBUFFER), depth);
    if (gl<uint32_t>("glCheckFramebufferStatus", uint32_t(FRAMEBUFFER)) != COMPLETE) fail("glCheckFramebufferStatus", "not complete");
    uint32_t bumpy = program(BUMPY_VS, BUMPY_FS), quad = program(QUAD_VS, QUAD_FS);
    Mesh mesh = torus();
    auto ring = [&](float angle) {
        gl("glUseProgram", bumpy);
        gl("glBindTexture", uint32_t(TEXTURE_2D), image);
        gl("glBindBuffer", uint32_t(ARRAY_BUFFER), mesh.vertices);
        gl("glBindBuffer", uint32_t(ELEMENT_BUFFER), mesh.indices);
        attributes();
        uniform(bumpy, "turn", std::cos(angle), std::sin(angle), std::cos(0.7f), std::sin(0.7f));
        gl("glDrawElements", uint32_t(TRIANGLES), mesh.count, uint32_t(UNSIGNED_SHORT), static_cast<const void *>(nullptr));
    };
    gl("glViewport", 0, 0, EDGE, EDGE);
    toggle(DEPTH_TEST, true);
    clear(0.3f, 0.1f, 0.2f);
    ring(0.4f);
    gl("glBindFramebuffer", uint32_t(FRAMEBUFFER), 0u);
    gl("glViewport", 0, 0, WIDTH, HEIGHT);
    clear(0.12f, 0.16f, 0.25f);
    toggle(STENCIL_TEST, true);
    gl("glStencilFunc", uint32_t(ALWAYS), 1, 255u);
    gl("glStencilOp", uint32_t(KEEP), uint32_t(KEEP), uint32_t(REPLACE));
    ring(1.1f);
    gl("glUseProgram", quad);
    const float corners[] = {-1, -1, 0, 0, 0, 1, 0, 0, 1, -1, 0, 0, 0, 1, 1, 0, -1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1};
    uint32_t strip = buffer(ARRAY_BUFFER, corners, sizeof corners);
    auto panel = [&](uint32_t name, float x, float y, float size, float r, float g, float b, float a) {
        gl("glBindTexture", uint32_t(TEXTURE_2D), name);
        gl("glBindBuffer", uint32_t(ARRAY_BUFFER), strip);
        attributes();
        uniform(quad, "place", x, y, size * 0.75f, size);
        uniform(quad, "tint", r, g, b, a);
        gl("glDrawArrays", uint32_t(TRIANGLE_STRIP), 0, 4);
    };
    toggle(DEPTH_TEST, false);
    toggle(BLEND, true);
    gl("glBlendFunc", uint32_t(SRC_ALPHA), uint32_t(ONE_MINUS_SRC_ALPHA));
    gl("glStencilFunc", uint32_t(EQUAL), 1, 255u);
    gl("glStencilOp", uint32_t(KEEP), uint32_t(KEEP), uint32_t(KEEP));
    panel(image, 0, 0, 0.8f, 1, 0.6f, 0.4f, 0.35f);
    toggle(STENCIL_TEST, false);
    panel(drawn, -0.65f, 0.55f, 0.4f, 1, 1, 1, 1);
    panel(drawn, 0.65f, -0.55f, 0.4f, 0.7f, 1, 0.7f, 0.75f);
    toggle(SCISSOR_TEST, true);
    gl("glScissor", 430, 300, 150, 120);
    panel(image, 0.6f, 0.5f, 0.5f, 1, 1, 1, 0.9f);
    std::vector<uint8_t> pixels(WIDTH * HEIGHT * 4);
    gl("glReadPixels", 0, 0, WIDTH, HEIGHT, uint32_t(RGBA), uint32_t(UNSIGNED_BYTE), static_cast<void *>(pixels.data()));
    if (uint32_t error = gl<uint32_t>("glGetError")) fail("glGetError", error == 0x502 ? "an invalid operation" : "an error");
    FILE *file = std::fopen("picture.ppm", "wb");
    if (!file) fail("picture.ppm", "cannot be written");
    std::fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT - 1; y >= 0; y--)
        for (int x = 0; x < WIDTH; x++) std::fwrite(&pixels[(y * WIDTH + x) * 4], 1, 3, file);
    if (std::fclose(file)) fail("picture.ppm", "cannot be written");
    return 0;
}
