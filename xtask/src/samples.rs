//! The samples of all guests that run natively.

use std::path::Path;
use std::process::Command;

use crate::build::Tree;

/// A sample.
pub struct Sample {
    /// Whose API it calls.
    pub guest: &'static str,
    /// Its name in the tree.
    pub name: &'static str,
}

/// All of them, by guest.
pub const SAMPLES: [Sample; 6] = [
    Sample { guest: "Direct3D 9", name: "scene" },
    Sample { guest: "Direct3D 9", name: "targets" },
    Sample { guest: "Direct3D 9", name: "features" },
    Sample { guest: "Direct3D 9", name: "teapot" },
    Sample { guest: "NV2A", name: "xbox" },
    Sample { guest: "GNM", name: "playstation" },
];

impl Sample {
    /// Arguments for so many frames, of a program that `command` starts. Samples of consoles want a folder for a picture out of
    /// the console's memory.
    pub fn arguments<'a>(&self, command: &'a mut Command, frames: u64, pictures: &Path) -> &'a mut Command {
        let frames = frames.to_string();
        command.args(["--frames", &frames]);
        if self.guest != "Direct3D 9" {
            command.args(["--shots", &frames]).arg(pictures);
        }
        command
    }

    /// Its program.
    pub fn program(&self, tree: &Tree) -> std::path::PathBuf {
        tree.native_sample(self.name)
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.guest, self.name)
    }
}
