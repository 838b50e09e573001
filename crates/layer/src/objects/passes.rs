//! Render passes: which of their subpasses wait for what was before them in the render pass, and whether they draw several views.

use crate::barriers::{Waits, waits};
use ash::vk;
use std::sync::Arc;

/// What is known of a render pass.
#[derive(Clone, Debug)]
pub(crate) struct Subpasses {
    /// Subpass by subpass.
    pub(crate) waits: Arc<[Waits]>,
    /// It is of several views (all of its subpasses are, or none), in which nothing can be captured.
    pub(crate) multiview: bool,
}

/// A dependency: from subpass to subpass, the stages and accesses that it is from, and the stages that it waits in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dependency {
    pub(crate) subpasses: [u32; 2],
    pub(crate) before: u64,
    pub(crate) accesses: u64,
    pub(crate) after: u64,
}

/// How the subpasses of a render pass of so many wait.
///
/// A dependency on what was before the render pass is kept by the barriers around captures, and one of a subpass on itself allows barriers, which
/// are looked at where they stand. What two dependencies make visible, one behind the other, the second of them says.
pub(crate) fn waits_of(count: u32, dependencies: impl IntoIterator<Item = Dependency>) -> Arc<[Waits]> {
    let mut all = vec![Waits::No; count as usize];
    for Dependency { subpasses: [from, to], before, accesses, after } in dependencies {
        if from != vk::SUBPASS_EXTERNAL
            && from != to
            && let Some(known) = all.get_mut(to as usize)
        {
            *known = (*known).max(waits(before, accesses, after));
        }
    }
    all.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};

    #[test]
    fn a_subpass_waits_as_its_dependencies_say() {
        let dependency = |from, to, before: Stage, access: Access, after: Stage| Dependency {
            subpasses: [from, to],
            before: before.as_raw().into(),
            accesses: access.as_raw().into(),
            after: after.as_raw().into(),
        };
        let (captures, written) = (Stage::TRANSFORM_FEEDBACK_EXT, Access::TRANSFORM_FEEDBACK_WRITE_EXT);
        let known = waits_of(
            5,
            [
                dependency(vk::SUBPASS_EXTERNAL, 0, Stage::TRANSFER, Access::TRANSFER_WRITE, Stage::VERTEX_SHADER),
                dependency(1, 1, Stage::VERTEX_SHADER, Access::SHADER_WRITE, Stage::VERTEX_SHADER),
                dependency(0, 1, Stage::COLOR_ATTACHMENT_OUTPUT, Access::empty(), Stage::FRAGMENT_SHADER),
                dependency(0, 2, captures, written, Stage::VERTEX_INPUT),
                dependency(1, 3, Stage::FRAGMENT_SHADER, Access::SHADER_WRITE, Stage::VERTEX_SHADER),
                dependency(0, 3, captures, written, Stage::VERTEX_INPUT),
                // Captures wait until what they write is no longer read.
                dependency(3, 4, Stage::FRAGMENT_SHADER, Access::empty(), Stage::TRANSFORM_FEEDBACK_EXT),
                dependency(0, vk::SUBPASS_EXTERNAL, Stage::FRAGMENT_SHADER, Access::empty(), Stage::ALL_COMMANDS),
            ],
        );
        assert_eq!(*known, [Waits::No, Waits::No, Waits::Captures, Waits::Else, Waits::Else]);
    }
}
