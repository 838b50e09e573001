// Runs a function of Metal's language in the process of the software Metal: the lanes of a quad or of a threadgroup, each on a stack of its
// own; `crates/metal-soft/src/call` has the other side of these structures. The text is compiled with clang's instrumentation of memory
// accesses and of blocks, whose calls end here: so accesses outside of what is bound or resident are found, shaders end, and what helper
// lanes write is taken back.
#pragma once

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
typedef unsigned long size_t;
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

extern "C" {
float floorf(float);
float ceilf(float);
float truncf(float);
float rintf(float);
float roundf(float);
float fmaf(float, float, float);
float fmodf(float, float);
float sqrtf(float);
float exp2f(float);
float log2f(float);
float expf(float);
float logf(float);
float powf(float, float);
float sinf(float);
float cosf(float);
float tanf(float);
float asinf(float);
float acosf(float);
float atanf(float);
float atan2f(float, float);
}

// Code of the runner: not instrumented.
#define SOFT_RAW __attribute__((no_sanitize("kernel-address", "coverage")))
// What lanes do together: one call in the text is one call in the code.
#define SOFT_TOGETHER __attribute__((noinline, convergent))
#define SOFT_IN SOFT_RAW __attribute__((always_inline)) static inline

namespace soft {

constexpr uint32_t IN = 32, OUT = 36, MOST_LANES = 1024;

/// Memory that shaders may reach.
struct Range {
    uint64_t begin, end;
    uint64_t writable;
};

/// A lookup of a texture.
struct Lookup {
    uint32_t texture;
    /// Of the table, or all bits for `state`.
    uint32_t sampler;
    uint64_t state;
    /// 0 a level, 1 by gradients, 2 gathers.
    uint32_t kind;
    uint32_t compares;
    uint32_t component;
    uint32_t layer;
    int32_t offset[3];
    float coord[3], dx[3], dy[3];
    /// Of the quad, which the level of detail comes of.
    float quad_dx[3], quad_dy[3];
    /// Level, or bias.
    float lod;
    float least;
    float reference;
};

/// A texel.
struct Texel {
    uint32_t texture;
    uint32_t at[3];
    uint32_t layer;
    uint32_t level;
    uint32_t sample;
    uint32_t operation;
    uint32_t value[4];
};

/// What an invocation has and gives.
struct Lane {
    float position[4];
    float clip[8];
    float point_size;
    float point_coord[2];
    float depth;
    uint32_t vertex_id, instance_id, base_vertex, base_instance;
    uint32_t primitive_id, sample_id, sample_mask_in, front_facing;
    uint32_t stencil, sample_mask, layer, viewport;
    /// No pixel of the primitive, or thrown away.
    uint32_t helper;
    /// It was ended.
    uint32_t killed;
    uint32_t local[3];
    uint32_t padding;
    uint32_t color_in[8][4];
    uint32_t in[IN][4];
    uint32_t out[OUT][4];
};

/// What a run reads and writes.
struct Run {
    void *user;
    void (*sample)(void *user, const Lookup *lookup, uint32_t *texel);
    void (*read)(void *user, Texel *texel);
    void (*write)(void *user, Texel *texel);
    uint32_t (*query)(void *user, uint32_t texture, uint32_t what, uint32_t level);
    void *buffers[31];
    const Range *ranges;
    uint64_t range_count;
    Lane *lanes;
    uint8_t *stacks;
    uint64_t stack_size;
    /// Blocks that are left.
    uint64_t steps;
    uint32_t group_size[3], group_id[3], group_count[3];
    /// Whether the lanes are those of a quad: others have no derivatives.
    uint32_t quad;
    /// 1 reads, 2 writes outside of memory, 3 no end, 4 a barrier that not all reach.
    uint32_t fault;
    uint64_t fault_address;
    uint64_t fault_size;
};

inline Run *run;
inline uint32_t lane;
inline uint32_t lanes;
/// Lanes that exchange: 4 in a quad, 32 in a threadgroup, 1 of vertices.
inline uint32_t simd;

// Every lane has its own stack, and they take turns at each exchange.

enum State : uint8_t { READY, EXCHANGE, BARRIER, DONE };
struct Fiber {
    void *at;
    void *site;
    State state;
};
inline Fiber fibers[MOST_LANES];
inline void *scheduler;

#if defined(__x86_64__)
/// Saves what a call keeps, and goes on where another stack was left.
__attribute__((naked, noinline)) SOFT_RAW inline void change(void **, void *)
{
    asm("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
        "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
        "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret");
}
constexpr int SAVED = 6, RETURN = 6;
#elif defined(__aarch64__)
__attribute__((naked, noinline)) SOFT_RAW inline void change(void **, void *)
{
    asm("stp x29, x30, [sp, #-160]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n mov x9, sp\n str x9, [x0]\n mov sp, x1\n"
        "ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n ldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\n ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\n ldp x29, x30, [sp], #160\n ret");
}
constexpr int SAVED = 20, RETURN = 1;
#else
#error "no way to change stacks on this processor"
#endif

/// What helper lanes wrote over, to be put back.
struct Undo {
    uint64_t at, size;
    uint8_t old[16];
};
constexpr uint32_t UNDOS = 1024;
inline Undo undos[UNDOS];
inline uint32_t undo_count;

SOFT_RAW inline void leave(State state, void *site)
{
    while (undo_count > 0) {
        Undo &undo = undos[--undo_count];
        for (uint64_t i = 0; i < undo.size; i++) {
            reinterpret_cast<uint8_t *>(undo.at)[i] = undo.old[i];
        }
    }
    uint32_t self = lane;
    fibers[self].state = state;
    fibers[self].site = site;
    change(&fibers[self].at, scheduler);
}

SOFT_RAW inline void kill(uint32_t fault, uint64_t address, uint64_t size)
{
    if (run->fault == 0) {
        run->fault = fault;
        run->fault_address = address;
        run->fault_size = size;
    }
    run->lanes[lane].killed = 1;
    run->lanes[lane].helper = 1;
    leave(DONE, nullptr);
}

} // namespace soft

/// Where this library lies, with its variables.
extern "C" {
extern char __ehdr_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));
}

namespace soft {

/// Looks at an access to memory.
SOFT_RAW inline void access(uint64_t at, uint64_t size, bool writes)
{
    // Variables of the text begin before anything runs.
    if (run == nullptr) {
        return;
    }
    uint64_t stack = reinterpret_cast<uint64_t>(run->stacks) + lane * run->stack_size;
    if (at - stack < run->stack_size) {
        return;
    }
    uint64_t own = reinterpret_cast<uint64_t>(__ehdr_start);
    if (at - own < reinterpret_cast<uint64_t>(_end) - own) {
        return;
    }
    // What belongs to another lane's stack, too: references into it are not kept.
    for (uint64_t i = 0; i < run->range_count; i++) {
        const Range &range = run->ranges[i];
        if (at >= range.begin && at + size <= range.end && at + size >= at && (!writes || range.writable)) {
            if (writes && run->lanes[lane].helper) {
                if (undo_count == UNDOS || size > 16) {
                    kill(3, at, size);
                }
                Undo &undo = undos[undo_count++];
                undo.at = at;
                undo.size = size;
                for (uint64_t j = 0; j < size; j++) {
                    undo.old[j] = reinterpret_cast<const uint8_t *>(at)[j];
                }
            }
            return;
        }
    }
    kill(writes ? 2 : 1, at, size);
}

} // namespace soft

#define SOFT_ACCESS(n)                                                                                                 \
    SOFT_RAW __attribute__((used, visibility("hidden"))) void __asan_load##n##_noabort(unsigned long at)               \
    {                                                                                                                  \
        soft::access(at, n, false);                                                                                    \
    }                                                                                                                  \
    SOFT_RAW __attribute__((used, visibility("hidden"))) void __asan_store##n##_noabort(unsigned long at)              \
    {                                                                                                                  \
        soft::access(at, n, true);                                                                                     \
    }
extern "C" {
SOFT_ACCESS(1)
SOFT_ACCESS(2)
SOFT_ACCESS(4)
SOFT_ACCESS(8)
SOFT_ACCESS(16)
SOFT_RAW __attribute__((used, visibility("hidden"))) void __asan_loadN_noabort(unsigned long at, unsigned long size)
{
    soft::access(at, size, false);
}
SOFT_RAW __attribute__((used, visibility("hidden"))) void __asan_storeN_noabort(unsigned long at, unsigned long size)
{
    for (; size > 16; size -= 16, at += 16) {
        soft::access(at, 16, true);
    }
    soft::access(at, size, true);
}
SOFT_RAW __attribute__((used, visibility("hidden"))) void __asan_handle_no_return() {}
SOFT_RAW __attribute__((used, visibility("hidden"))) void __sanitizer_cov_trace_pc()
{
    if (soft::run != nullptr && soft::run->steps-- == 0) {
        soft::run->steps = 0;
        soft::kill(3, 0, 0);
    }
}
/// Halves, where the processor has none.
SOFT_RAW __attribute__((used, visibility("hidden"))) inline float __gnu_h2f_ieee(unsigned short a)
{
    unsigned size = a & 0x7fffu, bits;
    if (size >= 0x7c00u) {
        bits = size << 13 | 0x7f800000u;
    } else if (size < 0x400u) {
        bits = __builtin_bit_cast(unsigned, static_cast<float>(size) / 16777216.0f);
    } else {
        bits = (size << 13) + 0x38000000u;
    }
    return __builtin_bit_cast(float, bits | (a & 0x8000u) << 16);
}
SOFT_RAW __attribute__((used, visibility("hidden"))) inline unsigned short __gnu_f2h_ieee(float a)
{
    unsigned bits = __builtin_bit_cast(unsigned, a), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu, out;
    if (size > 0x7f800000u) {
        out = 0x7e00u;
    } else if (size >= 0x477ff000u) {
        out = 0x7c00u;
    } else if (size < 0x38800000u) {
        out = __builtin_bit_cast(unsigned, __builtin_bit_cast(float, size) + 0.5f) - 0x3f000000u;
    } else {
        out = (size - 0x38000000u + 0xfffu + (size >> 13 & 1u)) >> 13;
    }
    return static_cast<unsigned short>(sign | out);
}
/// Copies of structures call these.
SOFT_RAW __attribute__((used, visibility("hidden"))) void *memcpy(void *to, const void *from, unsigned long size)
{
    if (size > 0) {
        __asan_loadN_noabort(reinterpret_cast<unsigned long>(from), size);
        __asan_storeN_noabort(reinterpret_cast<unsigned long>(to), size);
    }
    for (unsigned long i = 0; i < size; i++) {
        static_cast<volatile uint8_t *>(to)[i] = static_cast<const uint8_t *>(from)[i];
    }
    return to;
}
SOFT_RAW __attribute__((used, visibility("hidden"))) void *memset(void *to, int value, unsigned long size)
{
    if (size > 0) {
        __asan_storeN_noabort(reinterpret_cast<unsigned long>(to), size);
    }
    for (unsigned long i = 0; i < size; i++) {
        static_cast<volatile uint8_t *>(to)[i] = static_cast<uint8_t>(value);
    }
    return to;
}
}

namespace soft {

/// What each lane gives at an exchange, and what all have given at the last.
inline uint32_t offered[MOST_LANES][4], given[MOST_LANES][4];
inline void *given_site[MOST_LANES];

/// The function of the text, called with what the lane has: written for each.
void entry();

SOFT_RAW inline void lane_main()
{
    entry();
    leave(DONE, nullptr);
}

/// Runs so many lanes to their end.
SOFT_RAW inline void run_lanes(Run *with, uint32_t count, uint32_t exchanging)
{
    run = with;
    lanes = count;
    simd = exchanging;
    undo_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t top = reinterpret_cast<uint64_t>(with->stacks + (i + 1) * with->stack_size);
        uint64_t *at = reinterpret_cast<uint64_t *>(top - 16 - (SAVED + 2) * 8);
        for (int j = 0; j < SAVED + 2; j++) {
            at[j] = 0;
        }
        at[RETURN] = reinterpret_cast<uint64_t>(&lane_main);
        fibers[i].at = at;
        fibers[i].site = nullptr;
        fibers[i].state = READY;
    }
    for (;;) {
        uint32_t left = 0, barriers = 0;
        for (lane = 0; lane < count; lane++) {
            if (fibers[lane].state == READY) {
                change(&scheduler, fibers[lane].at);
            }
            left += fibers[lane].state != DONE;
            barriers += fibers[lane].state == BARRIER;
        }
        if (left == 0) {
            return;
        }
        // Of lanes that exchange with each other those go on that are furthest behind: so they come together again after they parted.
        bool any = false;
        for (uint32_t first = 0; first < count; first += exchanging) {
            void *site = nullptr;
            for (uint32_t i = first; i < first + exchanging && i < count; i++) {
                bool behind = site == nullptr || fibers[i].site < site;
                site = fibers[i].state == EXCHANGE && behind ? fibers[i].site : site;
            }
            for (uint32_t i = first; i < first + exchanging && i < count; i++) {
                if (fibers[i].state != EXCHANGE || fibers[i].site != site) {
                    given_site[i] = nullptr;
                    continue;
                }
                for (int j = 0; j < 4; j++) {
                    given[i][j] = offered[i][j];
                }
                given_site[i] = site;
                fibers[i].state = READY;
                any = true;
            }
        }
        if (any) {
            continue;
        }
        if (barriers < count && run->fault == 0) {
            run->fault = 4;
        }
        for (uint32_t i = 0; i < count; i++) {
            fibers[i].state = fibers[i].state == BARRIER ? READY : fibers[i].state;
        }
    }
}

} // namespace soft

extern "C" SOFT_RAW __attribute__((used, visibility("default"))) inline void soft_run(soft::Run *run, uint32_t count, uint32_t simd)
{
    soft::run_lanes(run, count, simd);
}

// What the library calls.
namespace judge {

struct Exchanged {
    int count;

    /// Difference to the neighbour in the direction of the bit.
    SOFT_RAW Exchanged difference(int bit, float *out) const
    {
        for (int i = 0; i < count; i++) {
            float a = __builtin_bit_cast(float, soft::given[soft::lane | bit][i]);
            float b = __builtin_bit_cast(float, soft::given[soft::lane & ~bit][i]);
            out[i] = a - b;
        }
        return *this;
    }

    /// Difference of the first lane of the quad to that neighbour.
    SOFT_RAW Exchanged first(int bit, float *out) const
    {
        for (int i = 0; i < count; i++) {
            out[i] = __builtin_bit_cast(float, soft::given[bit][i]) - __builtin_bit_cast(float, soft::given[0][i]);
        }
        return *this;
    }
};

SOFT_RAW inline Exchanged exchange(void *site, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        soft::offered[soft::lane][i] = __builtin_bit_cast(uint32_t, values[i]);
    }
    soft::leave(soft::EXCHANGE, site);
    return {count};
}

SOFT_RAW inline void wait(void *site)
{
    soft::leave(soft::BARRIER, site);
}

SOFT_RAW __attribute__((noinline)) inline void demote()
{
    // What it writes from here on is taken back: what it wrote before is not.
    soft::run->lanes[soft::lane].helper = 1;
}

} // namespace judge
