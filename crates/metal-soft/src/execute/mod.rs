//! Carries out what was encoded.

mod blend;
mod blit;
pub(crate) mod clip;
mod draw;
mod fragment;
mod kernel;
pub(crate) mod raster;
pub(crate) mod setup;
mod tile;
pub(crate) mod vertex;

pub(crate) use blit::texel_bytes;

use std::cell::Cell;

use afterimage_metal_calls::{Fault, PixelFormat, Serial, TextureType};

use crate::call::{self, Bound, Group, Host, Lane, Lanes, Lookup, Stopped, Texel};
use crate::command::{Command, Table};
use crate::memory::Turn;
use crate::objects::SoftFunction;
use crate::sampler::{self, Sampler};
use crate::text::Interface;
use crate::texture::{Place, SoftTexture, faces};

/// Faults and the end of a command buffer.
pub(crate) struct Stopper<'a> {
    faults: &'a mut Vec<Fault>,
    /// Blocks of shaders that are left.
    steps: u64,
    /// The command buffer's number.
    serial: Serial,
    /// Nothing more is executed.
    ended: bool,
    /// One fault of a draw is enough.
    said: bool,
    /// What is executed, for messages.
    place: String,
}

impl<'a> Stopper<'a> {
    pub(crate) fn new(faults: &'a mut Vec<Fault>, steps: u64, serial: Serial) -> Self {
        Self { faults, steps, serial, ended: false, said: false, place: String::new() }
    }

    /// Whether the command buffer was given up.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// A fault of what is executed; of those of one draw the first is told.
    pub(crate) fn fault(&mut self, text: impl FnOnce() -> String) {
        if !self.said {
            self.said = true;
            let text = format!("{}: {}", self.place, text());
            self.faults.push(Fault { call: "command buffer", text, lost: false, command_buffer: self.serial });
        }
    }

    /// Something else is executed from here on.
    pub(crate) fn begin(&mut self, place: impl FnOnce() -> String) {
        self.said = false;
        self.place = place();
    }

    /// Runs a function in some lanes.
    #[expect(clippy::too_many_arguments, reason = "what a call of a shader has")]
    pub(crate) fn run(
        &mut self,
        function: &SoftFunction,
        turn: &Turn,
        bound: &Bound,
        table: &Table,
        group: Group,
        lanes: &mut [Lane],
        are: Lanes,
    ) {
        if self.ended {
            lanes.iter_mut().for_each(|lane| lane.helper = 1);
            return;
        }
        let host = Textures { turn, table, wrong: Cell::default() };
        let loaded = &function.compiled.loaded;
        let result = call::run(loaded, turn, bound, &host, group, lanes, are, &mut self.steps);
        if let Err(stopped) = result {
            self.ended |= stopped == Stopped::Endless || self.steps == 0;
            self.fault(|| format!("`{}` {stopped}", function.label));
        }
        if let Some(texture) = host.wrong.take() {
            self.fault(|| {
                format!("`{}` changes texels of `{texture}` atomically, which is not made for that", function.label)
            });
        }
    }
}

/// What a function reaches.
pub(crate) fn bound(interface: &Interface, table: &Table) -> Bound {
    let mut out = Bound::default();
    for argument in &interface.buffers {
        if let Some((buffer, offset)) = table.buffers.get(&argument.index) {
            out.bind(argument.index, &buffer.0.memory, *offset, argument.writable);
        }
    }
    for (buffer, write) in &table.resident {
        out.reach(&buffer.0.memory, *write);
    }
    out
}

/// The textures of a stage.
struct Textures<'a> {
    turn: &'a Turn,
    table: &'a Table,
    /// A texture that is changed atomically, and not made for it.
    wrong: Cell<Option<String>>,
}

impl Textures<'_> {
    fn place(of: &SoftTexture, texel: &Texel) -> Place {
        let array = matches!(of.view.ty, TextureType::D1Array | TextureType::D2Array | TextureType::D2MultisampleArray);
        let slice = if array || faces(of.view.ty) == 6 { texel.layer } else { 0 };
        Place { level: texel.level, slice, at: texel.at, sample: texel.sample }
    }
}

impl Host for Textures<'_> {
    fn sample(&self, lookup: &Lookup) -> [u32; 4] {
        let Some(texture) = self.table.textures.get(&lookup.texture) else { return [0; 4] };
        let sampler: Sampler = match self.table.samplers.get(&lookup.sampler) {
            Some(found) => *found.0,
            None if lookup.sampler == u32::MAX => sampler::inline(lookup.state),
            None => return [0; 4],
        };
        sampler::sample(self.turn, texture, sampler, lookup)
    }

    fn read(&self, texel: &Texel) -> [u32; 4] {
        let Some(texture) = self.table.textures.get(&texel.texture) else { return [0; 4] };
        texture.read(self.turn, Self::place(texture, texel))
    }

    fn write(&self, texel: &Texel) -> [u32; 4] {
        if let Some(texture) = self.table.textures.get(&texel.texture) {
            if texel.operation != 0 && !texture.texels.descriptor.usage.atomic {
                self.wrong.set(Some(texture.texels.label()));
            }
            texture.write(self.turn, Self::place(texture, texel), texel.value);
        }
        texel.value
    }

    fn query(&self, texture: u32, what: u32, level: u32) -> u32 {
        let Some(texture) = self.table.textures.get(&texture) else { return 0 };
        match what {
            0..=2 => texture.size(level)[what as usize],
            3 => texture.layers(),
            4 => texture.view.levels[1],
            _ => texture.samples(),
        }
    }
}

/// Carries out a command.
pub(crate) fn execute(turn: &Turn, command: &Command, stopper: &mut Stopper<'_>) {
    match command {
        Command::Render(pass, draws) => draw::pass(turn, pass, draws, stopper),
        Command::Dispatch(dispatch) => kernel::dispatch(turn, dispatch, stopper),
        Command::Present(layer, texture) => layer.show(texture),
        other => blit::blit(turn, other),
    }
}

/// The bytes of a part of a texel that has depth and stencil.
pub(crate) const fn depth_bytes(format: PixelFormat) -> usize {
    match format {
        PixelFormat::Depth16Unorm => 2,
        _ => 4,
    }
}
