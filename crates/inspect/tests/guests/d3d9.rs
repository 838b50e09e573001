//! A Direct3D 9 device.

use afterimage_d3d9::{Device, Window};
use afterimage_d3d9_types::*;
use afterimage_stream::Link;
use afterimage_stream::packets::WindowKind;

/// A device with a window that nobody sees, with or without a depth buffer.
pub(crate) fn device(link: Box<dyn Link>, [width, height]: [u32; 2], depth: bool) -> Device {
    let creation = D3DDEVICE_CREATION_PARAMETERS {
        DeviceType: D3DDEVTYPE_HAL,
        BehaviorFlags: D3DCREATE_HARDWARE_VERTEXPROCESSING,
        ..D3DDEVICE_CREATION_PARAMETERS::default()
    };
    let mut parameters = D3DPRESENT_PARAMETERS {
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        EnableAutoDepthStencil: depth.into(),
        AutoDepthStencilFormat: D3DFMT_D24S8,
        BackBufferFormat: D3DFMT_A8R8G8B8,
        ..D3DPRESENT_PARAMETERS::default()
    };
    let window = Window { kind: WindowKind::Headless, handle: 0, width, height };
    Device::new(link, creation, &mut parameters, window, false, "test").expect("a device")
}

/// Creates and sets shaders of these texts.
pub(crate) fn set_shaders(device: &mut Device, vertex: &str, pixel: &str) {
    let tokens = |text| afterimage_shader_d3d9::assemble(text).expect("a shader");
    let vertex = device.create_vertex_shader(&tokens(vertex)).expect("a shader");
    let pixel = device.create_pixel_shader(&tokens(pixel)).expect("a shader");
    device.set_vertex_shader(Some(vertex)).expect("a shader");
    device.set_pixel_shader(Some(pixel)).expect("a shader");
}
