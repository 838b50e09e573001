//! The extension's stage and accesses in what a program waits for, in terms of the stages that captures are done in.
//!
//! Captures surround themselves with barriers ([`crate::record::work`]), so a program's barriers only have to be legal, and to say that for which
//! those of the layer's do not suffice: what the host reads, and what another queue or event waits for. Numbers of both generations of flags are
//! the same.

use ash::vk::{AccessFlags as Access, PipelineStageFlags as Stage};

const FEEDBACK: u64 = Stage::TRANSFORM_FEEDBACK_EXT.as_raw() as u64;
const ALL: u64 = Stage::ALL_COMMANDS.as_raw() as u64;
/// Stages that captures are done in.
const OWN: u64 = (Stage::COMPUTE_SHADER.as_raw() | Stage::TRANSFER.as_raw()) as u64;
/// Stages in which a draw reads what captures read, or captures; and those before, since what waits in a stage waits in the later ones, too.
const DRAWS: u64 = (Stage::TOP_OF_PIPE.as_raw()
    | Stage::CONDITIONAL_RENDERING_EXT.as_raw()
    | Stage::DRAW_INDIRECT.as_raw()
    | Stage::VERTEX_INPUT.as_raw()
    | Stage::VERTEX_SHADER.as_raw()
    | Stage::TESSELLATION_CONTROL_SHADER.as_raw()
    | Stage::TESSELLATION_EVALUATION_SHADER.as_raw()
    | Stage::GEOMETRY_SHADER.as_raw()
    | Stage::TRANSFORM_FEEDBACK_EXT.as_raw()
    | Stage::ALL_GRAPHICS.as_raw()
    | Stage::ALL_COMMANDS.as_raw()) as u64;
/// Vertex input in two halves, and the stages before rasterisation in one, of the second generation alone.
const DRAWS2: u64 = 0x30_0000_0000 | 0x40_0000_0000;

/// An access of the extension's, and what it is where captures are done.
const ACCESSES: [(u64, u64); 3] = [
    (Access::TRANSFORM_FEEDBACK_WRITE_EXT.as_raw() as u64, Access::SHADER_WRITE.as_raw() as u64),
    (
        Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT.as_raw() as u64,
        (Access::SHADER_READ.as_raw() | Access::TRANSFER_READ.as_raw()) as u64,
    ),
    (
        Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT.as_raw() as u64,
        (Access::SHADER_WRITE.as_raw() | Access::TRANSFER_WRITE.as_raw()) as u64,
    ),
];

/// Where a barrier stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// On a device that the layer does nothing for: everything stays as it is.
    Foreign,
    /// Where captures can be done.
    Outside,
    /// Inside of a render pass, which captures are done before: only stages of graphics are there.
    Inside,
}

/// Whether the extension occurs in stages or accesses.
pub(crate) fn concerns(stages: u64, accesses: u64) -> bool {
    stages & FEEDBACK != 0 || ACCESSES.iter().any(|row| accesses & row.0 != 0)
}

/// Accesses without the extension's.
pub(crate) fn accesses(place: Place, accesses: u64) -> u64 {
    if place == Place::Foreign {
        return accesses;
    }
    let outside = place == Place::Outside;
    ACCESSES.iter().fold(accesses, |all, &(theirs, ours)| {
        let found = all & theirs != 0;
        (all & !theirs) | if found && outside { ours } else { 0 }
    })
}

/// Stages without the extension's, of something with these accesses.
pub(crate) fn stages(place: Place, stages: u64, accesses: u64) -> u64 {
    if place == Place::Foreign || !concerns(stages, accesses) {
        return stages;
    }
    let plain = stages & !FEEDBACK;
    match place {
        Place::Foreign => stages,
        Place::Outside if stages & ALL != 0 => plain,
        Place::Outside => plain | OWN,
        Place::Inside if plain != 0 => plain,
        Place::Inside => Stage::VERTEX_SHADER.as_raw().into(),
    }
}

/// Whether a barrier waits for nothing but what captures do.
fn is_feedback_alone(stages: u64, accesses: u64) -> bool {
    stages == FEEDBACK && ACCESSES.iter().fold(accesses, |all, row| all & !row.0) == 0
}

/// Whether what waits in these stages may read what a captured draw reads.
fn reaches_draws(stages: u64) -> bool {
    stages & (DRAWS | DRAWS2) != 0
}

/// What a dependency or a barrier inside of a render pass means for captures behind it, which are done before the render pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Waits {
    /// Nothing that draws read or capture into is waited for.
    #[default]
    No,
    /// What was captured before is: captures are done in their order.
    Captures,
    /// Something else is, which captures would come before.
    Else,
}

/// What it means to wait in these stages for others and their accesses.
pub(crate) fn waits(before: u64, accesses: u64, after: u64) -> Waits {
    if !reaches_draws(after) {
        Waits::No
    } else if is_feedback_alone(before, accesses) {
        Waits::Captures
    } else {
        Waits::Else
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_is_what_captures_do() {
        let write = u64::from(Access::TRANSFORM_FEEDBACK_WRITE_EXT.as_raw());
        assert!(concerns(FEEDBACK, 0) && concerns(0, write) && !concerns(ALL, 0x60));
        assert_eq!(stages(Place::Outside, FEEDBACK, write), OWN);
        assert_eq!(accesses(Place::Outside, write | 1), u64::from(Access::SHADER_WRITE.as_raw()) | 1);
        // A counter that a draw reads is read by a shader, too.
        let (read, indirect) = (ACCESSES[1].0, u64::from(Stage::DRAW_INDIRECT.as_raw()));
        assert_eq!(stages(Place::Outside, indirect, read), indirect | OWN);
        assert_eq!(stages(Place::Outside, ALL, read), ALL);
        assert_eq!(stages(Place::Inside, FEEDBACK, write), u64::from(Stage::VERTEX_SHADER.as_raw()));
        assert_eq!(accesses(Place::Inside, write), 0);
        assert_eq!(stages(Place::Outside, 0x80, 0x20), 0x80);
        assert!(reaches_draws(u64::from(Stage::VERTEX_INPUT.as_raw())));
        assert!(!reaches_draws(u64::from(Stage::FRAGMENT_SHADER.as_raw())));
        let colour = u64::from(Stage::COLOR_ATTACHMENT_OUTPUT.as_raw());
        assert_eq!(waits(FEEDBACK, write, indirect), Waits::Captures);
        assert_eq!(waits(FEEDBACK | colour, write, indirect), Waits::Else);
        assert_eq!(waits(colour, 0, u64::from(Stage::FRAGMENT_SHADER.as_raw())), Waits::No);
    }
}
