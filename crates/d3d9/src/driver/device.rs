//! The device as a whole: creation, reset, loss, scenes.

use super::present::{Window, check_parameters, complete};
use super::{Device, Objects};
use crate::error::{Error, Result};
use crate::handle::*;
use crate::machine::{DeviceTracker, Registers, RenderStates, TARGETS};
use crate::translate::Host;
use afterimage_d3d9_types::*;
use afterimage_state::checking;
use afterimage_stream::packets::{Init, Overlay};
use afterimage_stream::{Link, Port};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

impl Device {
    /// `CreateDevice`. `parameters` is filled in as Direct3D does (sizes, format, count). `name` is the program's name
    /// for captures and logs.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for parameters that cannot be; [`Error::NotAvailable`] for formats that are not there.
    pub fn new(
        link: Box<dyn Link>,
        creation: D3DDEVICE_CREATION_PARAMETERS,
        parameters: &mut D3DPRESENT_PARAMETERS,
        window: Window,
        extended: bool,
        name: &str,
    ) -> Result<Self> {
        let mut device = Self {
            port: Port::new(link, Init::D3D9, name),
            registers: Registers::of_device(creation.BehaviorFlags),
            objects: Objects::default(),
            host: Host::default(),
            checks: checking(),
            creation,
            extended,
            in_scene: false,
            frame_latency: None,
            recording: None,
            dead: Vec::new(),
            targets: Vec::new(),
            overlay: Overlay::default(),
            auto_depth: None,
            fvf_declarations: FxHashMap::default(),
            palettes: super::palettes::Palettes::default(),
            clip_status: D3DCLIPSTATUS9 { ClipUnion: 0, ClipIntersection: u32::MAX },
            clip_codes: super::process::ClipCodes::default(),
            processing: None,
            locked_buffers: SmallVec::new(),
            late: false,
            late_buffers: Vec::new(),
            patches: super::patches::Patches::default(),
            overrides: super::overrides::Overrides::default(),
            from_memory: false,
            logged: FxHashSet::default(),
        };
        let chain = device.make_chain(parameters, window, false)?;
        device.objects.swap_chains.bind(Some(chain));
        device.set_defaults(parameters)?;
        device.port.flush();
        Ok(device)
    }

    /// The arguments of [`Device::new`].
    #[must_use]
    pub fn creation(&self) -> D3DDEVICE_CREATION_PARAMETERS {
        self.creation
    }

    /// Binds what a new or reset plain device has bound, and gives every register its default.
    fn set_defaults(&mut self, parameters: &D3DPRESENT_PARAMETERS) -> Result<()> {
        let registers = &mut self.registers;
        let zenable = u32::from(parameters.EnableAutoDepthStencil != FALSE);
        registers.render.set(RenderStates::D3DRS_ZENABLE, zenable, &mut registers.tracker);
        let largest = self.port.device().max_point_size.max(1.0).to_bits();
        registers.render.set(RenderStates::D3DRS_POINTSIZE_MAX, largest, &mut registers.tracker);
        self.bind_implicit(parameters)
    }

    /// Binds the first back buffer and the automatic depth buffer.
    fn bind_implicit(&mut self, parameters: &D3DPRESENT_PARAMETERS) -> Result<()> {
        let old = self.auto_depth.take();
        if let Some(old) = old {
            self.unbind_handle(Handle::Image(old));
        }
        let depth = if parameters.EnableAutoDepthStencil != FALSE {
            let image = self.create_surface(
                [parameters.BackBufferWidth, parameters.BackBufferHeight, 1],
                D3DUSAGE_DEPTHSTENCIL,
                parameters.AutoDepthStencilFormat,
                (parameters.MultiSampleType, parameters.MultiSampleQuality),
                false,
                false,
            )?;
            self.objects.images.bind(Some(image));
            self.auto_depth = Some(image);
            Some(Surface::of(image))
        } else {
            None
        };
        self.set_depth_stencil(depth)?;
        let chain = self.implicit_chain().and_then(|chain| self.objects.swap_chains.get(chain));
        let image = chain.and_then(|chain| chain.images.first().copied()).ok_or(Error::Internal)?;
        self.set_render_target(0, Some(Surface::of(image)))
    }

    /// Unbinds the targets, which is all that a reset unbinds of an extended device.
    fn unbind_targets(&mut self) {
        let registers = &mut self.registers;
        let surfaces = (*registers.targets, *registers.depth);
        (0..TARGETS).for_each(|slot| _ = registers.targets.set(slot, None, &mut registers.tracker));
        registers.depth.set(None, &mut registers.tracker);
        for surface in surfaces.0.into_iter().chain([surfaces.1]) {
            self.left_target(surface);
        }
    }

    /// Unbinds everything.
    fn unbind_all(&mut self) {
        let registers = self.registers.reset(self.creation.BehaviorFlags);
        let recorded = self.recording.take().unwrap_or_default();
        self.disown(&recorded);
        let images = registers.textures.iter().copied().flatten();
        let surfaces =
            registers.targets.iter().copied().chain([*registers.depth]).flatten().map(|surface| surface.image);
        let buffers = registers.streams.iter().filter_map(|stream| stream.buffer).chain(*registers.indices);
        let handles: Vec<Handle> = images
            .chain(surfaces)
            .map(Handle::Image)
            .chain(buffers.map(Handle::Buffer))
            .chain(registers.declaration.map(Handle::Declaration))
            .chain(registers.vertex_shader.map(Handle::VertexShader))
            .chain(registers.pixel_shader.map(Handle::PixelShader))
            .collect();
        for handle in handles {
            self.unbind_handle(handle);
        }
    }

    /// `TestCooperativeLevel`.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] while there is no receiver.
    pub fn test_cooperative_level(&mut self) -> Result<()> {
        if self.port.is_lost() && !self.recover() { Err(Error::DeviceLost) } else { Ok(()) }
    }

    /// Whether [`Device::reset`] would be refused, without doing anything.
    ///
    /// # Errors
    /// As [`Device::reset`].
    pub fn can_reset(&mut self, parameters: &D3DPRESENT_PARAMETERS) -> Result<()> {
        if self.port.is_lost() && !self.recover() {
            return Err(Error::DeviceLost);
        }
        check_parameters(parameters, self.extended)?;
        if self.extended {
            return Ok(());
        }
        let images = self.objects.images.iter().filter(|(_, s)| s.held && s.value.pool == D3DPOOL_DEFAULT).count();
        let buffers = self.objects.buffers.iter().filter(|(_, s)| s.held && s.value.pool == D3DPOOL_DEFAULT).count();
        if images + buffers > 0 {
            let refused = if self.overrides.strict_reset { "refused" } else { "lets pass" };
            tracing::warn!(images, buffers, "reset {refused}: the program holds resources of the default pool");
            if self.overrides.strict_reset {
                return Err(Error::InvalidCall);
            }
        }
        Ok(())
    }

    /// `Reset`: the implicit swap chain made anew; of a plain device, everything unbound and all state at its default. An
    /// extended one keeps its state, but for the targets and what goes by their size. The handles of the back buffers stay
    /// where their number does.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the program holds resources of the default pool (never for extended devices), or for
    /// bad parameters.
    pub fn reset(&mut self, parameters: &mut D3DPRESENT_PARAMETERS, window: Window) -> Result<()> {
        self.can_reset(parameters)?;
        complete(parameters, window, self.extended)?;
        let depths = self.viewport();
        if self.extended {
            self.unbind_targets();
        } else {
            self.unbind_all();
        }
        // Extended devices stay in their scene.
        self.in_scene &= self.extended;
        let chain = self.implicit_chain().ok_or(Error::Internal)?;
        self.drop_front(chain);
        let new = self.make_back_buffers(parameters)?;
        let stored = self.stored(parameters);
        let mut old: SmallVec<[ImageId; 3]> = SmallVec::new();
        if let Some(chain) = self.objects.swap_chains.get_mut(chain) {
            chain.parameters = stored;
            chain.window = window;
            old = std::mem::take(&mut chain.images);
        }
        // The layer above knows the old handles: they go on, with the new images behind them. Where the program holds
        // one (it may, of an extended device), it keeps the old image instead.
        let mut images = new;
        for (image, &old) in images.iter_mut().zip(&old) {
            if self.objects.images.slot(old).is_some_and(|slot| !slot.held) {
                self.swap_images(old, *image);
                self.unbind_handle(Handle::Image(*image));
                *image = old;
            } else {
                self.unbind_handle(Handle::Image(old));
            }
        }
        for &image in old.iter().skip(images.len()) {
            self.unbind_handle(Handle::Image(image));
        }
        if let Some(chain) = self.objects.swap_chains.get_mut(chain) {
            chain.images = images;
        }
        self.target(window, parameters)?;
        if !self.extended {
            return self.set_defaults(parameters);
        }
        self.bind_implicit(parameters)?;
        self.set_viewport(&D3DVIEWPORT9 { MinZ: depths.MinZ, MaxZ: depths.MaxZ, ..self.viewport() })
    }

    /// What of the state changed since it was last applied, and how much so far: for figures, and for tests of the tables.
    pub fn tracker(&mut self) -> &mut DeviceTracker {
        &mut self.registers.tracker
    }

    /// Hands over what was collected. Present, queries and read backs do it by themselves.
    pub fn flush(&mut self) {
        self.port.flush();
    }

    /// `BeginScene`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] inside of a scene.
    pub fn begin_scene(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.in_scene, true) { Err(Error::InvalidCall) } else { Ok(()) }
    }

    /// `EndScene`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] outside of one.
    pub fn end_scene(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.in_scene, false) { Ok(()) } else { Err(Error::InvalidCall) }
    }
}
