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
    uint v36 = vertex_index;
    if (0u != v2.z) {
        uint4 v6 = feedback[2];
        uint v8 = vertex_index * v2.z;
        uint v16 = v8 + v6.z;
        uint v26 = load_device(uint2(v16 & 0xfffffffcu, mulhi(vertex_index, v2.z) + ((add_carries(v8, v6.z) ? 1u : 0u) + v6.w)));
        v36 = (v26 >> (((v16 & 3u) << 3u) & 31u)) & (0xffffffffu >> ((32u - (v2.z << 3u)) & 31u));
    }
    uint v39 = v36 + v2.w;
    uint v42 = instance_index + feedback[2].x;
    uint4 v43 = feedback[15];
    uint v50 = v39 * v43.z;
    uint v55 = 2u + v50;
    uint v95 = 0u;
    if (mulhi(v39, v43.z) + (add_carries(2u, v50) ? 1u : 0u) == 0u && (4u <= v43.w && v55 <= v43.w - 4u)) {
        uint v70 = v55 + v43.x;
        uint v71 = (add_carries(v55, v43.x) ? 1u : 0u) + v43.y;
        uint v73 = 3u & v70;
        uint v74 = 0xfffffffcu & v70;
        uint v76 = v73 << 3u;
        uint v77 = load_device(uint2(v74, v71));
        uint v81 = ((3u + v73) >> 2u) << 2u;
        uint v87 = load_device(uint2(v74 + v81, v71 + (add_carries(v74, v81) ? 1u : 0u)));
        v95 = (v77 >> (v76 & 31u)) | ((v87 << 1u) << ((31u - v76) & 31u));
    }
    uint v97 = unsigned_field(v95, 0u, 16u);
    uint v98 = unsigned_field(v95, 16u, 16u);
    uint4 v255;
    while (true) {
        if (1u == (1u & v39)) {
            v255 = uint4(v39, v42, v97, v98);
            break;
        }
        v255 = uint4(v39, v42, v97, v98);
        break;
    }
    uint4 v107 = feedback[0];
    uint v110 = 255u & v107.x;
    uint4 v112 = feedback[3];
    uint3 v170;
    if ((v112.x | v112.y) != 0u) {
        uint v257 = 0u;
        uint v258 = v2.y;
        while (true) {
            if (v258 <= v257) {
                break;
            }
            uint v126 = ((v258 - v257) >> 1u) + v257;
            uint v127 = 8u * v126;
            uint v139 = load_device(uint2(v127 + v112.x, mulhi(8u, v126) + ((add_carries(v127, v112.x) ? 1u : 0u) + v112.y)));
            bool v141 = v139 <= vertex_index;
            v257 = v141 ? 1u + v126 : v257;
            v258 = v141 ? v258 : v126;
        }
        uint3 v168;
        if (0u == v257) {
            v168 = uint3(0u);
        } else {
            uint v148 = v257 - 1u;
            uint v149 = 8u * v148;
            uint2 v161 = load_device2(uint2(v149 + v112.x, mulhi(8u, v148) + ((add_carries(v149, v112.x) ? 1u : 0u) + v112.y)));
            v168 = uint3(v161.x, v148 - v161.y, 1u + v161.y);
        }
        v170 = v168;
    } else {
        v170 = uint3(uint2(0u), v2.y);
    }
    uint v174 = vertex_index - v170.x;
    uint v179 = instance_index * v2.y;
    uint v184 = v179 + v170.y;
    bool v187 = mulhi(instance_index, v2.y) + (add_carries(v179, v170.y) ? 1u : 0u) == 0u;
    uint v263 = 0u;
    while (true) {
        uint v189 = v263 >> 1u;
        if (v110 <= v189) {
            break;
        }
        uint v191 = 1u & v263;
        uint v199 = v189 << 3u;
        uint v201 = 255u & (v107.y >> (v199 & 31u));
        uint v204 = 255u & (((1u & v191) != 0u ? v107.w : v107.z) >> (v199 & 31u));
        bool v205 = v201 == 0u;
        uint v206 = v174 - v204;
        uint v207 = unsigned_divide(v206, v201);
        if (v187 && (v205 ? v206 == 0u : v204 <= v174 && (v206 == v201 * v207 && v191 == (1u & v207)))) {
            uint v265 = v205 ? v191 : v207;
            while (true) {
                uint v220 = v184 + v265;
                if (!(!(v220 < v184) && (v265 < v170.z && v220 < v2.x))) {
                    break;
                }
                uint v229 = v189 + v110 * v220;
                uint4 v230 = feedback[4];
                uint v232 = 16u * v229;
                store_device4(uint2(v232 + v230.x, mulhi(16u, v229) + ((add_carries(v232, v230.x) ? 1u : 0u) + v230.y)), v255);
                if (v201 != 0u) {
                    break;
                }
                v265 = 2u + v265;
            }
        }
        v263 = 1u + v263;
    }
}
