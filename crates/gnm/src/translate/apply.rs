//! What draws apply: the parts of the host's state, which groups of registers each is made of, and what was made last.
//!
//! A part is a function from a [`View`](afterimage_gnm_types::View) (and what the host has, such as the size of targets) to a
//! value. It is called again when a group that it reads has changed, and what comes out is sent if the receiver has something
//! else. Debug builds make every part for every draw and hold it against what was made before, so a group that is missing
//! below ends the first draw that needs it.

use super::states::{self, Blend, DepthStencil};
use super::targets::Described;
use super::viewport::{self, Transform};
use super::{Translator, queries};
use afterimage_gnm_types::{Group, Groups, Registers};
use afterimage_shader_gcn::io;
use afterimage_stream::packets::*;
use std::fmt::Debug;

/// Declares the parts, each with the groups that it reads.
macro_rules! parts {
    ($( $(#[$doc:meta])* $part:ident reads [$($group:ident),* $(,)?] ),* $(,)?) => {
        /// A part of what a draw applies.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Part { $( $(#[$doc])* $part ),* }

        impl Part {
            /// Every part.
            #[cfg(test)]
            const ALL: &[Self] = &[ $( Self::$part ),* ];

            /// Groups of the registers that it is made of.
            pub(super) const fn reads(self) -> Groups {
                match self { $( Self::$part => Groups::of_bits($( 1 << Group::$group as u8 )|*) ),* }
            }
        }
    };
}

parts! {
    /// [`super::targets::describe`]: surfaces, and whether depth is used.
    Targets reads [Targets, DepthTarget, DepthStencil, Scissor, Samples],
    /// [`super::viewport::transform`].
    Viewport reads [Viewport, Raster],
    /// [`super::viewport::scissor`].
    Scissor reads [Scissor, Samples],
    /// [`super::states::raster`].
    Raster reads [Raster, Viewport, Samples, Blend],
    /// [`super::states::blend`].
    Blend reads [Blend, BlendConstants, Targets],
    /// [`super::states::depth_stencil`].
    DepthStencil reads [DepthStencil, DepthTarget],
    /// [`super::queries::counts`].
    Queries reads [Queries],
    /// What the vertex stage's translation depends on.
    VertexKey reads [VertexProgram, Primitive, Scratch],
    /// What the pixel stage's translation depends on.
    PixelKey reads [PixelProgram, Targets, Scratch],
    /// What the vertex stage needs: [`super::Translator::gather`], and the samplers' border colours.
    VertexStage reads [VertexProgram, VertexData, BorderColors],
    /// What the pixel stage needs.
    PixelStage reads [PixelProgram, PixelData, BorderColors],
}

/// A part's value, and what it was made of besides registers.
#[derive(Debug)]
pub(super) struct Made<I, V>(Option<(I, V)>);

impl<I, V> Default for Made<I, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<I: Copy + PartialEq + Debug, V: PartialEq + Debug> Made<I, V> {
    /// Makes the value where something has changed that it is made of. Whether it is another one then.
    #[inline]
    pub(super) fn update(&mut self, part: Part, dirty: Groups, with: I, make: impl FnOnce(I) -> V) -> bool {
        let is_clean = !dirty.touches(part.reads()) && self.0.as_ref().is_some_and(|(input, _)| *input == with);
        if is_clean && !cfg!(debug_assertions) {
            return false;
        }
        let value = make(with);
        let is_same = self.value() == Some(&value);
        assert!(
            is_same || !is_clean,
            "{part:?} is {value:?} though no group that it reads has changed since {:?}",
            self.0
        );
        if !is_clean {
            self.0 = Some((with, value));
        }
        !is_same
    }

    /// What was made last.
    #[inline]
    pub(super) fn value(&self) -> Option<&V> {
        self.0.as_ref().map(|(_, value)| value)
    }
}

/// What was made last of each part that is a value of registers.
#[derive(Debug, Default)]
pub(super) struct Applied {
    pub(super) targets: Made<(), Described>,
    /// With the size of the targets.
    pub(super) viewport: Made<[u32; 2], Transform>,
    /// With the size of the targets.
    pub(super) scissor: Made<[u32; 2], Rect>,
    /// With whether polygons are drawn; none where all of them are culled.
    pub(super) raster: Made<bool, Option<SetRaster>>,
    pub(super) blend: Made<(), Blend>,
    /// With whether the target has depth, and stencil.
    pub(super) depth_stencil: Made<[bool; 2], DepthStencil>,
    pub(super) queries: Made<(), bool>,
    /// With what runs as the vertex stage, and the bits of its position.
    pub(super) vertex: Made<([u32; 2], u32), io::Registers>,
    pub(super) pixel: Made<(), io::Registers>,
}

impl Translator {
    /// Sends what has changed of the states that are nothing but registers and targets. None where everything is culled, of which
    /// `polygons` say whether it can be.
    pub(super) fn apply_states(&mut self, registers: &Registers, polygons: bool) -> Option<Transform> {
        let Self { applied, sent, port, once, targets, .. } = self;
        let (dirty, size) = (registers.dirty, targets.size);
        if applied.viewport.update(Part::Viewport, dirty, size, |size| viewport::transform(registers, size))
            && let Some(transform) = applied.viewport.value()
        {
            port.put(&mut sent.viewport, transform.viewport);
        }
        if applied.scissor.update(Part::Scissor, dirty, size, |size| viewport::visible(registers, size, once))
            && let Some(rect) = applied.scissor.value()
        {
            port.put(&mut sent.scissor, SetScissor { rect: *rect });
        }
        if applied.raster.update(Part::Raster, dirty, polygons, |polygons| states::raster(registers, polygons, once))
            && let Some(Some(raster)) = applied.raster.value()
        {
            port.put(&mut sent.raster, *raster);
        }
        if matches!(applied.raster.value(), Some(None)) {
            return None;
        }
        if applied.blend.update(Part::Blend, dirty, (), |()| states::blend(registers, once))
            && let Some(Blend { all, apart }) = applied.blend.value()
        {
            // The packet for all takes back what others said of each.
            sent.blend = Some(*all);
            port.push(all);
            if !apart.is_empty() {
                port.push_tail(&SetBlendTargets { count: apart.len() as u32, pad: 0 }, apart);
            }
        }
        let has = targets.has;
        let depth = |has| states::depth_stencil(registers, has, once);
        if applied.depth_stencil.update(Part::DepthStencil, dirty, has, depth)
            && let Some((both, back)) = applied.depth_stencil.value()
        {
            // The packet for both faces takes back what was said of back ones.
            sent.depth_stencil = Some(*both);
            port.push(both);
            if back.enable != 0 {
                port.push(back);
            }
        }
        applied.queries.update(Part::Queries, dirty, (), |()| queries::counts(registers));
        self.passed.count(port, applied.queries.value() == Some(&true));
        applied.viewport.value().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{shaders, targets};
    use super::*;
    use afterimage_gnm_types::View;
    use afterimage_gnm_types::rows::ROWS;
    use afterimage_stream::Once;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    /// Makes a part in every way that draws do.
    fn make(part: Part, view: &View) {
        let once = &mut Once::default();
        match part {
            Part::Targets => drop(targets::describe(view, once)),
            Part::Viewport => drop(viewport::transform(view, [640, 480])),
            Part::Scissor => drop(viewport::visible(view, [640, 480], once)),
            Part::Raster => drop([false, true].map(|polygons| states::raster(view, polygons, once))),
            Part::Blend => drop(states::blend(view, once)),
            Part::DepthStencil => {
                for has in [[false, false], [true, false], [true, true]] {
                    states::depth_stencil(view, has, once);
                }
            }
            Part::Queries => drop(queries::counts(view)),
            Part::VertexKey => drop([shaders::vertex_registers(view, 0), shaders::domain_registers(view, 0)]),
            Part::PixelKey => drop(shaders::pixel_registers(view)),
            Part::VertexStage | Part::PixelStage => {}
        }
    }

    /// All registers that are state: zeros, ones, or anything.
    fn registers() -> impl Strategy<Value = Registers> {
        let rows = ROWS.into_iter().flatten().filter(|row| row.group.is_some());
        let addresses: Vec<u32> = rows.flat_map(|row| (0..row.count).map(|n| row.address + n * row.stride)).collect();
        let value = prop_oneof![1 => Just(0u32), 1 => Just(u32::MAX), 6 => any::<u32>()];
        prop::collection::vec(value, addresses.len()).prop_map(move |values| {
            let mut registers = Registers::new();
            for (address, value) in addresses.iter().zip(values) {
                registers.set(*address, value);
            }
            registers
        })
    }

    #[test]
    fn parts_read_the_groups_that_they_say_and_no_others() {
        let read = std::cell::RefCell::new(vec![0u64; Part::ALL.len()]);
        let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
        let checked = runner.run(&registers(), |registers| {
            let view = registers.traced();
            for part in Part::ALL {
                make(*part, &view);
                for (address, group) in view.take_reads() {
                    let name = afterimage_gnm_types::rows::name_of(address);
                    prop_assert!(group.is_some(), "{part:?} reads {name:?}, which is of no group");
                    let bit = group.map_or(0, |group| 1 << group as u8);
                    let allowed = part.reads().touches(Groups::of_bits(bit));
                    prop_assert!(allowed, "{part:?} reads {name:?} of {group:?}, which its row does not name");
                    read.borrow_mut()[*part as usize] |= bit;
                }
            }
            Ok(())
        });
        checked.unwrap();
        for part in Part::ALL.iter().filter(|part| !matches!(part, Part::VertexStage | Part::PixelStage)) {
            assert_eq!(Groups::of_bits(read.borrow()[*part as usize]), part.reads(), "{part:?}");
        }
    }
}
