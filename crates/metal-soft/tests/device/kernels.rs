//! Kernels, and what shaders do to memory.

use crate::kit::*;
use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

const KERNELS: &str = r#"
#include <metal_stdlib>
using namespace metal;

kernel void ids(device uint4* out [[buffer(0)]], uint3 in_grid [[thread_position_in_grid]], uint index [[thread_index_in_threadgroup]],
                uint3 group [[threadgroup_position_in_grid]], uint3 count [[threadgroups_per_grid]], uint3 size [[threads_per_threadgroup]],
                uint3 grid [[threads_per_grid]])
{
    uint at = in_grid.x + grid.x * (in_grid.y + grid.y * in_grid.z);
    out[at] = uint4(index, group.x + 16 * group.y + 256 * group.z, count.x + 16 * count.y, size.x * size.y * size.z);
}

kernel void sum(device uint* values [[buffer(0)]], device atomic_uint* total [[buffer(1)]], uint lane [[thread_index_in_threadgroup]],
                uint id [[thread_position_in_grid]])
{
    threadgroup uint shared[8];
    shared[lane] = values[id];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half = 4; half > 0; half /= 2) {
        if (lane < half) {
            shared[lane] += shared[lane + half];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lane == 0) {
        atomic_fetch_add_explicit(total, shared[0], memory_order_relaxed);
    }
}

kernel void simd(device uint* out [[buffer(0)]], uint lane [[thread_index_in_threadgroup]], uint in_simd [[thread_index_in_simdgroup]])
{
    uint sum = simd_sum(lane);
    uint odd = in_simd % 2 == 1 ? simd_sum(1u) : 0;
    ulong votes = ulong(simd_ballot(lane % 3 == 0));
    out[lane * 4] = sum;
    out[lane * 4 + 1] = odd;
    out[lane * 4 + 2] = simd_shuffle_xor(lane, 1);
    out[lane * 4 + 3] = uint(votes);
}

kernel void by_address(constant ulong& address [[buffer(0)]])
{
    device uint* at = reinterpret_cast<device uint*>(address);
    at[0] = at[1] + 1;
}

kernel void outside(device uint* out [[buffer(0)]], constant uint& at [[buffer(1)]])
{
    out[at] = 1;
}

kernel void writes_nothing(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]])
{
    device uint* same = const_cast<device uint*>(in);
    same[0] = out[0];
}

kernel void endless(device uint* out [[buffer(0)]])
{
    while (out[0] == 0) {
    }
}

kernel void parted(device uint* out [[buffer(0)]], uint lane [[thread_index_in_threadgroup]])
{
    if (lane == 0) {
        threadgroup_barrier(mem_flags::mem_none);
    }
    out[0] = 1;
}

constant uint table[4] = { 3, 1, 4, 1 };
constant float scale [[function_constant(2)]];
constant bool has_scale = is_function_constant_defined(scale);

kernel void constants(device float* out [[buffer(0)]], uint lane [[thread_index_in_threadgroup]])
{
    out[lane] = has_scale ? scale * table[lane] : -1.0f;
}
"#;

fn kernel(kit: &Kit, name: &str) -> SoftComputePipeline {
    kit.device.new_compute_pipeline(&kit.function(KERNELS, name), name).unwrap()
}

/// Runs a kernel on buffers from index 0 on.
fn run(kit: &mut Kit, name: &str, buffers: &[&SoftBuffer], groups: [u32; 3], threads: [u32; 3]) {
    let pipeline = kernel(kit, name);
    kit.queue.begin_compute(name);
    kit.queue.set_compute_pipeline(&pipeline);
    for (n, buffer) in buffers.iter().enumerate() {
        kit.queue.set_buffer(Stage::Kernel, n as u32, buffer, 0);
    }
    kit.queue.dispatch(groups, threads);
    kit.queue.end_encoding();
    kit.queue.commit();
}

#[test]
fn where_threads_are() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let out = kit.empty(16 * 4 * 6 * 2);
    run(&mut kit, "ids", &[&out], [2, 3, 1], [2, 2, 2]);
    kit.fine();
    let words = kit.words_of(&out, 4 * 4 * 6 * 2);
    for z in 0..2 {
        for y in 0..6 {
            for x in 0..4 {
                let at = x + 4 * (y + 6 * z);
                let expected = [x % 2 + 2 * (y % 2) + 4 * z, x / 2 + 16 * (y / 2), 2 + 16 * 3, 8].map(|v| v as u32);
                assert_eq!(words[at * 4..][..4], expected, "{x} {y} {z}");
            }
        }
    }
}

#[test]
fn barriers_shared_memory_and_atomics() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let values: Vec<u32> = (0..32).map(|n| n * n).collect();
    let (buffer, total) = (kit.words(&values), kit.words(&[5]));
    let arguments = kit.words(&[9, 4, 1, 1]);
    let pipeline = kernel(&kit, "sum");
    kit.queue.begin_compute("sum");
    kit.queue.set_compute_pipeline(&pipeline);
    kit.queue.set_buffer(Stage::Kernel, 0, &buffer, 0);
    kit.queue.set_buffer(Stage::Kernel, 1, &total, 0);
    kit.queue.dispatch_indirect(&arguments, 4, [8, 1, 1]);
    kit.queue.end_encoding();
    kit.queue.commit();
    kit.fine();
    assert_eq!(kit.words_of(&total, 1), [5 + values.iter().sum::<u32>()]);
}

#[test]
fn simdgroups() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let out = kit.empty(40 * 16);
    run(&mut kit, "simd", &[&out], [1, 1, 1], [40, 1, 1]);
    kit.fine();
    let words = kit.words_of(&out, 160);
    for lane in 0..40u32 {
        let (first, last) = if lane < 32 { (0, 32) } else { (32, 40) };
        let sum: u32 = (first..last).sum();
        let odd = if lane % 2 == 1 { (last - first) / 2 } else { 0 };
        let votes = (first..last).filter(|l| l % 3 == 0).fold(0, |bits, l| bits | 1 << (l - first));
        assert_eq!(words[lane as usize * 4..][..4], [sum, odd, lane ^ 1, votes], "{lane}");
    }
}

#[test]
fn what_is_reached_by_address_must_be_resident() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let pipeline = kernel(&kit, "by_address");
    for (resident, write) in [(true, true), (true, false), (false, false)] {
        let there = kit.words(&[7, 41]);
        let address = kit.device.gpu_address(&there).to_le_bytes();
        kit.queue.begin_compute("by address");
        kit.queue.set_compute_pipeline(&pipeline);
        kit.queue.set_bytes(Stage::Kernel, 0, &address);
        if resident {
            kit.queue.use_buffer(Stage::Kernel, &there, write);
        }
        kit.queue.dispatch([1; 3], [1; 3]);
        kit.queue.end_encoding();
        kit.queue.commit();
        let wrong = kit.wrong();
        let what = if resident { "writes 4 bytes" } else { "reads 4 bytes" };
        assert_eq!(wrong.contains(what), !write, "{wrong}");
        assert_eq!(kit.words_of(&there, 2), [if write { 42 } else { 7 }, 41]);
    }
}

#[test]
fn accesses_outside_of_buffers_are_faults() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let out = kit.words(&[0, 0]);
    for (at, fine) in [(1u32, true), (2, false), (0x3fff_ffff, false)] {
        let at_buffer = kit.words(&[at]);
        run(&mut kit, "outside", &[&out, &at_buffer], [1; 3], [1; 3]);
        let wrong = kit.wrong();
        assert_eq!(wrong.contains("`outside` writes 4 bytes"), !fine, "{wrong}");
    }
    assert_eq!(kit.words_of(&out, 2), [0, 1]);
    let (one, other) = (kit.words(&[1]), kit.words(&[2]));
    run(&mut kit, "writes_nothing", &[&one, &other], [1; 3], [1; 3]);
    assert!(kit.wrong().contains("writes 4 bytes"));
    assert_eq!(kit.words_of(&one, 1), [1]);
}

#[test]
fn shaders_that_do_not_end_are_ended() {
    if !there_is_clang() {
        return;
    }
    let device = SoftDevice::new(Family::Apple7).with_steps(1 << 16);
    let queue = device.new_queue("endless").unwrap();
    let mut kit = Kit { device, queue };
    let out = kit.words(&[0]);
    run(&mut kit, "endless", &[&out], [4; 3], [8, 1, 1]);
    let faults = kit.queue.faults();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].text.contains("timeout") && !faults[0].lost, "{faults:?}");
    assert_eq!(kit.queue.completed(), 1);
    // The next command buffer runs.
    let total = kit.words(&[0]);
    let values = kit.words(&[1; 8]);
    run(&mut kit, "sum", &[&values, &total], [1; 3], [8, 1, 1]);
    kit.fine();
    assert_eq!(kit.words_of(&total, 1), [8]);
}

#[test]
fn barriers_that_not_all_reach() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let out = kit.words(&[0]);
    run(&mut kit, "parted", &[&out], [1; 3], [2, 1, 1]);
    assert!(kit.wrong().contains("barrier"));
}

#[test]
fn function_constants() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    for (constants, expected) in [
        (&[][..], [-1.0f32; 4]),
        (&[(2, Constant::Float(0.5f32.to_bits())), (9, Constant::Bool(true))][..], [1.5, 0.5, 2.0, 0.5]),
    ] {
        let descriptor = FunctionDescriptor { source: KERNELS, name: "constants", constants, label: "constants" };
        let pipeline =
            kit.device.new_compute_pipeline(&kit.device.new_function(&descriptor).unwrap(), "constants").unwrap();
        let out = kit.empty(16);
        kit.queue.begin_compute("constants");
        kit.queue.set_compute_pipeline(&pipeline);
        kit.queue.set_buffer(Stage::Kernel, 0, &out, 0);
        kit.queue.dispatch([1; 3], [4, 1, 1]);
        kit.queue.end_encoding();
        kit.queue.commit();
        kit.fine();
        assert_eq!(kit.words_of(&out, 4).iter().map(|w| f32::from_bits(*w)).collect::<Vec<_>>(), expected);
    }
    let constants = &[(2, Constant::UInt(1))];
    let wrong = FunctionDescriptor { source: KERNELS, name: "constants", constants, label: "constants" };
    assert!(matches!(kit.device.new_function(&wrong), Err(Error::Source { .. })));
}

const HELPERS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; };
vertex Out corners(uint id [[vertex_id]])
{
    // Half of a pixel of four: the other lanes of its quad are helpers.
    return { float4(id & 1 ? 0.0f : -1.0f, id & 2 ? 0.0f : 1.0f, 0.0f, 1.0f) };
}
fragment float4 counts(device atomic_uint* count [[buffer(0)]], device uint4* last [[buffer(1)]], float4 at [[position]])
{
    float slope = dfdx(at.x);
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    if (at.y > 0.0f) {
        last[0] = uint4(uint(at.x), uint(at.y), uint(slope), 1u);
    }
    return float4(slope);
}
fragment float4 throws(device atomic_uint* count [[buffer(0)]], float4 at [[position]])
{
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    discard_fragment();
    atomic_fetch_add_explicit(count, 16u, memory_order_relaxed);
    return float4(1.0f);
}
"#;

#[test]
fn what_helpers_write_is_nothing() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let format = PixelFormat::RGBA8Unorm;
    let target = kit.target(format, [2, 2]);
    for (name, expected) in [("counts", 1), ("throws", 1)] {
        let (count, last) = (kit.words(&[0]), kit.words(&[9; 4]));
        let pipeline = kit.pipeline(&PipelineOf::new(HELPERS, "corners", name, format));
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_buffer(Stage::Fragment, 0, &count, 0);
        kit.queue.set_buffer(Stage::Fragment, 1, &last, 0);
        kit.draw(PrimitiveType::TriangleStrip, 4);
        kit.end();
        kit.fine();
        assert_eq!(kit.words_of(&count, 1), [expected], "{name}");
        if name == "counts" {
            assert_eq!(kit.words_of(&last, 4), [0, 0, 1, 1]);
            assert_eq!(kit.pixels(&target, [2, 2]), [[255; 4], [0; 4], [0; 4], [0; 4]]);
        } else {
            assert_eq!(kit.pixels(&target, [2, 2]), [[0; 4]; 4]);
        }
    }
}
