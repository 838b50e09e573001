// witness
#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif

// All bits for a division by zero.
static inline uint unsigned_divide(uint a, uint b)
{
    return b == 0u ? 0xffffffffu : a / b;
}

// c bits of a from bit b on.
static inline uint unsigned_field(uint a, uint b, uint c)
{
    return a >> (b & 31u) & ~(0xffffffffu << (c & 31u));
}

// Whether the sum does not fit.
static inline bool add_carries(uint a, uint b)
{
    return a + b < a;
}

// The word at a device address, the lowest two bits of which do not count.
static inline device uint* device_word(uint2 address)
{
    return reinterpret_cast<device uint*>(as_type<ulong>(address & uint2(0xfffffffcu, 0xffffffffu)));
}

static inline uint load_device(uint2 address)
{
    device uint* at = device_word(address);
    return at[0];
}

static inline uint2 load_device2(uint2 address)
{
    device uint* at = device_word(address);
    return uint2(at[0], at[1]);
}

static inline void store_device4(uint2 address, uint4 value)
{
    device uint* at = device_word(address);
    at[0] = value.x;
    at[1] = value.y;
    at[2] = value.z;
    at[3] = value.w;
}

vertex void main0(uint vertex_index [[vertex_id]],
                  uint instance_index [[instance_id]],
                  constant uint4* feedback [[buffer(2)]])
{
    uint4 v2 = feedback[1];
    uint v44 = vertex_index;
    if (0u != v2.z) {
        uint4 v6 = feedback[2];
        uint v8 = vertex_index * v2.z;
        uint v19 = v8 + v6.z;
        uint v33 = load_device(uint2(v19 & 0xfffffffcu, mulhi(vertex_index, v2.z) + ((add_carries(v8, v6.z) ? 1u : 0u) + v6.w)));
        v44 = (v33 >> (((v19 & 3u) << 3u) & 31u)) & (0xffffffffu >> ((32u - (v2.z << 3u)) & 31u));
    }
    uint v47 = v44 + v2.w;
    uint v50 = instance_index + feedback[2].x;
    uint4 v51 = feedback[15];
    uint v58 = v47 * v51.z;
    uint v67 = 2u + v58;
    uint v125 = 0u;
    if (mulhi(v47, v51.z) + (add_carries(2u, v58) ? 1u : 0u) == 0u && (4u <= v51.w && v67 <= v51.w - 4u)) {
        uint v88 = v67 + v51.x;
        uint v89 = (add_carries(v67, v51.x) ? 1u : 0u) + v51.y;
        uint v96 = v88 & 3u;
        uint v97 = v88 & 0xfffffffcu;
        uint v99 = v96 << 3u;
        uint v100 = load_device(uint2(v97, v89));
        uint v106 = ((3u + v96) >> 2u) << 2u;
        uint v116 = load_device(uint2(v97 + v106, v89 + (add_carries(v97, v106) ? 1u : 0u)));
        v125 = (v100 >> (v99 & 31u)) | ((v116 << 1u) << ((31u - v99) & 31u));
    }
    uint v128 = unsigned_field(v125, 0u, 16u);
    uint v131 = unsigned_field(v125, 16u, 16u);
    uint4 v330;
    while (true) {
        if (1u == (v47 & 1u)) {
            v330 = uint4(v47, v50, v128, v131);
            break;
        }
        v330 = uint4(v47, v50, v128, v131);
        break;
    }
    uint4 v142 = feedback[0];
    uint v145 = 255u & v142.x;
    uint4 v149 = feedback[3];
    uint3 v222;
    if ((v149.x | v149.y) != 0u) {
        uint v332 = 0u;
        uint v333 = v2.y;
        while (true) {
            if (v333 <= v332) {
                break;
            }
            uint v166 = ((v333 - v332) >> 1u) + v332;
            uint v167 = 8u * v166;
            uint v185 = load_device(uint2(v167 + v149.x, mulhi(8u, v166) + ((add_carries(v167, v149.x) ? 1u : 0u) + v149.y)));
            bool v187 = v185 <= vertex_index;
            v332 = v187 ? 1u + v166 : v332;
            v333 = v187 ? v333 : v166;
        }
        uint3 v220;
        if (0u == v332) {
            v220 = uint3(0u);
        } else {
            uint v194 = v332 - 1u;
            uint v195 = 8u * v194;
            uint2 v213 = load_device2(uint2(v195 + v149.x, mulhi(8u, v194) + ((add_carries(v195, v149.x) ? 1u : 0u) + v149.y)));
            v220 = uint3(v213.x, v194 - v213.y, 1u + v213.y);
        }
        v222 = v220;
    } else {
        v222 = uint3(uint2(0u), v2.y);
    }
    uint v226 = vertex_index - v222.x;
    uint v231 = instance_index * v2.y;
    uint v240 = v231 + v222.y;
    bool v245 = mulhi(instance_index, v2.y) + (add_carries(v231, v222.y) ? 1u : 0u) == 0u;
    uint v338 = 0u;
    while (true) {
        uint v247 = v338 >> 1u;
        if (v145 <= v247) {
            break;
        }
        uint v249 = 1u & v338;
        uint v260 = v247 << 3u;
        uint v262 = 255u & (v142.y >> (v260 & 31u));
        uint v267 = 255u & (((1u & v249) != 0u ? v142.w : v142.z) >> (v260 & 31u));
        bool v268 = v262 == 0u;
        uint v269 = v226 - v267;
        uint v270 = unsigned_divide(v269, v262);
        if (v245 && (v268 ? v269 == 0u : v267 <= v226 && (v269 == v262 * v270 && v249 == (1u & v270)))) {
            uint v340 = v268 ? v249 : v270;
            while (true) {
                uint v283 = v240 + v340;
                if (!(!(v283 < v240) && (v340 < v222.z && v283 < v2.x))) {
                    break;
                }
                uint v292 = v247 + v145 * v283;
                uint4 v293 = feedback[4];
                uint v296 = 16u * v292;
                store_device4(uint2(v296 + v293.x, mulhi(16u, v292) + ((add_carries(v296, v293.x) ? 1u : 0u) + v293.y)), v330);
                if (v262 != 0u) {
                    break;
                }
                v340 = 2u + v340;
            }
        }
        v338 = 1u + v338;
    }
}
