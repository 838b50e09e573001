//! The scene: a ring that turns over water. A compute shader moves the water, and what it shows is the picture before.

use crate::console::Console;
use crate::programs;
use crate::shapes::{self, Matrix, TEXTURE_SIDE, Vertex};
use afterimage_gnm::driver::{
    CommandBuffer, DispatchDirect, DrawIndex, DrawIndexAuto, DrawInitDefaultHardwareState, Driver, SetCsShader,
    SetEmbeddedVsShader, SetPsShader, SetVsShader,
};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::Display;
use afterimage_gnm_types::descriptors::{buffer, image, sampler};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, op, reg, value::*};
use std::error::Error;
use std::f32::consts::TAU;

/// Width and height of pictures.
const SIZE: [u32; 2] = [640, 480];
/// Lines of colour buffers and depth in memory: tiles are whole.
const LINES: u32 = 512;
/// Tile mode of what is shown: 2D, for the display.
const DISPLAY_2D: u32 = 10;
/// Tile mode of depth: 2D.
const DEPTH_2D: u32 = 2;
/// Tile mode of plain lines.
const LINEAR: u32 = 8;
/// Points of the water along each side: lanes of a group.
const WATER: u16 = 64;
/// Where the lamp is, of length 1.
const LAMP: [f32; 3] = [0.48, 0.8, -0.36];
/// What is behind everything.
const SKY: [f32; 4] = [0.36, 0.52, 0.72, 1.0];

/// Something that is drawn.
struct Mesh {
    vertices: BufferDescriptor,
    indices: u64,
    index_count: u32,
    tint: [f32; 3],
}

/// Where everything is in memory.
pub(crate) struct Scene {
    driver: Driver,
    colour: [u64; 2],
    depth: u64,
    commands: u64,
    /// Two matrices of each mesh.
    constants: [u64; 2],
    /// T# and S#: of the ring; of the water, in frames that are shown from the first and the second colour buffer.
    tables: [u64; 3],
    ring: Mesh,
    water: Mesh,
    /// The water's vertices, as bytes.
    moving: BufferDescriptor,
    move_water: u64,
    vertex: u64,
    pixel: u64,
    sky: u64,
}

impl Scene {
    pub(crate) fn new(console: &mut Console) -> Result<Self, Box<dyn Error>> {
        let picture = u64::from(SIZE[0] * LINES * 4);
        let colour = [console.allocate(picture, 64 << 10)?, console.allocate(picture, 64 << 10)?];
        let depth = console.allocate(picture, 64 << 10)?;
        let (vertices, indices) = shapes::torus(0.5, 0.2, [48, 24]);
        let ring = Mesh {
            vertices: records(console.store(&vertices)?, vertices.len()),
            index_count: indices.len() as u32,
            indices: console.store(&indices)?,
            tint: [1.0, 0.78, 0.3],
        };
        let indices = shapes::grid([WATER; 2]);
        let points = usize::from(WATER) * usize::from(WATER);
        let size = points * size_of::<Vertex>();
        let moving = console.allocate(size as u64, 256)?;
        let water = Mesh {
            vertices: records(moving, points),
            index_count: indices.len() as u32,
            indices: console.store(&indices)?,
            tint: [0.75, 0.95, 1.0],
        };
        let checker = console.store(&shapes::checker(0xFFFF_FFFF, 0xFF30_3060))?;
        let mut table =
            |texture: ImageDescriptor, wrap: u32| console.store(&[&texture.0[..], &linear(wrap).0].concat());
        let tables = [
            table(texture(checker, [TEXTURE_SIDE; 2], LINEAR), SQ_TEX_WRAP)?,
            table(texture(colour[1], SIZE, DISPLAY_2D), SQ_TEX_MIRROR)?,
            table(texture(colour[0], SIZE, DISPLAY_2D), SQ_TEX_MIRROR)?,
        ];
        Ok(Self {
            driver: Driver::default(),
            colour,
            depth,
            commands: console.allocate(64 << 10, 256)?,
            constants: [console.allocate(128, 256)?, console.allocate(128, 256)?],
            tables,
            ring,
            water,
            moving: bytes(moving, size),
            move_water: console.program(programs::WATER)?,
            vertex: console.program(programs::VERTEX)?,
            pixel: console.program(programs::PIXEL)?,
            sky: console.program(programs::COLOUR)?,
        })
    }

    /// What is shown of a frame, the first being 1.
    pub(crate) fn display(&self, frame: u32) -> Display {
        let address = self.colour[frame as usize % 2];
        let [width, height] = SIZE;
        let format = IMG_DATA_FORMAT_8_8_8_8;
        Display { address, width, height, pitch: width, format, blue_first: false, tile_mode: DISPLAY_2D }
    }

    /// Draws a frame, the first being 1, and shows it.
    pub(crate) fn draw(&self, console: &mut Console, frame: u32) -> Result<(), Box<dyn Error>> {
        let turns = frame as f32 / 240.0;
        let camera = shapes::product(
            &shapes::perspective(1.9, 4.0 / 3.0, 0.2, 10.0),
            &shapes::product(&shapes::translation([0.0, -0.05, 2.6]), &shapes::rotation(1, 2, -0.5)),
        );
        let up = shapes::translation([0.0, 0.55, 0.0]);
        let ring = shapes::product(&shapes::rotation(0, 2, turns * TAU), &shapes::rotation(1, 2, 0.9 + turns * 2.0));
        let worlds: [Matrix; 2] = [shapes::product(&up, &ring), shapes::rotation(0, 2, 0.3)];
        for (address, world) in self.constants.iter().zip(&worlds) {
            let rows = [shapes::product(&camera, world), *world];
            console.gpu.memory.write(*address, bytemuck::cast_slice(rows.as_flattened()))?;
        }
        let mut commands = CommandBuffer::new();
        commands.call(&self.driver, &DrawInitDefaultHardwareState {})?;
        self.move_water(&mut commands, turns)?;
        self.targets(&mut commands, frame);
        self.clear(&mut commands)?;
        let water = self.tables[1 + frame as usize % 2];
        self.mesh(&mut commands, &self.ring, self.constants[0], self.tables[0])?;
        self.mesh(&mut commands, &self.water, self.constants[1], water)?;
        console.run(&commands, self.commands)?;
        console.gpu.flip(&self.display(frame));
        Ok(())
    }

    /// The compute shader that writes the water's vertices.
    fn move_water(&self, commands: &mut CommandBuffer, turns: f32) -> Result<(), Box<dyn Error>> {
        // 16 user SGPRs, then the group's number in x.
        let rsrc2 = 16 << 1 | 1 << 7;
        let regs = [page(self.move_water), 0, 0xC0 << 12, rsrc2, u32::from(WATER), 1, 1];
        commands.call(&self.driver, &SetCsShader { regs, modifier: 0 })?;
        let user = [&self.moving.0[..], &[turns.to_bits()]].concat();
        commands.set(reg::COMPUTE_USER_DATA_0, &user);
        commands.call(&self.driver, &DispatchDirect { groups: [WATER.into(), 1, 1], flags: 0 })?;
        Ok(())
    }

    /// Where a frame is drawn to.
    fn targets(&self, commands: &mut CommandBuffer, frame: u32) {
        use reg::{CB_COLOR0_INFO as C, DB_Z_INFO as Z};
        let [width, height] = SIZE;
        let (pitch, slice) = (width / 8 - 1, width * LINES / 64 - 1);
        let info = C::FORMAT.bits(COLOR_8_8_8_8) | C::NUMBER_TYPE.bits(NUMBER_UNORM);
        let base = page(self.colour[frame as usize % 2]);
        commands.set(reg::CB_COLOR0_BASE, &[base, pitch, slice, 0, info, DISPLAY_2D]);
        commands.set(reg::CB_TARGET_MASK, &[15]);
        let (depth, lines) = (page(self.depth), LINES / 8 - 1);
        commands.set(reg::DB_Z_INFO, &[Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(DEPTH_2D)]);
        commands.set(reg::DB_Z_READ_BASE, &[depth, 0, depth, 0]);
        commands.set(reg::DB_DEPTH_SIZE, &[pitch | lines << 11, slice]);
        let (x, y) = (width as f32 / 2.0, height as f32 / 2.0);
        commands.set(reg::PA_CL_VPORT_XSCALE, &[x, x, -y, y, 1.0, 0.0].map(f32::to_bits));
        let corner = height << 16 | width;
        commands.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
        commands.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
        commands.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
        commands.set(reg::PA_CL_CLIP_CNTL, &[reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF.bits(1)]);
    }

    /// A rectangle of the library over the screen: the sky, with depth cleared to 1.
    fn clear(&self, commands: &mut CommandBuffer) -> Result<(), Box<dyn Error>> {
        commands.set(reg::DB_DEPTH_CLEAR, &[1.0f32.to_bits()]);
        commands.set(reg::DB_RENDER_CONTROL, &[reg::DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE.bits(1)]);
        commands.call(&self.driver, &SetEmbeddedVsShader { id: 0, modifier: 0 })?;
        self.pixel(commands, self.sky, 0, &SKY.map(f32::to_bits))?;
        commands.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_RECTLIST]);
        commands.call(&self.driver, &DrawIndexAuto { index_count: 3, flags: 0 })?;
        commands.set(reg::DB_RENDER_CONTROL, &[0]);
        use reg::DB_DEPTH_CONTROL as D;
        let tested = D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS);
        commands.set(reg::DB_DEPTH_CONTROL, &[tested]);
        Ok(())
    }

    /// A pixel shader with so many inputs, and what is in its first user SGPRs.
    fn pixel(
        &self,
        commands: &mut CommandBuffer,
        program: u64,
        inputs: u32,
        user: &[u32],
    ) -> Result<(), Box<dyn Error>> {
        // 16 user SGPRs; one target of 16-bit floats; perspective barycentrics of the centre.
        let regs = [page(program), 0, 0xC0 << 12, 16 << 1, 0, 4, 2, 2, inputs, 0, 0x10, 15];
        commands.call(&self.driver, &SetPsShader { regs })?;
        commands.set(reg::SPI_PS_INPUT_CNTL_0, &[0, 1]);
        commands.set(reg::SPI_SHADER_USER_DATA_PS_0, user);
        Ok(())
    }

    fn mesh(
        &self,
        commands: &mut CommandBuffer,
        mesh: &Mesh,
        constants: u64,
        table: u64,
    ) -> Result<(), Box<dyn Error>> {
        // Two parameters; 16 user SGPRs; v0 to v3 are there.
        let regs = [page(self.vertex), 0, 3 << 24 | 0xC0 << 12, 16 << 1, 1 << 1, 4, 0];
        commands.call(&self.driver, &SetVsShader { regs, modifier: 0 })?;
        let matrices = bytes(constants, size_of::<[Matrix; 2]>());
        commands.set(reg::SPI_SHADER_USER_DATA_VS_0, &[mesh.vertices.0, matrices.0].concat());
        let [lamp, tint] = [LAMP, mesh.tint].map(|vector| vector.map(f32::to_bits));
        let user =
            [table as u32, (table >> 32) as u32, 0, 0, lamp[0], lamp[1], lamp[2], 0, tint[0], tint[1], tint[2], 0];
        self.pixel(commands, self.pixel, 2, &user)?;
        commands.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
        commands.packet(op::INDEX_TYPE, &[0]);
        let index_address = [mesh.indices as u32, (mesh.indices >> 32) as u32];
        commands.call(&self.driver, &DrawIndex { index_count: mesh.index_count, index_address, flags: 0, kind: 0 })?;
        Ok(())
    }
}

/// Registers have addresses of programs and targets without the low 8 bits.
fn page(address: u64) -> u32 {
    (address >> 8) as u32
}

/// A V# of vertices.
fn records(address: u64, count: usize) -> BufferDescriptor {
    BufferDescriptor::default()
        .at(address)
        .with(buffer::STRIDE, size_of::<Vertex>() as u32)
        .with(buffer::NUM_RECORDS, count as u32)
        .with(buffer::DST_SEL_X, SQ_SEL_X)
        .with(buffer::DST_SEL_Y, SQ_SEL_Y)
        .with(buffer::DST_SEL_Z, SQ_SEL_Z)
        .with(buffer::DST_SEL_W, SQ_SEL_W)
        .with(buffer::NUM_FORMAT, BUF_NUM_FORMAT_FLOAT)
        .with(buffer::DATA_FORMAT, BUF_DATA_FORMAT_32_32_32_32)
}

/// A V# of bytes.
fn bytes(address: u64, bytes: usize) -> BufferDescriptor {
    records(address, bytes).with(buffer::STRIDE, 0)
}

/// A T# of one level, 8 bits a channel.
fn texture(address: u64, [width, height]: [u32; 2], tile_mode: u32) -> ImageDescriptor {
    ImageDescriptor::default()
        .at(address)
        .with(image::DATA_FORMAT, IMG_DATA_FORMAT_8_8_8_8)
        .with(image::NUM_FORMAT, IMG_NUM_FORMAT_UNORM)
        .with(image::WIDTH, width - 1)
        .with(image::HEIGHT, height - 1)
        .with(image::PITCH, width - 1)
        .with(image::DST_SEL_X, SQ_SEL_X)
        .with(image::DST_SEL_Y, SQ_SEL_Y)
        .with(image::DST_SEL_Z, SQ_SEL_Z)
        .with(image::DST_SEL_W, SQ_SEL_W)
        .with(image::TILING_INDEX, tile_mode)
        .with(image::TYPE, SQ_RSRC_IMG_2D)
}

/// An S# that filters; `wrap` says what is beyond the edges.
fn linear(wrap: u32) -> SamplerDescriptor {
    SamplerDescriptor::default()
        .with(sampler::CLAMP_X, wrap)
        .with(sampler::CLAMP_Y, wrap)
        .with(sampler::XY_MAG_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
        .with(sampler::XY_MIN_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
        .with(sampler::MAX_LOD, 0xFFF)
}
