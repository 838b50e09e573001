//! Dispatches and blits.

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

use crate::kit::*;
use crate::*;

#[test]
fn dispatches() {
    if !there_is_clang() {
        return;
    }
    let kit = Kit::new();
    let pipeline = kit.device.new_compute_pipeline(&kit.function(SHADERS, "kernel_of_8"), "k").unwrap();
    let (out, arguments) = (kit.empty(16), kit.words(&[1, 1, 1, 1]));
    let check = |groups: Option<[u32; 3]>, offset, threads, bound: bool, text: &str| {
        let mut queue = kit.device.new_queue("k").unwrap();
        queue.begin_compute("k");
        queue.set_compute_pipeline(&pipeline);
        if bound {
            queue.set_buffer(Stage::Kernel, 0, &out, 0);
        }
        match groups {
            Some(groups) => queue.dispatch(groups, threads),
            None => queue.dispatch_indirect(&arguments, offset, threads),
        }
        queue.end_encoding();
        queue.commit();
        let found = queue.faults().iter().map(ToString::to_string).collect::<String>();
        assert!(found.contains(text) && found.is_empty() == text.is_empty(), "`{text}`, found `{found}`");
    };
    check(Some([1; 3]), 0, [8, 1, 1], true, "");
    check(Some([1; 3]), 0, [8, 1, 1], false, "missing Buffer binding");
    check(Some([1, 0, 1]), 0, [8, 1, 1], true, "threadgroupsPerGrid [1, 0, 1] is 0");
    check(Some([1; 3]), 0, [0, 1, 1], true, "is 0");
    check(Some([1; 3]), 0, [9, 1, 1], true, "greater than maxTotalThreadsPerThreadgroup (8)");
    check(Some([1; 3]), 0, [u32::MAX, u32::MAX, 1], true, "greater than maxTotalThreadsPerThreadgroup (8)");
    check(None, 4, [8, 1, 1], true, "");
    check(None, 8, [8, 1, 1], true, "beyond the buffer");
    check(None, 2, [8, 1, 1], true, "no multiple of 4");
}

#[test]
fn blits() {
    for family in [Family::Apple7, Family::Mac2] {
        let apple = family.is_apple();
        let kit = Kit::of(family);
        let (a, b) = (kit.empty(4096), kit.empty(4096));
        let t = kit.texture(FORMAT, [8, 8], |d| d.levels = 2);
        let u = kit.target(FORMAT, [8, 8]);
        let bgra = kit.target(PixelFormat::BGRA8Unorm, [8, 8]);
        let many = kit.texture(FORMAT, [8, 8], |d| (d.ty, d.samples) = (TextureType::D2Multisample, 4));
        let packed = kit.target(PixelFormat::Depth32Float_Stencil8, [8, 8]);
        let blocks = kit.texture(PixelFormat::BC1_RGBA, [10, 8], |d| d.usage.target = false);
        let swizzle = [Swizzle::Red; 4];
        let swizzled = TextureView { format: FORMAT, ty: TextureType::D2, levels: [0, 1], slices: [0, 1], swizzle };
        let swizzled = kit.device.new_view(&u, &swizzled).unwrap();
        let region = |origin: [u32; 2], size: [u32; 2]| Region {
            slice: 0,
            level: 0,
            origin: [origin[0], origin[1], 0],
            size: [size[0], size[1], 1],
        };
        let layout = |offset, row| BufferLayout { offset, bytes_per_row: row, bytes_per_image: 0 };
        let check = |then: &dyn Fn(&mut SoftQueue), text: &str| {
            let mut queue = kit.device.new_queue("blit").unwrap();
            queue.begin_blit("blit");
            then(&mut queue);
            queue.end_encoding();
            queue.commit();
            let found = queue.faults().iter().map(ToString::to_string).collect::<String>();
            assert!(
                found.contains(text) && found.is_empty() == text.is_empty(),
                "{family:?}: `{text}`, found `{found}`"
            );
        };
        let whole = region([0, 0], [8, 8]);
        check(&|q| q.copy_buffer(&a, 0, &b, 4, 8), "");
        check(&|q| q.copy_buffer(&a, 0, &b, 0, 0), "size is 0");
        check(&|q| q.copy_buffer(&a, 4092, &b, 0, 8), "beyond the buffer");
        check(&|q| q.copy_buffer(&a, 0, &b, u64::MAX, 8), "beyond the buffer");
        check(&|q| q.copy_buffer(&a, 0, &a, 4, 8), "overlap");
        check(&|q| q.copy_buffer(&a, 0, &a, 8, 8), "");
        check(&|q| q.copy_buffer(&a, 0, &b, 0, 3), if apple { "" } else { "no multiple of 4" });
        check(&|q| q.fill_buffer(&a, 0, 8, 1), "");
        check(&|q| q.fill_buffer(&a, 0, 0, 1), "length 0");
        check(&|q| q.fill_buffer(&a, 4090, 8, 1), "beyond");
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, whole, Aspect::All), "");
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 28), &t, whole, Aspect::All), "less than the row's 32");
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 34), &t, whole, Aspect::All), "no multiple of 4");
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 1 << 20), &t, region([0, 0], [8, 1]), Aspect::All),
            "greater than 65536",
        );
        check(&|q| q.copy_buffer_to_texture(&a, layout(2, 32), &t, whole, Aspect::All), "the buffer's offset (2)");
        // The last row counts in full.
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 4096), &t, region([0, 0], [8, 2]), Aspect::All),
            "beyond the buffer's 4096",
        );
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, region([4, 0], [8, 8]), Aspect::All),
            "(12) must be <= (8)",
        );
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, region([0, 0], [0, 8]), Aspect::All), "size.x is 0");
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, Region { level: 2, ..whole }, Aspect::All),
            "level 2 is outside",
        );
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, Region { slice: 1, ..whole }, Aspect::All),
            "slice 1 is outside",
        );
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 32), &t, Region { size: [8, 8, 2], ..whole }, Aspect::All),
            "depth (2)",
        );
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 32), &many, whole, Aspect::All), "multisampled");
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 32), &swizzled, whole, Aspect::All), "swizzled");
        check(&|q| q.copy_texture_to_buffer(&t, whole, Aspect::All, &a, layout(if apple { 16 } else { 256 }, 32)), "");
        check(&|q| q.copy_texture_to_buffer(&t, whole, Aspect::All, &a, layout(8, 32)), "destinationOffset (8)");
        check(
            &|q| q.copy_texture_to_buffer(&packed, whole, Aspect::All, &a, layout(0, 64)),
            "All of Depth32Float_Stencil8",
        );
        check(&|q| q.copy_texture_to_buffer(&packed, whole, Aspect::Depth, &a, layout(0, 32)), "");
        check(&|q| q.copy_texture_to_buffer(&packed, whole, Aspect::Stencil, &a, layout(0, 8)), "");
        check(&|q| q.copy_texture_to_buffer(&t, whole, Aspect::Depth, &a, layout(0, 32)), "Depth of RGBA8Unorm");
        // Blocks at the edge are whole, or end there.
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 24), &blocks, region([0, 0], [12, 8]), Aspect::All), "");
        check(&|q| q.copy_buffer_to_texture(&a, layout(0, 24), &blocks, region([0, 0], [10, 8]), Aspect::All), "");
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 24), &blocks, region([0, 0], [6, 8]), Aspect::All),
            "size.x (6) is no multiple of 4",
        );
        check(
            &|q| q.copy_buffer_to_texture(&a, layout(0, 24), &blocks, region([2, 0], [8, 8]), Aspect::All),
            "origin.x (2) is no multiple of 4",
        );
        check(&|q| q.copy_texture(&t, whole, &u, whole), "");
        check(&|q| q.copy_texture(&t, whole, &bgra, whole), "RGBA8Unorm is copied to BGRA8Unorm");
        check(&|q| q.copy_texture(&t, whole, &many, whole), "1 samples are copied to 4");
        check(&|q| q.copy_texture(&t, region([0, 0], [4, 4]), &u, region([6, 0], [4, 4])), "(10) must be <= (8)");
        check(&|q| q.copy_texture(&u, region([0, 0], [4, 4]), &u, region([2, 2], [4, 4])), "overlap");
        check(&|q| q.copy_texture(&u, region([0, 0], [4, 4]), &u, region([4, 0], [4, 4])), "");
        check(&|q| q.generate_mipmaps(&t), "");
        check(&|q| q.generate_mipmaps(&u), "mipmapLevelCount (1) must be > 1");
        check(&|q| q.draw(PrimitiveType::Triangle, DRAW), "no render encoder is open");
    }
}
