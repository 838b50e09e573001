//! A picture that another Vulkan device imports has the pixels that were drawn, and no processor copied it.

use afterimage_gnm_c::types::{Display, OK, Options, Scanout};
use afterimage_gnm_c::*;
use afterimage_vulkan::ash::vk;
use afterimage_vulkan::{Gpu, Options as Rendering};
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;

const BASE: u64 = 0x10_0000_0000;
const SIZE: [u32; 2] = [96, 64];

fn message() -> String {
    // SAFETY: it is never null, and ends with a zero.
    unsafe { CStr::from_ptr(afterimage_gnm_message()) }.to_string_lossy().into_owned()
}

fn done(code: u32) {
    assert_eq!(code, OK, "{}", message());
}

/// The texels of an image, as another device has them.
fn imported(gpu: &Arc<Gpu>, of: &Scanout) -> Vec<u8> {
    let opaque = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;
    let device = &gpu.raw;
    let extent = vk::Extent3D { width: of.width, height: of.height, depth: 1 };
    let mut external = vk::ExternalMemoryImageCreateInfo::default().handle_types(opaque);
    let image = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::from_raw(of.format as i32))
        .extent(extent)
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::from_raw(of.usage))
        .push_next(&mut external);
    let bytes = u64::from(of.width * of.height * 4);
    // SAFETY: everything is used as Vulkan asks: made by this device, idle when it is destroyed, nothing else uses the queue.
    unsafe {
        let image = device.create_image(&image, None).expect("an image");
        let mut import = vk::ImportMemoryFdInfoKHR::default().handle_type(opaque).fd(of.fd);
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().image(image);
        let memory = vk::MemoryAllocateInfo::default()
            .allocation_size(of.bytes)
            .memory_type_index(of.memory_type)
            .push_next(&mut dedicated)
            .push_next(&mut import);
        let memory = device.allocate_memory(&memory, None).expect("the memory");
        device.bind_image_memory(image, memory, 0).expect("bound");
        let info = vk::BufferCreateInfo::default().size(bytes).usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer = device.create_buffer(&info, None).expect("a buffer");
        let needs = device.get_buffer_memory_requirements(buffer);
        let types = gpu.instance.raw.get_physical_device_memory_properties(gpu.physical);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let fits = |at: &u32| {
            needs.memory_type_bits >> at & 1 != 0 && types.memory_types[*at as usize].property_flags.contains(wanted)
        };
        let at = (0..types.memory_type_count).find(fits).expect("memory of the host");
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(at);
        let host = device.allocate_memory(&info, None).expect("memory");
        device.bind_buffer_memory(buffer, host, 0).expect("bound");
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.profile.queue_family);
        let pool = device.create_command_pool(&pool, None).expect("a pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let cmd = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(cmd, &vk::CommandBufferBeginInfo::default()).expect("begun");
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        let barrier = [vk::ImageMemoryBarrier2::default()
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ)
            .old_layout(vk::ImageLayout::GENERAL)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
            .dst_queue_family_index(gpu.profile.queue_family)
            .image(image)
            .subresource_range(range)];
        device.cmd_pipeline_barrier2(cmd, &vk::DependencyInfo::default().image_memory_barriers(&barrier));
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let region = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)];
        device.cmd_copy_image_to_buffer(cmd, image, vk::ImageLayout::GENERAL, buffer, &region);
        device.end_command_buffer(cmd).expect("ended");
        let queue = device.get_device_queue(gpu.profile.queue_family, 0);
        let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(cmd)];
        let submit = [vk::SubmitInfo2::default().command_buffer_infos(&commands)];
        device.queue_submit2(queue, &submit, vk::Fence::null()).expect("submitted");
        device.queue_wait_idle(queue).expect("done");
        let mapped = device.map_memory(host, 0, bytes, vk::MemoryMapFlags::empty()).expect("mapped");
        let texels = std::slice::from_raw_parts(mapped.cast::<u8>(), bytes as usize).to_vec();
        device.destroy_command_pool(pool, None);
        device.destroy_buffer(buffer, None);
        device.free_memory(host, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
        texels
    }
}

fn options(scanout: u32) -> Options {
    Options {
        size: size_of::<Options>(),
        user: ptr::null_mut(),
        read: None,
        write: None,
        next_range: None,
        generation: None,
        flipped: None,
        interrupted: None,
        told: None,
        name: ptr::null(),
        scanout,
        encoding: 0,
    }
}

fn nothing() -> Scanout {
    // SAFETY: it is numbers.
    unsafe { std::mem::zeroed() }
}

#[test]
fn another_device_has_the_picture() {
    let mut gnm = ptr::null_mut();
    // SAFETY: the pointers are good.
    done(unsafe { afterimage_gnm_create(types::VERSION, &options(types::SCANOUT_OPAQUE_FD), &mut gnm) });
    done(afterimage_gnm_map(gnm, BASE, 1 << 20));
    let display = |at: u32| Display {
        address: BASE + u64::from(at) * 0x1_0000,
        width: SIZE[0],
        height: SIZE[1],
        pitch: SIZE[0],
        format: 10,
        blue_first: 0,
        tile_mode: 8,
    };
    let texels =
        |seed: u32| -> Vec<u8> { (0..SIZE[0] * SIZE[1] * 4).map(|at| (at * 7 + at / 96 + seed) as u8).collect() };
    let other = Gpu::open(&Rendering::from_env()).expect("another device");
    let (mut scanout, mut seen) = (nothing(), Vec::new());
    // SAFETY: the pointers are good.
    unsafe {
        assert_eq!(afterimage_gnm_scanout(gnm, &mut scanout), types::NOTHING);
        for frame in 0..6u32 {
            let picture = texels(31 * frame);
            done(afterimage_gnm_write(gnm, display(frame % 2).address, picture.as_ptr(), picture.len()));
            done(afterimage_gnm_flip(gnm, &display(frame % 2)));
            done(afterimage_gnm_scanout(gnm, &mut scanout));
            assert_eq!((scanout.width, scanout.height, scanout.kind), (SIZE[0], SIZE[1], types::SCANOUT_OPAQUE_FD));
            assert!(imported(&other, &scanout) == picture, "frame {frame}");
            seen.push(scanout.image);
            let again = afterimage_gnm_scanout(gnm, &mut scanout);
            assert_eq!((again, scanout.fd), (types::NOTHING, -1), "it was taken");
            // One is kept until the next has come.
            if let Some(before) = seen.len().checked_sub(2) {
                done(afterimage_gnm_release(gnm, seen[before]));
                assert_eq!(afterimage_gnm_release(gnm, seen[before]), types::ARGUMENT, "only once");
            }
        }
        assert!(seen.windows(2).all(|two| two[0] != two[1]), "{seen:?}");
        assert!(seen.iter().all(|image| *image < 3), "no more than three are made: {seen:?}");
        // All are with us: the next pictures are left out, and nothing waits.
        for frame in 0..3u32 {
            done(afterimage_gnm_flip(gnm, &display(frame % 2)));
            let _last = afterimage_gnm_scanout(gnm, &mut scanout);
        }
        done(afterimage_gnm_flip(gnm, &display(0)));
        assert_eq!(afterimage_gnm_scanout(gnm, &mut scanout), types::NOTHING);
        // Several pictures before anybody looks: the newest counts.
        for image in 0..3 {
            let _held = afterimage_gnm_release(gnm, image);
        }
        for frame in 0..4u32 {
            let picture = texels(100 + frame);
            done(afterimage_gnm_write(gnm, display(frame % 2).address, picture.as_ptr(), picture.len()));
            done(afterimage_gnm_flip(gnm, &display(frame % 2)));
        }
        done(afterimage_gnm_scanout(gnm, &mut scanout));
        assert!(imported(&other, &scanout) == texels(103), "the newest");
        // Another size has images of its own.
        let small = Display { width: 32, ..display(1) };
        done(afterimage_gnm_flip(gnm, &small));
        done(afterimage_gnm_scanout(gnm, &mut scanout));
        assert_eq!((scanout.width, scanout.height), (32, SIZE[1]));
        assert!(scanout.image >= 3);
        assert!(imported(&other, &scanout)[..128] == texels(103)[..128]);
    }
    done(afterimage_gnm_destroy(gnm));
}

#[test]
fn a_kind_that_the_device_lacks_is_refused_by_name() {
    let mut gnm = ptr::null_mut();
    // SAFETY: the pointers are good.
    let code = unsafe { afterimage_gnm_create(types::VERSION, &options(types::SCANOUT_DMA_BUF), &mut gnm) };
    if code == OK {
        // A device that has them gives them.
        done(afterimage_gnm_destroy(gnm));
    } else {
        assert!(code == types::DEVICE && message().contains("file descriptors"), "{code}: {}", message());
        assert!(gnm.is_null());
    }
}
