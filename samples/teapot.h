// The Utah teapot: Martin Newell's control points of 1975, which are in the public domain. The body, the lid and the
// bottom are profiles turned around the axis, so only their profiles are listed; handle and spout are symmetric, so only
// half of each row of control points is.
#pragma once

#include "geometry.h"

namespace sample {

/// Radius and height of a point of a profile.
struct ProfilePoint {
    float radius, height;
};

/// A row across handle or spout: from (x0, 0, z0) over half a width to (x1, 0, z1).
struct TubeRow {
    float x0, z0, x1, z1, half_width;
};

// The second patch of each of these begins with the last point of the first.
const ProfilePoint TEAPOT_RIM[4] = {{1.4f, 2.4f}, {1.3375f, 2.53125f}, {1.4375f, 2.53125f}, {1.5f, 2.4f}};
const ProfilePoint TEAPOT_BODY[7] = {{1.5f, 2.4f}, {1.75f, 1.875f}, {2, 1.35f}, {2, 0.9f}, {2, 0.45f}, {1.5f, 0.225f}, {1.5f, 0.15f}};
const ProfilePoint TEAPOT_LID[7] = {{0, 3.15f}, {0.8f, 3.15f}, {0, 2.85f}, {0.2f, 2.7f}, {0.4f, 2.55f}, {1.3f, 2.55f}, {1.3f, 2.4f}};
const ProfilePoint TEAPOT_BOTTOM[4] = {{1.5f, 0.15f}, {1.5f, 0.075f}, {1.425f, 0}, {0, 0}};
const TubeRow TEAPOT_HANDLE[7] = {{-1.6f, 2.025f, -1.5f, 2.25f, 0.3f},   {-2.3f, 2.025f, -2.5f, 2.25f, 0.3f},
                                  {-2.7f, 2.025f, -3, 2.25f, 0.3f},      {-2.7f, 1.8f, -3, 1.8f, 0.3f},
                                  {-2.7f, 1.575f, -3, 1.35f, 0.3f},      {-2.5f, 1.125f, -2.65f, 0.9375f, 0.3f},
                                  {-2, 0.9f, -1.9f, 0.6f, 0.3f}};
const TubeRow TEAPOT_SPOUT[7] = {{1.7f, 1.425f, 1.7f, 0.6f, 0.66f},        {2.6f, 1.425f, 3.1f, 0.825f, 0.66f},
                                 {2.3f, 2.1f, 2.4f, 2.025f, 0.25f},        {2.7f, 2.4f, 3.3f, 2.4f, 0.25f},
                                 {2.8f, 2.475f, 3.525f, 2.49375f, 0.25f},  {2.9f, 2.475f, 3.45f, 2.5125f, 0.15f},
                                 {2.8f, 2.4f, 3.2f, 2.4f, 0.15f}};
/// Newell's approximation of a quarter circle.
const float QUARTER = 0.56f;

/// Sixteen control points, `points[row][column]`.
struct Patch {
    Vec3 points[4][4];

    Vec3 at(float u, float v) const {
        float a[4], b[4];
        weights(u, a);
        weights(v, b);
        return sum(a, b);
    }

    Vec3 along_u(float u, float v) const {
        float a[4], b[4];
        slopes(u, a);
        weights(v, b);
        return sum(a, b);
    }

    Vec3 along_v(float u, float v) const {
        float a[4], b[4];
        weights(u, a);
        slopes(v, b);
        return sum(a, b);
    }

  private:
    static void weights(float t, float out[4]) {
        float s = 1 - t;
        out[0] = s * s * s;
        out[1] = 3 * s * s * t;
        out[2] = 3 * s * t * t;
        out[3] = t * t * t;
    }

    static void slopes(float t, float out[4]) {
        float s = 1 - t;
        out[0] = -3 * s * s;
        out[1] = 3 * s * s - 6 * s * t;
        out[2] = 6 * s * t - 3 * t * t;
        out[3] = 3 * t * t;
    }

    Vec3 sum(const float u[4], const float v[4]) const {
        Vec3 out = {0, 0, 0};
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++) out = out + points[row][column] * (u[column] * v[row]);
        return out;
    }
};

/// Adds one patch; u of the texture runs from `left` to `right`, v from `top` to `bottom`.
inline void add_patch(Shape &shape, const Patch &patch, int quads, float left, float right, float top, float bottom) {
    shape.grid(quads, quads, [&](float u, float v) {
        Vec3 position = patch.at(u, v);
        Vec3 normal = normalize(cross(patch.along_u(u, v), patch.along_v(u, v)));
        // At the poles all points of a row are one, so the normal is taken a little beside it.
        if (dot(normal, normal) < 0.5f) {
            float beside = v < 0.5f ? v + 0.01f : v - 0.01f;
            normal = normalize(cross(patch.along_u(0.5f, beside), patch.along_v(0.5f, beside)));
            normal = {0, normal.y < 0 ? -1.0f : 1.0f, 0};
        }
        return Vertex{position, normal, left + (right - left) * u, top + (bottom - top) * v};
    });
}

/// Four patches around the axis.
inline void add_turned(Shape &shape, const ProfilePoint *profile, int quads, float top, float bottom) {
    for (int quarter = 0; quarter < 4; quarter++) {
        const float turns[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        const float *from = turns[quarter], *to = turns[(quarter + 1) % 4];
        Patch patch;
        for (int row = 0; row < 4; row++)
            for (int column = 0; column < 4; column++) {
                float a = column == 0 || column == 1 ? 1.0f : column == 2 ? QUARTER : 0.0f;
                float b = column == 3 || column == 2 ? 1.0f : column == 1 ? QUARTER : 0.0f;
                float r = profile[row].radius;
                patch.points[row][column] = {r * (from[0] * a + to[0] * b), profile[row].height, r * (from[1] * a + to[1] * b)};
            }
        add_patch(shape, patch, quads, quarter * 0.5f, quarter * 0.5f + 0.5f, top, bottom);
    }
}

/// The two halves of a handle or spout.
inline void add_tube(Shape &shape, const TubeRow *rows, int quads, float top, float bottom) {
    for (float side : {1.0f, -1.0f}) {
        Patch patch;
        for (int row = 0; row < 4; row++) {
            const TubeRow &r = rows[row];
            // The other half runs back, so that both turn the same way round.
            Vec3 ends[4] = {{r.x0, r.z0, 0}, {r.x0, r.z0, side * r.half_width}, {r.x1, r.z1, side * r.half_width}, {r.x1, r.z1, 0}};
            for (int column = 0; column < 4; column++) patch.points[row][column] = ends[side > 0 ? column : 3 - column];
        }
        add_patch(shape, patch, quads, side > 0 ? 0.0f : 0.5f, side > 0 ? 0.5f : 1.0f, top, bottom);
    }
}

/// The teapot, standing on y = 0, spout towards +x, `quads` x `quads` per patch.
inline Shape teapot(int quads) {
    Shape shape;
    add_turned(shape, TEAPOT_RIM, quads, 0, 0.1f);
    add_turned(shape, TEAPOT_BODY, quads, 0.1f, 0.6f);
    add_turned(shape, TEAPOT_BODY + 3, quads, 0.6f, 0.9f);
    add_turned(shape, TEAPOT_LID, quads, 0.9f, 0.95f);
    add_turned(shape, TEAPOT_LID + 3, quads, 0.0f, 0.4f);
    add_turned(shape, TEAPOT_BOTTOM, quads, 0.9f, 1);
    add_tube(shape, TEAPOT_HANDLE, quads, 0, 0.5f);
    add_tube(shape, TEAPOT_HANDLE + 3, quads, 0.5f, 1);
    add_tube(shape, TEAPOT_SPOUT, quads, 0, 0.7f);
    add_tube(shape, TEAPOT_SPOUT + 3, quads, 0.7f, 1);
    return shape;
}

} // namespace sample
