//! Uploads in the middle of a pass do not break it where they can come before it.

use crate::common::recorder::Recorder;
use crate::common::*;
use afterimage_metal_calls::Family;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};
use std::sync::atomic::Ordering;

const DRAWS: u32 = 20;

/// A guest that draws with a texture, and has a pass open.
struct Scene {
    guest: GuestOn<Recorder>,
    device: Recorder,
    textures: Vec<ObjectId>,
    sampler: ObjectId,
    /// Too large to get other memory for each change of a part.
    large: ObjectId,
}

/// Bytes of a buffer that is not copied as a whole.
const LARGE: usize = 1 << 20;

impl Scene {
    fn new(levels: u32) -> Self {
        let device = Recorder::new(Family::Apple7);
        let mut guest = GuestOn::on(device.clone());
        let target = guest.target(Format::B8G8R8A8_UNORM, 16, 16);
        guest.bind(target, ObjectId::NONE);
        guest.shaders(VERTEX, TEXTURE);
        guest.layout();
        let mut vertices = bytemuck::cast_slice::<Vertex, u8>(&full(0.5, BLUE)).to_vec();
        vertices.resize(LARGE, 0);
        let large = guest.buffer(CreateBuffer::VERTEX, &vertices);
        guest.bind_vertices(large, 0, 0);
        let sampler = guest.sampler(sampling(Filter::Linear));
        let textures = (0..DRAWS).map(|_| guest.texture(Format::R8G8B8A8_UNORM, 8, 8, levels, 0)).collect();
        let mut scene = Self { guest, device, textures, sampler, large };
        scene.fill(0, 0, 8);
        scene.bind(0);
        scene.guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        scene.draw();
        scene.guest.run();
        scene.device.take();
        scene
    }

    fn fill(&mut self, texture: usize, level: u16, edge: u32) {
        let texels = vec![9; (edge * edge * 4) as usize];
        self.guest.update_texture(self.textures[texture], level, 0, [edge; 2], edge * 4, &texels);
    }

    fn bind(&mut self, texture: usize) {
        self.guest.bind_texture(0, self.textures[texture], self.sampler);
    }

    fn draw(&mut self) {
        self.guest.draw(Topology::TriangleList, 0, 6);
    }

    /// Executes what was encoded: passes begun, and copies ahead and where they stand.
    fn count(mut self) -> [usize; 3] {
        self.guest.run();
        let lines = self.device.take();
        self.guest.finish();
        assert_eq!(lines.iter().filter(|line| line.starts_with("draw ")).count(), DRAWS as usize);
        let count = |names: &[&str]| {
            lines.iter().filter(|line| names.iter().any(|name| line.starts_with(&format!("{name} ")))).count()
        };
        [
            count(&["begin_render"]),
            count(&["copy_buffer_to_texture_ahead", "copy_buffer_ahead"]),
            count(&["copy_buffer_to_texture", "copy_buffer"]),
        ]
    }
}

const ALL: usize = DRAWS as usize;

#[test]
fn textures_that_were_not_drawn_with_are_filled_before_the_pass() {
    let mut scene = Scene::new(2);
    for texture in 0..ALL {
        // The first was drawn with. Of the others the second level has zeros.
        if texture > 0 {
            scene.fill(texture, 0, 8);
            scene.bind(texture);
        }
        scene.draw();
    }
    assert_eq!(scene.count(), [0, 2 * (ALL - 1), 0]);
}

#[test]
fn a_texture_that_is_replaced_has_other_memory() {
    let mut scene = Scene::new(1);
    for _ in 0..DRAWS {
        scene.fill(0, 0, 8);
        scene.draw();
    }
    assert_eq!(scene.count(), [0, ALL, 0]);
}

#[test]
fn a_part_of_what_was_drawn_with_breaks_the_pass() {
    let mut scene = Scene::new(1);
    for _ in 0..DRAWS {
        scene.fill(0, 0, 4);
        scene.draw();
    }
    assert_eq!(scene.count(), [ALL, 0, ALL]);
}

#[test]
fn a_part_of_a_buffer_that_waits_for_the_gpu_is_copied_before_the_pass() {
    let mut scene = Scene::new(1);
    for number in 0..DRAWS {
        if number % 2 == 0 {
            // Drawn with here: it breaks the pass, once for each command buffer.
            let data = scene.guest.upload(&[1; 64]);
            scene.guest.encoder.push(&UpdateBuffer { id: scene.large, flags: 0, offset: 1024, data });
        }
        scene.draw();
    }
    assert_eq!(scene.count(), [ALL / 2, 0, ALL / 2]);

    let mut scene = Scene::new(1);
    scene.device.lags.store(true, Ordering::Relaxed);
    let other = scene.guest.buffer(CreateBuffer::VERTEX, &vec![0; LARGE]);
    scene.guest.bind_vertices(other, 0, 0);
    scene.guest.draw(Topology::TriangleList, 0, 6);
    scene.guest.present(ObjectId::NONE);
    scene.guest.bind_vertices(scene.large, 0, 0);
    scene.guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    scene.guest.draw(Topology::TriangleList, 0, 6);
    scene.guest.run();
    scene.device.take();
    for number in 0..u64::from(DRAWS) {
        let data = scene.guest.upload(&[1; 64]);
        scene.guest.encoder.push(&UpdateBuffer { id: other, flags: 0, offset: 64 * number, data });
        scene.draw();
    }
    assert_eq!(scene.count(), [0, ALL, 0]);
}
