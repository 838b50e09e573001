//! Lights by index, and which of them are on.

use super::states::{DeviceState, DeviceTracker};
use afterimage_d3d9_types::*;
use afterimage_state::trace;
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

    /// Stores a light. Drawing changes if it is on.
    pub(crate) fn set(&mut self, index: u32, light: &D3DLIGHT9, tracker: &mut DeviceTracker) {
        let (stored, on) = self.lights.entry(index).or_insert((*light, false));
        if *on {
            tracker.write(DeviceState::LIGHTS.only(), stored, *light);
        } else {
            *stored = *light;
        }
    }

    /// Turns a light on or off.
    pub(crate) fn enable(&mut self, index: u32, on: bool, tracker: &mut DeviceTracker) {
        let (_, stored) = self.lights.entry(index).or_insert_with(|| (default_light(), false));
        tracker.write(DeviceState::LIGHTS.only(), stored, on);
    }

    /// The lights that are on, by index.
    pub(crate) fn enabled(&self) -> impl Iterator<Item = &D3DLIGHT9> {
        trace::read(DeviceState::LIGHTS.only());
        self.lights.values().filter(|(_, on)| *on).map(|(light, _)| light)
    }

    /// Every light.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &D3DLIGHT9, bool)> {
        self.lights.iter().map(|(index, (light, on))| (*index, light, *on))
    }
}
