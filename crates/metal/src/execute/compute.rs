//! Dispatches.

use crate::error::Result;
use crate::execute::bindings::write_addresses;
use crate::renderer::Renderer;
use afterimage_abi::metal;
use afterimage_metal_calls::{Device, Queue, Stage};
use afterimage_render::constants::write;
use afterimage_shader::RuntimeInfo;
use afterimage_stream::packets::{Dispatch, Stage as Guest};

impl<D: Device> Renderer<D> {
    /// [`Dispatch`].
    pub(crate) fn dispatch(&mut self, body: &Dispatch) -> Result {
        self.commands.works.draw();
        let bindings = *self.state.compute_textures;
        let samplers = self.samplers_of(&bindings);
        let Some(shader) = self.shaders.get_mut(body.shader) else { return Ok(()) };
        let number = self.library.number(&self.device, shader, &RuntimeInfo::default(), samplers);
        let kernel = number.and_then(|number| self.pipelines.kernel(&self.device, &mut self.library, number));
        let (Some(number), Some(kernel)) = (number, kernel) else {
            self.skipped_draws += 1;
            return Ok(());
        };
        if body.groups.contains(&0) {
            return Ok(());
        }
        let textures = self.library.variant(number).map(|variant| variant.textures.clone()).unwrap_or_default();
        for argument in &textures {
            self.make_live(bindings[argument.slot].texture)?;
        }
        self.ready_images(Guest::Compute, Some(number))?;
        self.end_pass();
        let (version, current) = (self.next_version(), self.commands.current());
        let Some(variant) = self.library.variant(number) else { return Ok(()) };
        let (group, has_constants, writes) = (variant.group, variant.constant_bytes > 0, variant.reaches[1]);
        let suspect = variant.suspect;
        let mut block = vec![0; variant.constant_bytes];
        write(&self.state, &variant.segments, &variant.defs, &mut block);
        let Self { device, state, resources, .. } = self;
        let of = (Guest::Compute, writes);
        let used = write_addresses(device, state, resources, (current, version), of, variant, &mut block);
        self.commands.works.suspect(suspect);
        let queue = self.commands.compute("dispatch");
        queue.set_compute_pipeline(&kernel);
        used.iter().for_each(|buffer| queue.use_buffer(Stage::Kernel, buffer, writes));
        if has_constants {
            self.set_bytes(Stage::Kernel, metal::CONSTANTS, &block)?;
        }
        for argument in textures {
            self.bind_texture(Stage::Kernel, argument, bindings[argument.slot])?;
        }
        let of_slot = |slot: usize| bindings.get(slot).copied().unwrap_or_default();
        self.bind_sampler_values(Stage::Kernel, Some(number), &of_slot)?;
        self.bind_images(Stage::Kernel, Guest::Compute, Some(number))?;
        self.commands.queue.dispatch(body.groups, group);
        self.commands.draws += 1;
        if writes {
            for binding in *self.state.storage(Guest::Compute) {
                self.state.memory_changed(binding.buffer);
            }
        }
        Ok(())
    }
}
