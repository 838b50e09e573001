//! Copies that are executed before the command buffer that is being written, and what that uses, which they may not touch.

use std::collections::BTreeMap;

use super::SoftQueue;
use super::encoder::Mode;
use crate::command::{Amount, Command, Draw, Groups, Pass, Table};
use crate::objects::SoftBuffer;
use crate::texture::SoftTexture;

/// What the command buffer that is being written uses: by address, and whether it is written.
#[derive(Debug, Default)]
pub(super) struct Used {
    all: BTreeMap<u64, bool>,
    /// Commands that were looked at, and draws of the pass that is open.
    seen: [usize; 2],
}

impl Used {
    fn note(&mut self, at: u64, writes: bool) {
        *self.all.entry(at).or_default() |= writes;
    }

    fn buffer(&mut self, buffer: &SoftBuffer, writes: bool) {
        self.note(buffer.0.memory.address(), writes);
    }

    fn texture(&mut self, texture: &SoftTexture, writes: bool) {
        self.note(texture.texels.memory.address(), writes);
    }

    /// Whether pipelines write to what is in tables is not looked at: it is used.
    fn table(&mut self, table: &Table) {
        table.buffers.values().for_each(|(buffer, _)| self.buffer(buffer, false));
        table.textures.values().for_each(|texture| self.texture(texture, false));
        table.resident.iter().for_each(|(buffer, writes)| self.buffer(buffer, *writes));
    }

    fn pass(&mut self, pass: &Pass) {
        let mut targets = Vec::new();
        for color in pass.colors.iter().flatten() {
            targets.extend([Some(&color.target), color.resolve.as_ref().map(|(target, _)| target)]);
        }
        if let Some(depth) = &pass.depth {
            targets.extend([Some(&depth.target), depth.resolve.as_ref().map(|(target, _)| target)]);
        }
        targets.extend(pass.stencil.iter().map(|stencil| Some(&stencil.target)));
        targets.into_iter().flatten().for_each(|target| self.texture(&target.texture, true));
        pass.visibility.iter().for_each(|buffer| self.buffer(buffer, true));
    }

    fn draw(&mut self, draw: &Draw) {
        self.table(&draw.state.vertex);
        self.table(&draw.state.fragment);
        draw.indices.iter().for_each(|indices| self.buffer(&indices.buffer, false));
        if let Amount::Indirect(arguments, _) = &draw.amount {
            self.buffer(arguments, false);
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Render(pass, draws) => {
                self.pass(pass);
                draws.iter().for_each(|draw| self.draw(draw));
            }
            Command::Dispatch(dispatch) => {
                self.table(&dispatch.table);
                if let Groups::Indirect(arguments, _) = &dispatch.groups {
                    self.buffer(arguments, false);
                }
            }
            Command::CopyBuffer { from, to, .. } => {
                self.buffer(from, false);
                self.buffer(to, true);
            }
            Command::FillBuffer { buffer, .. } => self.buffer(buffer, true),
            Command::CopyTexels { to_texture, buffer, texture, .. } => {
                self.buffer(buffer, !to_texture);
                self.texture(texture, *to_texture);
            }
            Command::CopyTexture { from, to, .. } => {
                self.texture(from, false);
                self.texture(to, true);
            }
            Command::GenerateMipmaps(texture) => self.texture(texture, true),
            Command::Present(_, texture) => self.texture(texture, false),
        }
    }

    /// Looks at what was encoded since the last time.
    fn catch_up(&mut self, commands: &[Command], mode: &Mode) {
        let [seen, seen_draws] = self.seen;
        let new = commands.get(seen..).unwrap_or_default();
        new.iter().for_each(|command| self.command(command));
        let draws = match mode {
            Mode::Render(pass, _, draws) => {
                self.pass(pass);
                // A pass that has ended since is a command.
                let seen_draws = if new.is_empty() { seen_draws } else { 0 };
                draws.get(seen_draws..).unwrap_or_default().iter().for_each(|draw| self.draw(draw));
                draws.len()
            }
            Mode::None | Mode::Refused | Mode::Compute(..) | Mode::Blit => 0,
        };
        self.seen = [commands.len(), draws];
    }

    /// What is wrong with a copy ahead of it: where to, and where from.
    fn fault(&self, (to, what): (u64, String), from: &SoftBuffer) -> Option<String> {
        if self.all.contains_key(&to) {
            return Some(format!("{what} is used by what was encoded before, which is executed behind"));
        }
        let written = self.all.get(&from.0.memory.address()).is_some_and(|writes| *writes);
        written.then(|| format!("{} is written by what was encoded before, which is executed behind", from.label()))
    }
}

impl SoftQueue {
    /// Encodes a copy to be executed before everything else of the command buffer.
    pub(super) fn encode_ahead(&mut self, call: &'static str, mut faults: Vec<String>, command: Command) {
        self.used.catch_up(&self.commands, &self.mode);
        faults.extend(match &command {
            Command::CopyBuffer { from, to, .. } => self.used.fault((to.0.memory.address(), to.label()), from),
            Command::CopyTexels { buffer, texture, .. } => {
                self.used.fault((texture.texels.memory.address(), texture.texels.label()), buffer)
            }
            _ => None,
        });
        if self.fine(call, faults) {
            self.ahead.push(command);
        }
    }
}
