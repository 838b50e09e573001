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
        uint v35 = 0u;
        if (!(v27.x <= v27.y)) {
            v35 = unsigned_divide(v24, v27.y);
        }
        uint v37 = v24 - v35 * v27.y;
        bool v40 = 0u != v27.z;
        uint2 v65;
        if (v40) {
            uint4 v41 = feedback[3];
            uint2 v63;
            if (0u != (v41.x | v41.y)) {
                uint v48 = v37 * 8u;
                uint2 v60 = load_device2(uint2(v48 + v41.x, mulhi(v37, 8u) + ((add_carries(v48, v41.x) ? 1u : 0u) + v41.y)));
                v63 = v60;
            } else {
                v63 = uint2(0u, v37);
            }
            v65 = v63;
        } else {
            v65 = uint2(0u, v37);
        }
        uint v76 = v26 << 3u;
        uint v83 = (255u & ((0u != (1u & v65.y) ? v11.w : v11.z) >> (v76 & 31u))) + (255u & (v11.y >> (v76 & 31u))) * v65.y;
        uint v84 = v83 + v65.x;
        uint v116 = v84;
        if (v40) {
            uint4 v88 = feedback[2];
            uint v90 = v84 * v27.z;
            uint v97 = v90 + v88.z;
            uint v106 = load_device(uint2(v97 & 0xfffffffcu, mulhi(v84, v27.z) + ((add_carries(v90, v88.z) ? 1u : 0u) + v88.w)));
            v116 = (v106 >> (((3u & v97) << 3u) & 31u)) & (0xffffffffu >> ((32u - (v27.z << 3u)) & 31u));
        }
        uint v119 = v116 + v27.w;
        uint v122 = v35 + feedback[2].x;
        uint4 v123 = feedback[15];
        uint v130 = v119 * v123.z;
        uint v135 = 2u + v130;
        bool v144 = 0u == mulhi(v119, v123.z) + (add_carries(2u, v130) ? 1u : 0u) && (4u <= v123.w && v135 <= v123.w - 4u);
        uint v175 = 0u;
        if (v144) {
            uint v150 = v135 + v123.x;
            uint v151 = (add_carries(v135, v123.x) ? 1u : 0u) + v123.y;
            uint v153 = 3u & v150;
            uint v154 = 0xfffffffcu & v150;
            uint v156 = v153 << 3u;
            uint v157 = load_device(uint2(v154, v151));
            uint v161 = ((3u + v153) >> 2u) << 2u;
            uint v167 = load_device(uint2(v154 + v161, v151 + (add_carries(v154, v161) ? 1u : 0u)));
            v175 = (v157 >> (v156 & 31u)) | ((v167 << 1u) << ((31u - v156) & 31u));
        }
        uint v177 = unsigned_field(v175, 0u, 16u);
        uint v178 = unsigned_field(v175, 16u, 16u);
        uint4 v209;
        while (true) {
            if (1u == (1u & v119)) {
                v209 = uint4(v119, v122, v177, v178);
                break;
            }
            v209 = uint4(v119, v122, v177, v178);
            break;
        }
        uint4 v187 = feedback[4];
        uint v189 = v10 * 16u;
        store_device4(uint2(v189 + v187.x, mulhi(v10, 16u) + ((add_carries(v189, v187.x) ? 1u : 0u) + v187.y)), v209);
    }
}
