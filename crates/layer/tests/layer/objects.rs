//! Code that the layer does not see as a pipeline's: modules that are named by an identifier alone, and shader objects.

use crate::client::{Client, Shared, Wish};
use crate::more::{CAPTURE, Rig};
use crate::parts::{Drawn, GIVEN, NUMBERS, SOURCES, rendering, untouched, words};
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};
use std::fmt::Write as _;
use std::sync::Arc;

/// Shader objects: what creating them gives.
pub(crate) fn shaders(client: &Client) -> Vec<u8> {
    let (rig, d) = (Rig::new(client), &client.device);
    let objects = ash::ext::shader_object::Device::new(&client.shared().instance, d);
    let mut said = String::new();
    // SAFETY: as in the client.
    unsafe {
        for (name, source) in [("captures", NUMBERS), ("captures nothing", GIVEN)] {
            let code = words(SOURCES[source]);
            let sets = [rig.set_layout];
            let info = [vk::ShaderCreateInfoEXT::default()
                .stage(Stages::VERTEX)
                .code_type(vk::ShaderCodeTypeEXT::SPIRV)
                .code(bytemuck::cast_slice(&code))
                .name(c"main")
                .set_layouts(&sets)];
            let (made, result) = match objects.create_shaders(&info, None) {
                Ok(made) => (made, vk::Result::SUCCESS),
                Err((made, error)) => (made, error),
            };
            let there = made.iter().filter(|shader| **shader != vk::ShaderEXT::null()).count();
            writeln!(said, "{name}: {result:?}, {there}").expect("a string");
            made.into_iter().for_each(|shader| objects.destroy_shader(shader, None));
        }
    }
    rig.destroy();
    said.into_bytes()
}

/// A pipeline of a module that is named by its identifier, by a program that comes again with the code where that is wanted: what is captured; or
/// the extension's name. (The layer answers before the driver is asked, so with it there is something to see without the extension, too.)
pub(crate) fn identified() -> Vec<u8> {
    let shared = Arc::new(Shared::new());
    let name = ash::ext::shader_module_identifier::NAME;
    let there = shared.has(name);
    if !there && std::env::var_os("AFTERIMAGE_XFB").is_none() {
        return name.to_bytes().to_vec();
    }
    let client = Client::on(&shared, if there { Wish::Identifiers } else { Wish::Feedback });
    let captured = by_identifier(&client, there);
    drop(shared);
    client.finish();
    captured
}

fn by_identifier(client: &Client, there: bool) -> Vec<u8> {
    let (rig, d, f) = (Rig::new(client), &client.device, &client.feedback);
    let identifiers = ash::ext::shader_module_identifier::Device::new(&client.shared().instance, d);
    // SAFETY: as in the client.
    unsafe {
        let module = rig.modules[NUMBERS];
        let mut known = vk::ShaderModuleIdentifierEXT { identifier_size: 16, ..Default::default() };
        if there {
            (identifiers.fp().get_shader_module_identifier_ext)(d.handle(), module, &mut known);
        }
        let bytes = &known.identifier[..known.identifier_size as usize];
        let mut named = vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(bytes);
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(Stages::VERTEX).name(c"main");
        let flags = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let by_name = Drawn { flags, ..Drawn::points(rig.layout, &[stage.push_next(&mut named)]) }.pipeline(d);
        eprintln!("by its identifier: {:?}", by_name.err());
        let pipeline = by_name.unwrap_or_else(|error| {
            assert_eq!(error, vk::Result::PIPELINE_COMPILE_REQUIRED);
            Drawn::points(rig.layout, &[stage.module(module)]).pipeline(d).expect("a pipeline")
        });
        let capture = client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE));
        client.submit(1, |c| {
            rig.bind(c, pipeline, &[&capture], CAPTURE as u64);
            rig.push(c, 256, false);
            rendering(d, c, || {
                (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                d.cmd_draw(c, 5, 2, 1, 1);
                (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
            });
            rig.wait(c);
        });
        let captured = capture.bytes();
        client.destroy(capture);
        d.destroy_pipeline(pipeline, None);
        rig.destroy();
        captured
    }
}
