//! Lights by index, and which of them are on.

use afterimage_d3d9_types::*;
use std::collections::BTreeMap;

/// Lights that the program set or enabled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lights {
    lights: BTreeMap<u32, (D3DLIGHT9, bool)>,
}

/// What `LightEnable` gives a light that was never set: white, directional, along z.
fn default_light() -> D3DLIGHT9 {
    D3DLIGHT9 {
        Type: D3DLIGHT_DIRECTIONAL,
        Diffuse: D3DCOLORVALUE { r: 1.0, g: 1.0, b: 1.0, a: 0.0 },
        Direction: D3DVECTOR { x: 0.0, y: 0.0, z: 1.0 },
        ..D3DLIGHT9::default()
    }
}

impl Lights {
    pub(crate) fn get(&self, index: u32) -> Option<&(D3DLIGHT9, bool)> {
        self.lights.get(&index)
    }

    /// Stores a light; true if it is on, so that drawing changes.
    pub(crate) fn set(&mut self, index: u32, light: &D3DLIGHT9) -> bool {
        let entry = self.lights.entry(index).or_insert((*light, false));
        entry.0 = *light;
        entry.1
    }

    /// Turns a light on or off; true if that changed.
    pub(crate) fn enable(&mut self, index: u32, on: bool) -> bool {
        let entry = self.lights.entry(index).or_insert_with(|| (default_light(), false));
        std::mem::replace(&mut entry.1, on) != on
    }

    /// The lights that are on, by index.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &D3DLIGHT9> {
        self.lights.values().filter(|(_, on)| *on).map(|(light, _)| light)
    }

    /// Every light.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &D3DLIGHT9, bool)> {
        self.lights.iter().map(|(index, (light, on))| (*index, light, *on))
    }
}
