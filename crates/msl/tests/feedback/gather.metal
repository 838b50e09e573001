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

// Threads of a threadgroup: 64, 1, 1.
[[max_total_threads_per_threadgroup(64)]]
kernel void main0(uint3 workgroup_id [[threadgroup_position_in_grid]],
                  uint3 workgroup_count [[threadgroups_per_grid]],
                  uint local_index [[thread_index_in_threadgroup]],
                  constant uint4* feedback [[buffer(2)]])
{
    uint v10 = local_index + 64u * (workgroup_id.y * workgroup_count.x + workgroup_id.x);
    uint4 v11 = feedback[0];
    uint v14 = 255u & v11.x;
    uint v24 = v14 == 1u ? v10 : (v14 == 2u ? v10 >> 1u : mulhi(v10, 0xaaaaaaabu) >> 1u);
    uint v26 = v10 - v14 * v24;
    uint4 v27 = feedback[1];
    if (v24 < v27.x) {
        uint v35;
        if (v27.x <= v27.y) {
            v35 = 0u;
        } else {
            v35 = unsigned_divide(v24, v27.y);
        }
        uint v37 = v24 - v35 * v27.y;
        bool v41 = 0u != v27.z;
        uint2 v75;
        if (v41) {
            uint4 v42 = feedback[3];
            uint2 v72;
            if (0u != (v42.x | v42.y)) {
                uint v50 = v37 * 8u;
                uint2 v68 = load_device2(uint2(v50 + v42.x, mulhi(v37, 8u) + ((add_carries(v50, v42.x) ? 1u : 0u) + v42.y)));
                v72 = v68;
            } else {
                v72 = uint2(0u, v37);
            }
            v75 = v72;
        } else {
            v75 = uint2(0u, v37);
        }
        uint v88 = v26 << 3u;
        uint v97 = (255u & ((0u != (1u & v75.y) ? v11.w : v11.z) >> (v88 & 31u))) + (255u & (v11.y >> (v88 & 31u))) * v75.y;
        uint v98 = v97 + v75.x;
        uint v141 = v98;
        if (v41) {
            uint4 v103 = feedback[2];
            uint v105 = v98 * v27.z;
            uint v116 = v105 + v103.z;
            uint v130 = load_device(uint2(v116 & 0xfffffffcu, mulhi(v98, v27.z) + ((add_carries(v105, v103.z) ? 1u : 0u) + v103.w)));
            v141 = (v130 >> (((3u & v116) << 3u) & 31u)) & (0xffffffffu >> ((32u - (v27.z << 3u)) & 31u));
        }
        uint v144 = v141 + v27.w;
        uint v147 = v35 + feedback[2].x;
        uint4 v148 = feedback[15];
        uint v155 = v144 * v148.z;
        uint v164 = 2u + v155;
        bool v176 = 0u == mulhi(v144, v148.z) + (add_carries(2u, v155) ? 1u : 0u) && (4u <= v148.w && v164 <= v148.w - 4u);
        uint v222 = 0u;
        if (v176) {
            uint v185 = v164 + v148.x;
            uint v186 = (add_carries(v164, v148.x) ? 1u : 0u) + v148.y;
            uint v193 = 3u & v185;
            uint v194 = v185 & 0xfffffffcu;
            uint v196 = v193 << 3u;
            uint v197 = load_device(uint2(v194, v186));
            uint v203 = ((3u + v193) >> 2u) << 2u;
            uint v213 = load_device(uint2(v194 + v203, v186 + (add_carries(v194, v203) ? 1u : 0u)));
            v222 = (v197 >> (v196 & 31u)) | ((v213 << 1u) << ((31u - v196) & 31u));
        }
        uint v225 = unsigned_field(v222, 0u, 16u);
        uint v228 = unsigned_field(v222, 16u, 16u);
        uint4 v273;
        while (true) {
            if (1u == (1u & v144)) {
                v273 = uint4(v144, v147, v225, v228);
                break;
            }
            v273 = uint4(v144, v147, v225, v228);
            break;
        }
        uint4 v239 = feedback[4];
        uint v242 = v10 * 16u;
        store_device4(uint2(v242 + v239.x, mulhi(v10, 16u) + ((add_carries(v242, v239.x) ? 1u : 0u) + v239.y)), v273);
    }
}
