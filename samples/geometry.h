// Mathematics, meshes and textures of the sample programs, all computed.
//
// The results are the same to the last bit in every build: only additions, multiplications, divisions and square roots of
// IEEE numbers, own sine and cosine, no contraction to fused operations (-ffp-contract=off), SSE in 32-bit builds.
#pragma once

#include <d3d9.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "common.h"

namespace sample {

const float PI = 3.14159265f;

/// Sine by its series, exact to a float's precision.
inline float sine(float angle) {
    double x = angle;
    const double turn = 6.283185307179586;
    x -= turn * static_cast<double>(static_cast<long>(x / turn));
    if (x > turn / 2) x -= turn;
    if (x < -turn / 2) x += turn;
    double square = x * x, term = x, sum = x;
    for (int n = 1; n < 12; n++) {
        term *= -square / ((2 * n) * (2 * n + 1));
        sum += term;
    }
    return static_cast<float>(sum);
}

inline float cosine(float angle) { return sine(angle + PI / 2); }

struct Vec3 {
    float x, y, z;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Vec3 normalize(Vec3 v) {
    float length = std::sqrt(dot(v, v));
    return length > 1e-12f ? v * (1.0f / length) : Vec3{0, 0, 0};
}

/// A matrix for row vectors, as Direct3D has them: `v * M`, translation in the last row.
struct Mat4 {
    float m[4][4];

    const D3DMATRIX *d3d() const { return reinterpret_cast<const D3DMATRIX *>(this); }
};

inline Mat4 identity() { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}; }

inline Mat4 operator*(const Mat4 &a, const Mat4 &b) {
    Mat4 out = {};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            for (int k = 0; k < 4; k++) out.m[row][column] += a.m[row][k] * b.m[k][column];
    return out;
}

/// Columns become rows: what `m4x4` in a shader wants of its constants.
inline Mat4 transpose(const Mat4 &a) {
    Mat4 out;
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) out.m[row][column] = a.m[column][row];
    return out;
}

inline Mat4 scale(float x, float y, float z) { return {{{x, 0, 0, 0}, {0, y, 0, 0}, {0, 0, z, 0}, {0, 0, 0, 1}}}; }
inline Mat4 move(float x, float y, float z) { return {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {x, y, z, 1}}}; }

inline Mat4 turn_x(float angle) {
    float s = sine(angle), c = cosine(angle);
    return {{{1, 0, 0, 0}, {0, c, s, 0}, {0, -s, c, 0}, {0, 0, 0, 1}}};
}

inline Mat4 turn_y(float angle) {
    float s = sine(angle), c = cosine(angle);
    return {{{c, 0, -s, 0}, {0, 1, 0, 0}, {s, 0, c, 0}, {0, 0, 0, 1}}};
}

/// A left-handed camera.
inline Mat4 look_at(Vec3 eye, Vec3 at) {
    Vec3 z = normalize(at - eye), x = normalize(cross({0, 1, 0}, z)), y = cross(z, x);
    return {{{x.x, y.x, z.x, 0}, {x.y, y.y, z.y, 0}, {x.z, y.z, z.z, 0}, {-dot(x, eye), -dot(y, eye), -dot(z, eye), 1}}};
}

/// A left-handed perspective; `zoom` is the cotangent of half the vertical field of view.
inline Mat4 perspective(float zoom, float aspect, float near_z, float far_z) {
    float depth = far_z / (far_z - near_z);
    return {{{zoom / aspect, 0, 0, 0}, {0, zoom, 0, 0}, {0, 0, depth, 1}, {0, 0, -near_z * depth, 0}}};
}

struct Vertex {
    Vec3 position, normal;
    float u, v;
};

/// Triangles as the CPU has them.
struct Shape {
    std::vector<Vertex> vertices;
    std::vector<uint16_t> indices;

    /// Adds a grid of `columns` x `rows` quads; `at(u, v)` gives the vertex, u and v from 0 to 1.
    template <typename F> void grid(int columns, int rows, F at) {
        size_t base = vertices.size();
        for (int row = 0; row <= rows; row++)
            for (int column = 0; column <= columns; column++)
                vertices.push_back(at(static_cast<float>(column) / columns, static_cast<float>(row) / rows));
        if (vertices.size() > 65536) fail("a mesh has more than 65536 vertices");
        for (int row = 0; row < rows; row++)
            for (int column = 0; column < columns; column++) {
                auto a = static_cast<uint16_t>(base + row * (columns + 1) + column);
                auto b = static_cast<uint16_t>(a + 1), c = static_cast<uint16_t>(a + columns + 1);
                auto d = static_cast<uint16_t>(c + 1);
                triangle(a, c, b);
                triangle(b, c, d);
            }
    }

    /// Adds a triangle, turned so that it is clockwise seen from where its vertices' normals point.
    void triangle(uint16_t a, uint16_t b, uint16_t c) {
        const Vertex &p = vertices[a], &q = vertices[b], &r = vertices[c];
        Vec3 front = cross(q.position - p.position, r.position - p.position);
        if (dot(front, p.normal + q.normal + r.normal) < 0) std::swap(b, c);
        for (uint16_t index : {a, b, c}) indices.push_back(index);
    }
};

/// A shape in buffers of the managed pool.
struct Mesh {
    IDirect3DVertexBuffer9 *vertices = nullptr;
    IDirect3DIndexBuffer9 *indices = nullptr;
    UINT vertex_count = 0, triangle_count = 0;

    void create(IDirect3DDevice9 *device, const Shape &shape) {
        vertex_count = static_cast<UINT>(shape.vertices.size());
        triangle_count = static_cast<UINT>(shape.indices.size() / 3);
        UINT vertex_bytes = vertex_count * sizeof(Vertex), index_bytes = triangle_count * 3 * sizeof(uint16_t);
        void *data;
        CHECK(device->CreateVertexBuffer(vertex_bytes, D3DUSAGE_WRITEONLY, 0, D3DPOOL_MANAGED, &vertices, nullptr));
        CHECK(vertices->Lock(0, 0, &data, 0));
        std::memcpy(data, shape.vertices.data(), vertex_bytes);
        CHECK(vertices->Unlock());
        CHECK(device->CreateIndexBuffer(index_bytes, D3DUSAGE_WRITEONLY, D3DFMT_INDEX16, D3DPOOL_MANAGED, &indices, nullptr));
        CHECK(indices->Lock(0, 0, &data, 0));
        std::memcpy(data, shape.indices.data(), index_bytes);
        CHECK(indices->Unlock());
    }

    void draw(IDirect3DDevice9 *device) const {
        CHECK(device->SetStreamSource(0, vertices, 0, sizeof(Vertex)));
        CHECK(device->SetIndices(indices));
        CHECK(device->DrawIndexedPrimitive(D3DPT_TRIANGLELIST, 0, 0, vertex_count, 0, triangle_count));
    }

    void destroy() {
        release(vertices);
        release(indices);
    }
};

/// A cube from -1 to 1.
inline Shape cube() {
    Shape shape;
    const Vec3 faces[6][2] = {{{0, 1, 0}, {1, 0, 0}},  {{0, -1, 0}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, 1}},
                              {{-1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {-1, 0, 0}}, {{0, 0, -1}, {1, 0, 0}}};
    for (auto &face : faces) {
        Vec3 normal = face[0], right = face[1], down = cross(normal, right);
        shape.grid(1, 1, [&](float u, float v) {
            return Vertex{normal + right * (2 * u - 1) + down * (2 * v - 1), normal, u, v};
        });
    }
    return shape;
}

inline Shape sphere(int columns, int rows) {
    Shape shape;
    shape.grid(columns, rows, [&](float u, float v) {
        float around = u * 2 * PI, down = v * PI;
        Vec3 normal = {sine(down) * cosine(around), cosine(down), -sine(down) * sine(around)};
        return Vertex{normal, normal, 1 - u, v};
    });
    return shape;
}

/// An upright cylinder of radius 1 from y = -1 to 1, without its ends.
inline Shape cylinder(int columns) {
    Shape shape;
    shape.grid(columns, 1, [&](float u, float v) {
        Vec3 normal = {cosine(u * 2 * PI), 0, sine(u * 2 * PI)};
        return Vertex{{normal.x, 1 - 2 * v, normal.z}, normal, u, v};
    });
    return shape;
}

/// A tube of radius `thick` along a closed curve.
template <typename F> Shape tube(int columns, int rows, float thick, float repeat, F curve) {
    Shape shape;
    shape.grid(columns, rows, [&](float u, float v) {
        const float step = 1.0f / 1024;
        Vec3 centre = curve(u * 2 * PI), along = normalize(curve((u + step) * 2 * PI) - curve((u - step) * 2 * PI));
        Vec3 side = normalize(cross(along, {0.3f, 1, 0.2f})), up = cross(side, along);
        Vec3 normal = side * cosine(v * 2 * PI) + up * sine(v * 2 * PI);
        return Vertex{centre + normal * thick, normal, u * repeat, v * 2};
    });
    return shape;
}

/// A torus of radius 1 in the plane y = 0.
inline Shape torus(int columns, int rows, float thick) {
    return tube(columns, rows, thick, 6, [](float angle) { return Vec3{cosine(angle), 0, sine(angle)}; });
}

/// A trefoil knot of about radius 1.
inline Shape knot(int columns, int rows, float thick) {
    return tube(columns, rows, thick, 16, [](float angle) {
        float radius = 2 + cosine(3 * angle);
        return Vec3{radius * cosine(2 * angle), sine(3 * angle), radius * sine(2 * angle)} * 0.36f;
    });
}

/// A square in the plane y = 0 from -1 to 1, facing up.
inline Shape plane(int quads, float repeat) {
    Shape shape;
    shape.grid(quads, quads, [&](float u, float v) {
        return Vertex{{2 * u - 1, 0, 1 - 2 * v}, {0, 1, 0}, u * repeat, v * repeat};
    });
    return shape;
}

struct Colour {
    float r, g, b, a;
};

inline Colour mix(Colour a, Colour b, float t) {
    return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t};
}

inline DWORD pack(Colour c) {
    auto byte = [](float value) { return static_cast<DWORD>((value < 0 ? 0 : value > 1 ? 1 : value) * 255 + 0.5f); };
    return byte(c.a) << 24 | byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b);
}

/// Noise from 0 to 1 on the integers.
inline float noise(int x, int y) {
    uint32_t h = static_cast<uint32_t>(x) * 0x9e3779b1u ^ static_cast<uint32_t>(y) * 0x85ebca77u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return static_cast<float>(h >> 8 & 0xffff) / 65535.0f;
}

/// Smooth noise from 0 to 1 that repeats after `period` units.
inline float smooth_noise(float x, float y, int period) {
    int left = static_cast<int>(x), top = static_cast<int>(y);
    float u = x - left, v = y - top;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    auto at = [&](int dx, int dy) { return noise((left + dx) % period, (top + dy) % period); };
    float above = at(0, 0) + (at(1, 0) - at(0, 0)) * u, below = at(0, 1) + (at(1, 1) - at(0, 1)) * u;
    return above + (below - above) * v;
}

/// Several octaves of smooth noise; x and y from 0 to 1.
inline float turbulence(float x, float y) {
    float sum = 0, weight = 0.5f;
    for (int period = 4; period <= 64; period *= 2) {
        sum += weight * smooth_noise(x * period, y * period, period);
        weight *= 0.5f;
    }
    return sum;
}

/// A square picture and its mip levels, each the average of the one before.
struct Picture {
    std::vector<std::vector<DWORD>> levels;
    int size = 0;

    template <typename F> static Picture make(int size, F colour) {
        Picture picture;
        picture.size = size;
        std::vector<DWORD> level(static_cast<size_t>(size) * size);
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++) level[static_cast<size_t>(y) * size + x] = pack(colour((x + 0.5f) / size, (y + 0.5f) / size));
        picture.levels.push_back(level);
        for (int half = size / 2; half >= 1; half /= 2) {
            std::vector<DWORD> next(static_cast<size_t>(half) * half);
            const std::vector<DWORD> &above = picture.levels.back();
            for (int y = 0; y < half; y++)
                for (int x = 0; x < half; x++) {
                    DWORD out = 0;
                    for (int shift = 0; shift < 32; shift += 8) {
                        DWORD sum = 2;
                        for (int corner = 0; corner < 4; corner++)
                            sum += above[static_cast<size_t>(2 * y + corner / 2) * 2 * half + 2 * x + corner % 2] >> shift & 255;
                        out |= (sum / 4) << shift;
                    }
                    next[static_cast<size_t>(y) * half + x] = out;
                }
            picture.levels.push_back(next);
        }
        return picture;
    }

    void copy_level(size_t level, const D3DLOCKED_RECT &to) const {
        size_t width = static_cast<size_t>(size) >> level;
        for (size_t y = 0; y < width; y++)
            std::memcpy(static_cast<char *>(to.pBits) + y * to.Pitch, &levels[level][y * width], width * sizeof(DWORD));
    }

    IDirect3DTexture9 *texture(IDirect3DDevice9 *device) const {
        IDirect3DTexture9 *texture = nullptr;
        UINT count = static_cast<UINT>(levels.size());
        CHECK(device->CreateTexture(size, size, count, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED, &texture, nullptr));
        for (UINT level = 0; level < count; level++) {
            D3DLOCKED_RECT locked;
            CHECK(texture->LockRect(level, &locked, nullptr, 0));
            copy_level(level, locked);
            CHECK(texture->UnlockRect(level));
        }
        return texture;
    }
};

} // namespace sample
