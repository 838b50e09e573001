// Runs shaders that were compiled against our `metal_stdlib`: four lanes, or threadgroups, with inputs, constants, memory and texture
// lookups that the interpreter had. `mod.rs` writes the file that this reads, and reads what it writes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

extern "C" {
float floorf(float);
float ceilf(float);
float truncf(float);
float rintf(float);
float fmaf(float, float, float);
float sqrtf(float);
float exp2f(float);
float log2f(float);
float sinf(float);
float cosf(float);
}

namespace judge {

constexpr int LANES = 4;

/// How the level of a lookup is chosen.
enum class Kind : uint32_t {
    Level,
    Gradient,
    Gather,
};

/// What a lookup is made with.
struct Lookup {
    uint32_t slot;
    Kind kind;
    float coord[3];
    float dx[3];
    float dy[3];
    /// Level, or bias.
    float lod;
    uint32_t compares;
    float reference;
};
constexpr int LOOKUP_WORDS = sizeof(Lookup) / 4;
constexpr int LOOKUP_FLOATS = 2;

/// What a run reads and writes.
struct Run {
    /// Constants, system block, feedback, and storage buffers in the order of the arguments.
    std::vector<uint32_t *> blocks;
    /// Lanes of inputs of four words.
    const uint32_t *inputs;
    const uint32_t *lookups;
    uint32_t lookup_count;

    /// As `inputs`.
    std::vector<uint32_t> outputs;
    uint32_t demoted[LANES];
    /// Lookups that the interpreter did not make.
    uint32_t strange;
    Lookup first_strange;
    /// Whether a derivative was taken where the lanes had gone different ways.
    uint32_t diverged;
};

inline Run run;
inline int lane;
/// Of the threadgroup that runs.
inline uint32_t group_size[3], group_id[3], group_count[3];
/// Of the lane that begins.
inline uint32_t local_id[3];

/// A shader: what it is, and the function that runs it in the current lane.
struct Shader {
    void (*run)();
    uint32_t inputs;
    uint32_t outputs;
    bool quad;
    /// Threads of a threadgroup, or zeros.
    uint32_t group[3];
};

// Inputs and outputs.

template <class T> inline T input(int index)
{
    T out;
    static_assert(sizeof(T) <= 16, "four words");
    memcpy(&out, run.inputs + (index * LANES + lane) * 4, sizeof(T));
    return out;
}

template <> inline bool input<bool>(int index)
{
    return run.inputs[(index * LANES + lane) * 4] != 0;
}

template <class T> inline void output(int index, T value)
{
    memcpy(&run.outputs[(index * LANES + lane) * 4], &value, sizeof(T));
}

inline void output_component(int index, int component, float value)
{
    memcpy(&run.outputs[(index * LANES + lane) * 4 + component], &value, 4);
}

inline void demote()
{
    run.demoted[lane] = 1;
}

// Function constants: `specs` has those of each shader, in the order of the shaders.

struct Spec {
    uint32_t shader;
    uint32_t id;
    uint32_t bits;
};

extern const std::vector<Spec> specs;
inline uint32_t shader_of_specs;
inline bool function_constant_is_set;

inline int begin_shader(uint32_t shader)
{
    shader_of_specs = shader;
    return 0;
}

struct FunctionConstant {
    uint32_t bits;

    operator uint32_t() const { return bits; }
    operator float() const { return __builtin_bit_cast(float, bits); }
    operator bool() const { return bits != 0; }
};

inline FunctionConstant function_constant(uint32_t id)
{
    for (const Spec &spec : specs) {
        if (spec.shader == shader_of_specs && spec.id == id) {
            function_constant_is_set = true;
            return {spec.bits};
        }
    }
    function_constant_is_set = false;
    return {0};
}

// Every lane has its own stack, and they take turns at each exchange: of a quad, or of a threadgroup at a barrier.

constexpr size_t STACK = 1 << 20;
constexpr int MOST_LANES = 1024;
struct Fiber {
    void *stack;
    ucontext_t context;
    bool done;
    /// Where it waits.
    void *site;
};
inline Fiber fibers[MOST_LANES];
inline ucontext_t scheduler;
/// What each lane of a quad gives at an exchange, and what all have given at the last.
inline float offered[LANES][4], given[LANES][4];

/// Waits until all lanes do.
inline void wait(void *site)
{
    int self = lane;
    fibers[self].site = site;
    swapcontext(&fibers[self].context, &scheduler);
}

/// One NaN for all, since its bits are open.
inline float number(float f)
{
    return f == f ? f : __builtin_bit_cast(float, 0x7fc00000);
}

struct Exchanged {
    int count;

    /// Difference to the neighbour in the direction of the bit.
    Exchanged difference(int bit, float *out) const
    {
        for (int i = 0; i < count; i++) {
            out[i] = number(given[lane | bit][i] - given[lane & ~bit][i]);
        }
        return *this;
    }
};

inline Exchanged exchange(void *site, const float *values, int count)
{
    memcpy(offered[lane], values, sizeof(float) * count);
    wait(site);
    return {count};
}

inline void (*entry)();

inline void lane_main()
{
    if (group_size[0] != 0) {
        uint32_t rest = lane;
        for (int i = 0; i < 3; i++) {
            local_id[i] = rest % group_size[i];
            rest /= group_size[i];
        }
    }
    entry();
    fibers[lane].done = true;
    setcontext(&scheduler);
}

inline void run_lanes(void (*shader)(), int count)
{
    entry = shader;
    for (int i = 0; i < count; i++) {
        Fiber &fiber = fibers[i];
        if (fiber.stack == nullptr) {
            int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
            fiber.stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, flags, -1, 0);
            if (fiber.stack == MAP_FAILED) {
                perror("judge");
                exit(2);
            }
        }
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack;
        fiber.context.uc_stack.ss_size = STACK;
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, lane_main, 0);
        fiber.done = false;
        fiber.site = nullptr;
    }
    for (;;) {
        int left = 0;
        for (lane = 0; lane < count; lane++) {
            if (!fibers[lane].done) {
                swapcontext(&scheduler, &fibers[lane].context);
                left += !fibers[lane].done;
            }
        }
        if (left == 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            run.diverged |= left < count || fibers[i].site != fibers[0].site;
        }
        memcpy(given, offered, sizeof(given));
    }
}

/// Runs all threadgroups, one after the other.
inline void run_groups(const Shader &shader, const uint32_t *count)
{
    memcpy(group_size, shader.group, sizeof(group_size));
    memcpy(group_count, count, sizeof(group_count));
    for (group_id[2] = 0; group_id[2] < count[2]; group_id[2]++) {
        for (group_id[1] = 0; group_id[1] < count[1]; group_id[1]++) {
            for (group_id[0] = 0; group_id[0] < count[0]; group_id[0]++) {
                run_lanes(shader.run, group_size[0] * group_size[1] * group_size[2]);
            }
        }
    }
}

/// Device memory, at the addresses that it has in the interpreter.
struct Memory {
    uint32_t *words;
    size_t bytes;

    Memory(const uint32_t *from, uint64_t base, uint32_t count) : words(nullptr), bytes(size_t(count) * 4)
    {
        if (count == 0) {
            return;
        }
        void *at = reinterpret_cast<void *>(base);
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
        void *found = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (found != at) {
            perror("judge: memory");
            exit(2);
        }
        words = static_cast<uint32_t *>(found);
        memcpy(words, from, bytes);
    }
    ~Memory()
    {
        if (words != nullptr) {
            munmap(words, bytes);
        }
    }
};

// Lookups.

/// How far two lookups are apart: the greatest difference relative to the numbers, or a lot if they cannot be the same.
inline float distance(const Lookup &a, const Lookup &b)
{
    if (a.slot != b.slot || a.kind != b.kind || a.compares != b.compares) {
        return 1e30f;
    }
    float far = 0.0f;
    float x[LOOKUP_WORDS], y[LOOKUP_WORDS];
    memcpy(x, &a, sizeof(a));
    memcpy(y, &b, sizeof(b));
    for (int i = LOOKUP_FLOATS; i < LOOKUP_WORDS; i++) {
        if (memcmp(&x[i], &y[i], 4) == 0 || x[i] == y[i]) {
            continue;
        }
        float size = 1.0f + __builtin_fabsf(x[i]) + __builtin_fabsf(y[i]);
        float by = __builtin_fabsf(x[i] - y[i]) / size;
        // Infinities and NaN.
        by = by == by ? by : 1e30f;
        far = by > far ? by : far;
    }
    return far;
}

/// What the interpreter found for the same lookup. Where a function may be rounded, it need not be the same to the bit.
inline void find(Lookup key, float *found)
{
    float *floats = key.coord;
    for (int i = 0; i < 10; i++) {
        floats[i] = number(floats[i]);
    }
    key.reference = number(key.reference);
    float nearest = 1e-3f;
    const uint32_t *best = nullptr;
    for (uint32_t i = 0; i < run.lookup_count; i++) {
        const uint32_t *at = run.lookups + i * (LOOKUP_WORDS + 4);
        if (memcmp(at, &key, sizeof(key)) == 0) {
            best = at;
            break;
        }
        Lookup other;
        memcpy(&other, at, sizeof(other));
        float far = distance(key, other);
        if (far < nearest) {
            nearest = far;
            best = at;
        }
    }
    if (best == nullptr) {
        if (run.strange++ == 0) {
            run.first_strange = key;
        }
        memset(found, 0, 16);
        return;
    }
    memcpy(found, best + LOOKUP_WORDS, 16);
}

/// Reads runs from one file and writes what came out to another.
inline int serve(int argc, char **argv, const Shader *shaders)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s IN OUT\n", argv[0]);
        return 2;
    }
    FILE *in = fopen(argv[1], "rb");
    FILE *out = fopen(argv[2], "wb");
    if (in == nullptr || out == nullptr) {
        perror("judge");
        return 2;
    }
    // A shader that does not end is a finding, not a reason to wait for ever.
    alarm(120);
    std::vector<uint32_t> words;
    uint32_t size;
    while (fread(&size, 4, 1, in) == 1) {
        words.resize(size);
        if (fread(words.data(), 4, size, in) != size) {
            return 2;
        }
        const uint32_t *at = words.data();
        const Shader &shader = shaders[*at++];
        auto block = [&at](uint32_t words_each) {
            uint32_t count = *at++;
            const uint32_t *begin = at;
            at += count * words_each;
            return begin;
        };
        run = Run();
        // Registers must be aligned as the vectors that they are read as.
        static std::vector<std::vector<uint32_t>> registers;
        uint32_t block_count = *at++;
        registers.resize(block_count);
        for (std::vector<uint32_t> &block_words : registers) {
            uint32_t count = *at;
            const uint32_t *from = block(4);
            block_words.assign(count * 4 + 4, 0);
            uint32_t *aligned = block_words.data();
            while (reinterpret_cast<uintptr_t>(aligned) % 16 != 0) {
                aligned++;
            }
            memcpy(aligned, from, count * 16);
            run.blocks.push_back(aligned);
        }
        run.inputs = at;
        at += shader.inputs * LANES * 4;
        run.lookup_count = *at;
        run.lookups = block(LOOKUP_WORDS + 4);
        const uint32_t *groups = at;
        uint64_t base = at[3] | uint64_t(at[4]) << 32;
        Memory memory(at + 6, base, at[5]);
        run.outputs.assign(shader.outputs * LANES * 4, 0);
        if (shader.group[0] != 0) {
            run_groups(shader, groups);
        } else if (shader.quad) {
            run_lanes(shader.run, LANES);
        } else {
            for (lane = 0; lane < LANES; lane++) {
                shader.run();
            }
        }
        fwrite(run.demoted, 4, LANES, out);
        fwrite(&run.diverged, 4, 1, out);
        fwrite(&run.strange, 4, 1, out);
        fwrite(&run.first_strange, sizeof(Lookup), 1, out);
        fwrite(run.outputs.data(), 4, run.outputs.size(), out);
        fwrite(memory.words, 1, memory.bytes, out);
        // So that it is known which shader did it if one of the next crashes.
        fflush(out);
    }
    return 0;
}

} // namespace judge
