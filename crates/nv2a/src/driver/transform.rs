//! Transforms, viewport, lights and materials: what the fixed function is told.
//!
//! Source: `docs/sources/nv2a.md#fixed-function`: matrices are uploaded so that every component is the dot product of an uploaded
//! row with the vertex, so Direct3D's row-vector matrices are transposed; the composite matrix contains the viewport's scale.

use super::target::DEPTH_MAX;
use super::{Device, DriverError, RenderState, Viewport};
use afterimage_nv2a_types::{LIGHTS, STAGES, method};

/// A matrix for row vectors: `v * M`, as `D3DMATRIX`.
pub type Matrix = [[f32; 4]; 4];

/// The identity.
pub const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// What the Xbox adds to x and y: half a pixel, and half a step of the sub-pixel grid.
const PIXEL_CENTER: f32 = 0.53125;

/// Which matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transform {
    /// World to view.
    View,
    /// View to clip space.
    Projection,
    /// Texture matrix of a stage.
    Texture(usize),
    /// Model to world, 0 to 3.
    World(usize),
}

/// A light, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it comes from.
    pub kind: LightKind,
    /// Red, green, blue.
    pub diffuse: [f32; 3],
    /// Red, green, blue.
    pub specular: [f32; 3],
    /// Red, green, blue.
    pub ambient: [f32; 3],
}

/// Kinds of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// From far away.
    Directional {
        /// Where it shines.
        direction: [f32; 3],
    },
    /// From a point.
    Point {
        /// Where it is.
        position: [f32; 3],
        /// How far it reaches.
        range: f32,
        /// 1 / (a + b d + c d^2).
        attenuation: [f32; 3],
    },
    /// From a point into a cone.
    Spot {
        /// Where it is.
        position: [f32; 3],
        /// How far it reaches.
        range: f32,
        /// 1 / (a + b d + c d^2).
        attenuation: [f32; 3],
        /// Where it shines.
        cone: Cone,
    },
}

/// The cone of a spot light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Its axis, away from the light.
    pub direction: [f32; 3],
    /// Angle of the inner cone, all of it bright, in radians (`Theta`).
    pub inner: f32,
    /// Angle of the outer cone, beyond which there is no light, in radians (`Phi`).
    pub outer: f32,
    /// Power by which light falls off from the inner to the outer cone. The hardware has another curve, which is equal at both
    /// ends and half-way.
    pub falloff: f32,
}

impl Cone {
    /// `SET_LIGHT_SPOT_DIRECTION` (the axis in view space): its product with the direction to the light, plus its last number, is 0
    /// at the outer cone and 1 at the inner one.
    fn direction(&self, view: &Matrix) -> [f32; 4] {
        let (inner, outer) = ((self.inner / 2.0).cos(), (self.outer / 2.0).cos());
        let scale = 1.0 / (inner - outer).max(1e-6);
        let [x, y, z] = normalized(direction_by(view, self.direction)).map(|part| -part * scale);
        [x, y, z, -outer * scale]
    }

    /// `SET_LIGHT_SPOT_FALLOFF`: the curve is `(x + a) / (x b + c)`.
    fn falloff(&self) -> [f32; 3] {
        let bend = 2.0 * (1.0 - 0.5f32.powf(1.0 - self.falloff));
        [0.0, bend, 1.0 - bend]
    }
}

/// `D3DMATERIAL8`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Red to alpha.
    pub diffuse: [f32; 4],
    /// Red, green, blue.
    pub ambient: [f32; 3],
    /// Red, green, blue.
    pub specular: [f32; 3],
    /// Red, green, blue.
    pub emissive: [f32; 3],
    /// The hardware's six numbers of the specular curve (`SET_SPECULAR_PARAMS`).
    pub specular_params: [f32; 6],
}

impl Default for Material {
    /// White, without highlights.
    fn default() -> Self {
        Self { diffuse: [1.0; 4], ambient: [1.0; 3], specular: [0.0; 3], emissive: [0.0; 3], specular_params: [0.0; 6] }
    }
}

#[derive(Clone, Debug)]
pub(super) struct State {
    view: Matrix,
    projection: Matrix,
    world: [Matrix; 4],
    texture: [Option<Matrix>; STAGES],
    viewport: Viewport,
    lights: [Option<Light>; LIGHTS],
    material: Material,
    matrices_dirty: bool,
    lights_dirty: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            view: IDENTITY,
            projection: IDENTITY,
            world: [IDENTITY; 4],
            texture: [None; STAGES],
            viewport: Viewport { x: 0.0, y: 0.0, width: 1.0, height: 1.0, min_z: 0.0, max_z: 1.0 },
            lights: [None; LIGHTS],
            material: Material::default(),
            matrices_dirty: true,
            lights_dirty: true,
        }
    }
}

impl State {
    pub(super) fn mark_all(&mut self) {
        self.matrices_dirty = true;
        self.lights_dirty = true;
    }

    pub(super) fn mark_lights(&mut self) {
        self.lights_dirty = true;
    }
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

fn transposed(m: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| m[column][row]))
}

/// The inverse of an affine matrix; the identity where there is none.
fn inverse(m: &Matrix) -> Matrix {
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let determinant: f32 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    if determinant == 0.0 || !determinant.is_finite() {
        return IDENTITY;
    }
    let turned: [[f32; 3]; 3] =
        std::array::from_fn(|row| std::array::from_fn(|column| minor(column, row) / determinant));
    let moved: [f32; 3] = std::array::from_fn(|column| -(0..3).map(|k| m[3][k] * turned[k][column]).sum::<f32>());
    let affine = |[x, y, z]: [f32; 3], w| [x, y, z, w];
    [affine(turned[0], 0.0), affine(turned[1], 0.0), affine(turned[2], 0.0), affine(moved, 1.0)]
}

fn direction_by(m: &Matrix, v: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|column| (0..3).map(|k| v[k] * m[k][column]).sum())
}

fn point_by(m: &Matrix, v: [f32; 3]) -> [f32; 3] {
    let turned = direction_by(m, v);
    std::array::from_fn(|column| turned[column] + m[3][column])
}

fn normalized(v: [f32; 3]) -> [f32; 3] {
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 { v.map(|x| x / length) } else { v }
}

fn product(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| a[i] * b[i])
}

impl Device {
    /// `SetTransform`.
    ///
    /// # Errors
    /// [`DriverError::Index`] for a stage or world matrix beyond 3.
    pub fn set_transform(&mut self, which: Transform, matrix: Matrix) -> Result<(), DriverError> {
        let state = &mut self.transform;
        match which {
            Transform::View => state.view = matrix,
            Transform::Projection => state.projection = matrix,
            Transform::World(index) => {
                let count = state.world.len();
                *state.world.get_mut(index).ok_or(DriverError::Index { what: "world matrix", index, count })? = matrix;
            }
            Transform::Texture(index) => {
                let slot = state.texture.get_mut(index);
                let slot = slot.ok_or(DriverError::Index { what: "texture matrix", index, count: STAGES })?;
                *slot = (matrix != IDENTITY).then_some(matrix);
            }
        }
        state.mark_all();
        Ok(())
    }

    /// `SetViewport`.
    pub fn set_viewport(&mut self, viewport: Viewport) {
        self.transform.viewport = viewport;
        self.transform.matrices_dirty = true;
    }

    /// `SetLight` and `LightEnable`: `None` turns it off.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond light 7.
    pub fn set_light(&mut self, index: usize, light: Option<Light>) -> Result<(), DriverError> {
        let slot = self.transform.lights.get_mut(index);
        *slot.ok_or(DriverError::Index { what: "light", index, count: LIGHTS })? = light;
        self.transform.mark_lights();
        Ok(())
    }

    /// `SetMaterial`.
    pub fn set_material(&mut self, material: Material) {
        self.transform.material = material;
        self.transform.mark_lights();
    }

    fn send_matrix(&mut self, method: u16, matrix: &Matrix) {
        self.emit(method, &bytemuck::cast::<Matrix, [u32; 16]>(transposed(matrix)));
    }

    pub(super) fn apply_transform(&mut self) {
        if std::mem::take(&mut self.transform.matrices_dirty) {
            self.send_matrices();
        }
        if std::mem::take(&mut self.transform.lights_dirty) {
            self.send_lights();
        }
    }

    fn send_matrices(&mut self) {
        let state = self.transform.clone();
        let v = state.viewport;
        let depth = (v.max_z - v.min_z) * DEPTH_MAX;
        let scale = [v.width / 2.0, -v.height / 2.0, depth];
        let offset = [v.x + v.width / 2.0 + PIXEL_CENTER, v.y + v.height / 2.0 + PIXEL_CENTER, v.min_z * DEPTH_MAX];
        self.emit_floats(method::SET_CLIP_MIN, [v.min_z * DEPTH_MAX, v.max_z * DEPTH_MAX]);
        // Matrices and program constants share their memory, so the viewport's slots are written through the methods that
        // programs know them by, and the fixed function's matrices only when it draws.
        self.emit_floats(method::SET_VIEWPORT_OFFSET, [offset[0], offset[1], offset[2], 0.0]);
        self.emit_floats(method::SET_VIEWPORT_SCALE, [scale[0], scale[1], scale[2], 0.0]);
        self.send_viewport_clip(v);
        if self.program.is_program() {
            return;
        }
        // Fog and light are computed in view space: depth there, and the eye.
        self.emit_floats(method::SET_FOG_PLANE, [0.0, 0.0, 1.0, 0.0]);
        self.emit_floats(method::SET_EYE_POSITION, [0.0, 0.0, 0.0, 1.0]);
        let mut screen = IDENTITY;
        (0..3).for_each(|i| screen[i][i] = scale[i]);
        for (index, world) in state.world.iter().enumerate() {
            let model_view = multiply(world, &state.view);
            let at = 0x40 * index as u16;
            self.send_matrix(method::SET_MODEL_VIEW_MATRIX + at, &model_view);
            self.send_matrix(method::SET_INVERSE_MODEL_VIEW_MATRIX + at, &transposed(&inverse(&model_view)));
        }
        let to_screen = multiply(&state.projection, &screen);
        self.send_matrix(method::SET_PROJECTION_MATRIX, &to_screen);
        let composite = multiply(&multiply(&state.world[0], &state.view), &to_screen);
        self.send_matrix(method::SET_COMPOSITE_MATRIX, &composite);
        for (stage, matrix) in state.texture.iter().enumerate() {
            self.emit(method::SET_TEXTURE_MATRIX_ENABLE + 4 * stage as u16, &[u32::from(matrix.is_some())]);
            if let Some(matrix) = matrix {
                self.send_matrix(method::SET_TEXTURE_MATRIX + 0x40 * stage as u16, matrix);
            }
        }
    }

    fn send_lights(&mut self) {
        /// The viewer looks along +z; the vector to it.
        const TO_VIEWER: [f32; 3] = [0.0, 0.0, -1.0];
        let State { view, lights, material, .. } = self.transform.clone();
        // Without a separate specular colour the hardware adds lights' to the diffuse one, so there must be none then.
        let specular = self.render_state(RenderState::SpecularEnable) != 0;
        self.emit(method::SET_LIGHT_CONTROL, &[u32::from(specular)]);
        let shine = if specular { material.specular } else { [0.0; 3] };
        let mut mask = 0;
        for (index, light) in lights.iter().enumerate() {
            let Some(light) = light else { continue };
            let at = |method: u16| method + 0x80 * index as u16;
            // Lights are uploaded with the material in them.
            self.emit_floats(at(method::SET_LIGHT_AMBIENT_COLOR), product(light.ambient, material.ambient));
            let [red, green, blue, _] = material.diffuse;
            self.emit_floats(at(method::SET_LIGHT_DIFFUSE_COLOR), product(light.diffuse, [red, green, blue]));
            self.emit_floats(at(method::SET_LIGHT_SPECULAR_COLOR), product(light.specular, shine));
            match light.kind {
                LightKind::Directional { direction } => {
                    let to_light = normalized(direction_by(&view, direction)).map(|x| -x);
                    let half = normalized(std::array::from_fn(|i| to_light[i] + TO_VIEWER[i]));
                    self.emit_floats(at(method::SET_LIGHT_LOCAL_RANGE), [1e30]);
                    self.emit_floats(at(method::SET_LIGHT_INFINITE_HALF_VECTOR), half);
                    self.emit_floats(at(method::SET_LIGHT_INFINITE_DIRECTION), to_light);
                    mask |= 1 << (2 * index);
                }
                LightKind::Point { position, range, attenuation }
                | LightKind::Spot { position, range, attenuation, .. } => {
                    self.emit_floats(at(method::SET_LIGHT_LOCAL_RANGE), [range]);
                    self.emit_floats(at(method::SET_LIGHT_LOCAL_POSITION), point_by(&view, position));
                    self.emit_floats(at(method::SET_LIGHT_LOCAL_ATTENUATION), attenuation);
                    mask |= 2 << (2 * index);
                }
            }
            if let LightKind::Spot { cone, .. } = light.kind {
                self.emit_floats(at(method::SET_LIGHT_SPOT_FALLOFF), cone.falloff());
                self.emit_floats(at(method::SET_LIGHT_SPOT_DIRECTION), cone.direction(&view));
                mask |= 3 << (2 * index);
            }
        }
        self.emit(method::SET_LIGHT_ENABLE_MASK, &[mask]);
        let [_, red, green, blue] =
            self.render_state(RenderState::Ambient).to_be_bytes().map(|byte| f32::from(byte) / 255.0);
        let scene = product([red, green, blue], material.ambient);
        // The emissive colour is in the scene's ambient colour, the material's own factor is 0.
        self.emit_floats(
            method::SET_SCENE_AMBIENT_COLOR,
            std::array::from_fn::<_, 3, _>(|i| scene[i] + material.emissive[i]),
        );
        self.emit_floats(method::SET_MATERIAL_EMISSION, [0.0; 3]);
        self.emit_floats(method::SET_MATERIAL_ALPHA, [material.diffuse[3]]);
        self.emit_floats(method::SET_SPECULAR_PARAMS, material.specular_params);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_is_bright_inside_and_dark_outside() {
        let cone = Cone { direction: [0.0, 0.0, 2.0], inner: 0.4, outer: 1.2, falloff: 2.0 };
        let [_, _, z, shift] = cone.direction(&IDENTITY);
        // What shines at this angle comes from the opposite direction.
        let place = |angle: f32| -(angle / 2.0).cos() * z + shift;
        assert!((place(0.4) - 1.0).abs() < 1e-4 && place(1.2).abs() < 1e-4 && place(1.3) < 0.0);
        let [a, b, c] = cone.falloff();
        for (x, expected) in [(0.0, 0.0), (0.5, 0.25), (1.0, 1.0)] {
            assert!(((x + a) / (x * b + c) - expected).abs() < 1e-6, "{x}");
        }
        assert_eq!(Cone { falloff: 1.0, ..cone }.falloff(), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let m = [[2.0, 0.5, 0.0, 0.0], [0.0, 1.0, 0.25, 0.0], [1.0, 0.0, 4.0, 0.0], [3.0, -2.0, 7.0, 1.0]];
        let product = multiply(&m, &inverse(&m));
        for (row, expected) in product.iter().zip(IDENTITY) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-5, "{product:?}");
            }
        }
        assert_eq!(inverse(&[[0.0; 4]; 4]), IDENTITY);
    }
}
