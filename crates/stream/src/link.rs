//! What joins a guest and a receiver: upload references, replies, and the traits of both ends.

use crate::{Format, ObjectId, StreamError};
use bytemuck::{Pod, Zeroable};
use std::path::Path;
use std::time::Duration;

/// A piece of bulk data in the upload arena. The same layout in 32- and 64-bit processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UploadRef {
    /// Arena slot.
    pub slot: u32,
    /// Bytes.
    pub size: u32,
    /// Bytes from the start of the slot.
    pub offset: u64,
}

/// What the receiver tells the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Every frame up to this one has left the GPU: arena slots and freed ids of it may be reused.
    FrameDone {
        /// The frame number of its [`crate::packets::BeginFrame`].
        frame: u64,
    },
    /// A query's value.
    Query {
        /// The query.
        id: ObjectId,
        /// The token of the [`crate::packets::EndQuery`] this answers.
        token: u64,
        /// Samples passed, or 1 for an event that was reached; ticks for time.
        value: u64,
    },
    /// A read back has been written into its arena range (or failed).
    ReadBack {
        /// The token of the [`crate::packets::ReadBack`].
        token: u64,
        /// Whether the bytes are there.
        ok: bool,
    },
    /// A packet was rejected or could not be executed. Details are in the receiver's log.
    Error {
        /// Sequence number of the packet.
        sequence: u32,
    },
}

/// Why a link cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The receiver is gone; the guest keeps its resources and may send them again when [`Link::epoch`] changes.
    #[error("the receiver of the command stream is gone")]
    Lost,
    /// An upload does not fit, even after growing the arena.
    #[error("upload of {wanted} bytes does not fit: the arena may grow to {limit} bytes")]
    ArenaFull {
        /// Bytes asked for.
        wanted: u64,
        /// The configured limit over all slots.
        limit: u64,
    },
}

/// The guest's end: where batches go and replies come from. No method has a default, so that a link which wraps another does not
/// answer for it where it forgot to ask.
pub trait Link: Send {
    /// Hands over every packet of `batch`, in order, and leaves it empty (possibly a different, recycled vector).
    /// Blocks while the queue is full.
    ///
    /// # Errors
    /// [`LinkError::Lost`] when the receiver is gone; the batch is dropped then.
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError>;

    /// Whether the receiver has executed everything and waits for the next batch: what there is should go to it now.
    fn is_idle(&self) -> bool;

    /// Reserves `size` bytes of the current frame's upload arena, aligned to `align` (a power of two).
    ///
    /// # Errors
    /// [`LinkError::ArenaFull`] past the configured limit, [`LinkError::Lost`] if waiting for a free slot met a dead receiver.
    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError>;

    /// Bytes of uploads after which a frame should end, with or without a picture: what comes on top makes the arena grow.
    /// `u64::MAX`: never.
    fn frame_bytes(&self) -> u64;

    /// Copies `bytes` to `at` bytes into a range from [`Link::alloc`]. Bytes past its end are dropped.
    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]);

    /// Copies bytes at `at` of a range (filled by a read back) into `out`. Bytes past its end are left alone.
    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]);

    /// The frame with this number has been submitted with its present: the arena moves to the next slot,
    /// waiting for the receiver if every slot is in use.
    ///
    /// # Errors
    /// [`LinkError::Lost`] when the receiver is gone.
    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError>;

    /// The next reply, if one is there.
    fn poll(&mut self) -> Option<Reply>;

    /// Waits for the next reply.
    ///
    /// # Errors
    /// [`LinkError::Lost`] when the receiver is gone.
    fn wait(&mut self) -> Result<Reply, LinkError>;

    /// A number that changes whenever a new receiver has taken the place of a lost one; the guest then sends
    /// everything again. Also how a guest learns that a lost link is back.
    fn epoch(&mut self) -> u32;

    /// What the receiving device can do.
    fn device(&self) -> &DeviceInfo;

    /// Asks the receiver to capture the next `frames` frames that begin there to a file of this machine; it does all the
    /// work. False if this receiver takes no such requests from guests: the viewer has a key for them.
    fn capture_frames(&mut self, path: &Path, frames: u64) -> bool;
}

/// The receiver's view of the upload arena. Implementations check every range themselves.
pub trait Arena {
    /// Bytes of a slot, or `None` where there is no such slot.
    fn slot_size(&self, slot: u32) -> Option<u64>;

    /// Copies bytes at `at` of a range to `out`; false (and `out` unspecified) if that lies outside of the slot.
    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool;

    /// Copies a read back's bytes into a range, at `at`; false if that lies outside of the slot.
    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool;

    /// A token with which the executor finds the device buffer that *is* this slot's memory, where there is one:
    /// data is then used in place. `None`: copy it.
    fn device_slot(&self, _slot: u32) -> Option<u64> {
        None
    }

    /// The same of slots that a stranger may write to at any time: the device may copy out of them what nobody checks (texels, bytes
    /// of buffers), each byte once, and nothing else may use them in place.
    fn source_slot(&self, slot: u32) -> Option<u64> {
        self.device_slot(slot)
    }
}

/// The receiver's end: what runs a stream.
pub trait Executor {
    /// Validates and executes a batch. A bad packet is reported and skipped; what came before it stays done, and what
    /// comes after it goes on. The first error is returned (all of them are logged).
    ///
    /// # Errors
    /// The first packet that was rejected.
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>>;

    /// Called between batches and while idle: answers what has completed since.
    fn poll(&mut self, replies: &mut dyn FnMut(Reply));

    /// Called while the guest waits for an answer and no batch is there: waits until more work has completed, at most
    /// `timeout`. False if nothing is under way that could complete, as for an executor that is done when it returns.
    fn wait(&mut self, _timeout: Duration) -> bool {
        false
    }
}

/// What a device can do with one [`Format`]: bits of [`DeviceInfo::formats`].
pub struct FormatFeatures;

impl FormatFeatures {
    /// Can be sampled.
    pub const SAMPLED: u32 = 1;
    /// Can be sampled with linear filtering.
    pub const LINEAR: u32 = 2;
    /// Can be a colour target.
    pub const TARGET: u32 = 4;
    /// Can be a colour target with blending.
    pub const BLEND: u32 = 8;
    /// Can be a depth-stencil target.
    pub const DEPTH: u32 = 16;
    /// Can be the source and destination of a filtered blit.
    pub const BLIT: u32 = 32;
    /// Can be read from vertex shaders.
    pub const VERTEX_TEXTURE: u32 = 64;
    /// Can be the source of a filtered blit, if not the destination ([`FormatFeatures::BLIT`]).
    pub const BLIT_SOURCE: u32 = 128;
    /// Can be a storage image.
    pub const STORAGE: u32 = 256;
    /// Can be a storage image whose texels shaders change atomically.
    pub const STORAGE_ATOMIC: u32 = 512;
}

/// What only some devices can do: bits of [`DeviceInfo::features`].
pub struct DeviceFeatures;

impl DeviceFeatures {
    /// Compute shaders, storage buffers and storage images.
    pub const COMPUTE: u32 = 1;
    /// Vertex shaders may write storage buffers and images.
    pub const VERTEX_STORES: u32 = 2;
    /// Pixel shaders may write storage buffers and images.
    pub const PIXEL_STORES: u32 = 4;
    /// Doubles in shaders.
    pub const FLOAT64: u32 = 8;
    /// 64-bit atomics on buffers.
    pub const INT64_ATOMICS: u32 = 16;
    /// [`crate::packets::Topology::RectList`], as a geometry shader draws it.
    pub const RECT_LIST: u32 = 32;
    /// Arrays of cubes.
    pub const CUBE_ARRAYS: u32 = 64;
    /// The vertex stage chooses layer and viewport.
    pub const LAYER_OUTPUT: u32 = 128;
    /// Two colours for one target's blending.
    pub const DUAL_SOURCE: u32 = 256;
    /// Storage images are read without a format in the shader.
    pub const READ_WITHOUT_FORMAT: u32 = 512;
    /// Filters that take the least or greatest texel.
    pub const MINIMUM_FILTER: u32 = 1024;
    /// [`crate::packets::BeginFeedback`] of vertex shaders: with hardware for it or without.
    pub const FEEDBACK: u32 = 2048;
    /// [`crate::packets::Stage::Geometry`].
    pub const GEOMETRY: u32 = 4096;
    /// [`crate::packets::LineMode::Smooth`].
    pub const SMOOTH_LINES: u32 = 8192;
    /// The device is the processor that programs run on: uploads are best in few places, which its caches hold.
    pub const PROCESSOR: u32 = 16384;
    /// [`crate::packets::SetViewports`]: 16 viewports, of which the vertex stage chooses.
    pub const VIEWPORTS: u32 = 32768;
    /// [`crate::packets::SetDepthBounds`].
    pub const DEPTH_BOUNDS: u32 = 0x1_0000;
    /// Shaders take textures out of tables ([`CreateTable`](crate::packets::CreateTable)), each lane another.
    pub const TABLES: u32 = 0x2_0000;
}

/// The facts about the receiving device that guests build their capabilities from. Plain data: it crosses process
/// boundaries in the header of the shared file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct DeviceInfo {
    /// Device name, UTF-8, zero-padded.
    pub name: [u8; 256],
    /// PCI vendor id.
    pub vendor: u32,
    /// PCI device id.
    pub device: u32,
    /// Driver version as Vulkan gives it.
    pub driver_version: u32,
    /// Vulkan API version.
    pub api_version: u32,
    /// Bytes of device-local memory.
    pub memory: u64,
    /// Largest width and height of a 2D texture.
    pub max_texture_2d: u32,
    /// Largest edge of a cube texture.
    pub max_texture_cube: u32,
    /// Largest edge of a 3D texture.
    pub max_texture_3d: u32,
    /// Largest anisotropy; 1 where there is none.
    pub max_anisotropy: f32,
    /// Bit n-1: n samples per pixel are possible for colour and depth.
    pub sample_counts: u32,
    /// Largest point size in pixels.
    pub max_point_size: f32,
    /// Colour targets at once.
    pub max_color_targets: u32,
    /// User clip planes.
    pub max_clip_planes: u32,
    /// 1: [`crate::packets::QueryKind::Primitives`] counts.
    pub pipeline_statistics: u32,
    /// 1: somebody is known to look for [`crate::packets::Marker`]s: a capture was asked for before the program began, or a graphics
    /// debugger is there. Programs that ask are told; those that make marks anyway are heard at any time.
    pub markers: u32,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// [`DeviceFeatures`] bits.
    pub features: u32,
    /// [`FormatFeatures`] bits by format number.
    pub formats: [u32; 96],
    /// Bit n-1: storage images may have n samples; bits beside the first only where shaders have such images.
    pub storage_sample_counts: u32,
    /// Zero.
    pub pad: u32,
}

impl DeviceInfo {
    /// The device name as text.
    #[must_use]
    pub fn name(&self) -> String {
        let end = self.name.iter().position(|&b| b == 0).unwrap_or(self.name.len());
        String::from_utf8_lossy(&self.name[..end]).into_owned()
    }

    /// The [`FormatFeatures`] bits of a format.
    #[must_use]
    pub fn features(&self, format: Format) -> u32 {
        self.formats[format as usize]
    }
}

impl Default for DeviceInfo {
    fn default() -> Self {
        Self::zeroed()
    }
}
