//! What the `prepare` shader does, on the host, for draws whose numbers the host knows.

use super::block::{BUFFERS, Counters, Draw, DrawKind, GROUP, MOST_GROUPS, Request, Target};
use super::table::Row;

/// Work groups of a full row of a dispatch that has more than one. A power of two, so that all rows together have never more than 2^32
/// lanes, and no lane's number wraps.
pub(super) const ROW_GROUPS: u32 = MOST_GROUPS.div_ceil(2);

/// A draw that is ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Its system values; the vertex buffers are the caller's to fill in.
    pub draw: Draw,
    /// Work groups of the dispatch that captures, in x, y and z; there is nothing to capture where x is 0.
    pub groups: [u32; 3],
    /// The counters afterwards.
    pub counters: Counters,
}

/// Plans a draw whose parameters are in the request, with `counters` as they are before it. `None` if the request is of another kind,
/// or has indices with restarts: those are for [`prepare`](super::prepare). Addresses of blocks and lists are not looked at.
pub fn plan(request: &Request, counters: &Counters) -> Option<Plan> {
    if request.kind != DrawKind::Direct as u32 || request.restart != 0 && request.index_bytes != 0 {
        return None;
    }
    Some(planned(request, counters, None))
}

/// As [`plan`], of a draw with restarts among its indices, whose list of so many primitives the caller has made and put where
/// [`Request::list`] says: see [`Draw::list`].
pub fn plan_list(request: &Request, counters: &Counters, primitives: u32) -> Option<Plan> {
    (request.kind == DrawKind::Direct as u32).then(|| planned(request, counters, Some(primitives)))
}

fn planned(request: &Request, counters: &Counters, listed: Option<u32>) -> Plan {
    let mut counters = *counters;
    let mut draw = Draw { row: request.row, first_instance: request.first_instance, ..Draw::default() };
    (draw.first, draw.vertices) = (request.first, request.count);
    if request.index_bytes != 0 {
        let first = u64::from(request.first) * u64::from(request.index_bytes);
        let there = (request.index_size / request.index_bytes).saturating_sub(request.first);
        draw.first = request.vertex_offset;
        draw.vertices = request.count.min(there);
        draw.index_bytes = request.index_bytes;
        draw.indices = request.indices.wrapping_add(first);
    }
    draw.primitives = listed.unwrap_or_else(|| Row::primitives_of(request.row, draw.vertices));
    if listed.is_some() {
        draw.list = request.list;
    }
    let recorded = request.row[0] & 0xff;
    let all = u64::from(draw.primitives) * u64::from(request.instances);
    let mut captured = all;
    for buffer in 0..BUFFERS {
        if let Some(room) = room(request, &counters, buffer) {
            captured = captured.min(room.into());
        }
    }
    // No more than the bytes of a buffer.
    draw.captured = captured.min(u32::MAX.into()) as u32;
    for buffer in 0..BUFFERS {
        if request.strides[buffer] != 0 {
            let address = request.buffers[buffer].wrapping_add(counters.bytes[buffer].into());
            draw.targets[buffer] = Target { address, pad: 0 };
            let bytes = draw.captured.wrapping_mul(recorded).wrapping_mul(request.strides[buffer]);
            counters.bytes[buffer] = counters.bytes[buffer].wrapping_add(bytes);
        }
    }
    counters.needed[0] = counters.needed[0].wrapping_add(all);
    counters.written[0] = counters.written[0].wrapping_add(draw.captured.into());
    let stores = request.strides != [0; BUFFERS];
    let lanes = if stores { draw.captured.wrapping_mul(recorded) } else { 0 };
    Plan { draw, groups: groups(lanes), counters }
}

/// The work groups of a dispatch of so many lanes.
pub(super) fn groups(lanes: u32) -> [u32; 3] {
    let groups = lanes.div_ceil(GROUP);
    let rows = if groups > MOST_GROUPS { groups.div_ceil(ROW_GROUPS) } else { 1 };
    [if rows > 1 { ROW_GROUPS } else { groups }, rows, 1]
}

/// Whole primitives that a buffer has room for; none for a buffer that is not captured into.
fn room(request: &Request, counters: &Counters, buffer: usize) -> Option<u32> {
    let stride = request.strides[buffer];
    if stride == 0 {
        return None;
    }
    let bytes = if request.buffers[buffer] == 0 { 0 } else { request.sizes[buffer] };
    let left = bytes.saturating_sub(counters.bytes[buffer]);
    Some(left.checked_div((request.row[0] & 0xff).wrapping_mul(stride)).unwrap_or(u32::MAX))
}
