//! What the commands of `afterimage` print and write. One program, since each would be linked with the self-test's shaders and all that
//! captures need.

#[path = "../../../../crates/vulkan/tests/common/at_work.rs"]
mod at_work;
mod cli;
#[path = "../../../../crates/inspect/tests/common/mod.rs"]
mod common;
mod dispatches;
#[path = "../drivers/mod.rs"]
mod drivers;
mod feedback;
mod gnm;
mod inspect;
mod own_process;
#[path = "../recorded/mod.rs"]
mod recorded;
mod recordings;
mod replay;
#[path = "../scene/mod.rs"]
mod scene;
mod selftest;
mod shader;
#[path = "../shaders/mod.rs"]
mod shaders;
mod trim;
