//! A receiver that checks every packet and draws nothing: what the COM layer is tested with where there is no GPU.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use afterimage_ipc::{ArenaConfig, HeapSlots, in_process};
use afterimage_stream::{
    Arena, DeviceInfo, Executor, Format, FormatFeatures, Packet, Reader, Reply, State, StreamError, Validator,
};

use crate::renderer::{OpenError, Place, Way};

/// Packets that any receiver of this process has rejected.
static REJECTED: AtomicU64 = AtomicU64::new(0);

/// How many packets have been rejected so far.
pub(super) fn rejected() -> u64 {
    REJECTED.load(Ordering::SeqCst)
}

/// Marks that any receiver of this process has got: action, colour, text.
pub(super) fn marks() -> MutexGuard<'static, Vec<(u32, u32, String)>> {
    static MARKS: Mutex<Vec<(u32, u32, String)>> = Mutex::new(Vec::new());
    MARKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether any receiver of this process has an object, or has had one, of this name.
pub(super) fn has_named(name: &str) -> bool {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|known| known == name)
}

/// Names that any receiver of this process has got.
static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A device that can do everything.
fn device() -> DeviceInfo {
    let mut info = DeviceInfo {
        memory: 1 << 30,
        max_texture_2d: 8192,
        max_texture_cube: 8192,
        max_texture_3d: 2048,
        max_anisotropy: 16.0,
        sample_counts: 0b1001,
        max_point_size: 256.0,
        max_color_targets: 4,
        max_clip_planes: 6,
        ..DeviceInfo::default()
    };
    info.name[..4].copy_from_slice(b"none");
    for format in Format::ALL {
        use FormatFeatures as F;
        let color = F::SAMPLED | F::LINEAR | F::TARGET | F::BLEND | F::BLIT | F::BLIT_SOURCE | F::VERTEX_TEXTURE;
        let depth = format.info().name.starts_with('D') || format.info().name.starts_with("X8_D");
        info.formats[*format as usize] = if depth { F::SAMPLED | F::DEPTH } else { color };
    }
    info
}

#[derive(Default)]
struct Checker {
    validator: Validator,
    state: State,
}

impl Executor for Checker {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        let mut first = Ok(());
        for located in Reader::new(batch) {
            let checked = located.and_then(|l| self.validator.check(&self.state, &l, arena).map(|()| l));
            let located = match checked {
                Ok(located) => located,
                Err(error) => {
                    REJECTED.fetch_add(1, Ordering::SeqCst);
                    eprintln!("rejected: {error}");
                    replies(Reply::Error { sequence: error.sequence });
                    first = first.and(Err(error));
                    continue;
                }
            };
            match located.packet {
                Packet::Marker(marker, text) => {
                    let text = String::from_utf8_lossy(text).into_owned();
                    marks().push((marker.action, marker.color, text));
                }
                Packet::Name(_, name) => {
                    let name = String::from_utf8_lossy(name).into_owned();
                    NAMES.lock().unwrap_or_else(PoisonError::into_inner).push(name);
                }
                Packet::Present(present) => replies(Reply::FrameDone { frame: present.frame }),
                Packet::EndQuery(query) => replies(Reply::Query { id: query.id, token: query.token, value: 1 }),
                Packet::ReadBack(read) => replies(Reply::ReadBack { token: read.token, ok: true }),
                _ => {}
            }
            self.state.apply(&located.packet);
        }
        first
    }

    fn poll(&mut self, _replies: &mut dyn FnMut(Reply)) {}
}

/// A link to a new receiver, on a thread of its own that ends with the link.
pub(super) fn open() -> Result<Way, OpenError> {
    open_as(device())
}

/// As [`open`], with somebody who sees the program's marks.
pub(super) fn open_watched() -> Result<Way, OpenError> {
    open_as(DeviceInfo { markers: 1, ..device() })
}

fn open_as(info: DeviceInfo) -> Result<Way, OpenError> {
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), info, Box::new(HeapSlots));
    std::thread::spawn(move || in_process::serve(&mut receiver, &mut Checker::default()));
    Ok(Way { link: Box::new(link), place: Place::Here })
}
