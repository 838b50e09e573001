//! Going from call to call.

use crate::capture::Packets;
use crate::data::{Contents, INDICES};
use crate::state::{Registers, changes_in};
use crate::{Accesses, Call, Capture, Change, Place};
use afterimage_stream::{Packet, State};

/// Packets that bound what is bound now: of each vertex buffer's slot, and of the indices.
pub(crate) type Bound = [Option<Place>; INDICES + 1];

/// Notes what a packet at a place binds.
pub(crate) fn bind(bound: &mut Bound, place: Place, packet: &Packet<'_>) {
    match packet {
        Packet::SetVertexBuffers(body, bindings) => {
            let slots = bound[..INDICES].iter_mut().skip(body.first as usize);
            slots.zip(*bindings).for_each(|(slot, _)| *slot = Some(place));
        }
        Packet::SetIndexBuffer(_) => bound[INDICES] = Some(place),
        _ => {}
    }
}

/// State at a place, which goes on to later ones.
#[derive(Debug)]
struct Cursor<'a> {
    packets: Packets<'a>,
    /// The packet that comes next, where it has been looked at.
    held: Option<(Place, Packet<'a>)>,
    state: State,
    bound: Bound,
    /// The call that it stands at; while it is at the start, the first.
    call: u64,
    /// Registers that were set behind the call `since`.
    registers: Registers,
    since: u64,
}

impl<'a> Cursor<'a> {
    /// At the last snapshot before a call.
    fn new(capture: &'a Capture, call: u64) -> Self {
        let (state, bound, place, call) = match capture.snapshot_before(call) {
            Some(snapshot) => (snapshot.state.clone(), snapshot.bound, snapshot.place, snapshot.call),
            None => (State::default(), Bound::default(), Place::default(), 0),
        };
        let registers = Registers::default();
        Self { packets: capture.packets(place), held: None, state, bound, call, registers, since: call }
    }

    /// Goes to a call, or behind the last one.
    fn seek(&mut self, capture: &'a Capture, call: u64) {
        // To copy a snapshot costs as much as the packets of that many calls.
        const NEAR: u64 = 256;
        let nearer = |snapshot: &crate::capture::Snapshot| snapshot.call > self.call.saturating_add(NEAR);
        if call < self.call || capture.snapshot_before(call).is_some_and(nearer) {
            *self = Self::new(capture, call);
        } else if call == self.call && self.held.is_some() {
            return;
        }
        if self.held.is_some() {
            (self.since, self.registers) = (self.call, Registers::default());
        }
        let place = capture.call(call).map(|call| call.place);
        while let Some((at, packet)) = self.held.take().or_else(|| self.packets.next()) {
            if place.is_some_and(|place| at >= place) {
                self.held = Some((at, packet));
                break;
            }
            bind(&mut self.bound, at, &packet);
            self.registers.packet(&packet);
            self.state.apply(&packet);
        }
        self.call = call;
    }
}

/// Goes through the calls of a capture and tells of each what [`Capture`] tells of one: in order, that costs little more than
/// to read the packets once. It needs memory for two states, and for a list of what was written to the buffers whose vertices
/// were asked for.
///
/// ```no_run
/// # let capture = afterimage_inspect::Capture::open("scene.aftercap".as_ref())?;
/// let mut walk = capture.walk();
/// while let Some(call) = walk.next() {
///     println!("{}: {} changes, {} writes", call.number, walk.changes().len(), walk.accesses().writes.len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Walk<'a> {
    capture: &'a Capture,
    at: Cursor<'a>,
    /// Where it was asked for what changed: the call before.
    behind: Option<Cursor<'a>>,
    contents: Contents,
    /// The call that it stands at.
    call: Option<&'a Call>,
    next: u64,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(capture: &'a Capture, next: u64) -> Self {
        Self { capture, at: Cursor::new(capture, next), behind: None, contents: Contents::default(), call: None, next }
    }

    /// Goes to a call, forward or back; the one behind it comes next. `None` where there is no such call: the state is that
    /// at the end then.
    pub fn to(&mut self, call: u64) -> Option<&'a Call> {
        self.at.seek(self.capture, call);
        self.call = self.capture.call(call);
        self.next = call.saturating_add(1);
        self.call
    }

    /// The call that it stands at.
    #[must_use]
    pub fn call(&self) -> Option<&'a Call> {
        self.call
    }

    /// The packet of the call.
    #[must_use]
    pub fn packet(&self) -> Option<Packet<'a>> {
        self.call.and_then(|call| self.capture.packet(call.place))
    }

    /// The state in which the call is done.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.at.state
    }

    pub(crate) fn into_state(self) -> State {
        self.at.state
    }

    /// What differs in the state from the call before; of the first call, from a state that nothing was set in.
    pub fn changes(&mut self) -> Vec<Change> {
        let Some(number) = self.call.map(|call| call.number) else { return Vec::new() };
        let Some(before) = number.checked_sub(1) else {
            return changes_in(&State::default(), &self.at.state, None);
        };
        let behind = self.behind.get_or_insert_with(|| Cursor::new(self.capture, before));
        behind.seek(self.capture, before);
        let registers = (self.at.since <= before).then_some(&self.at.registers);
        changes_in(&behind.state, &self.at.state, registers)
    }

    /// What the call reads and writes.
    #[must_use]
    pub fn accesses(&self) -> Accesses {
        match self.call.zip(self.packet()) {
            Some((call, packet)) => {
                Accesses::of(&self.at.state, &packet, |id| self.capture.shader(id, call.number)?.slots())
            }
            None => Accesses::default(),
        }
    }

    pub(crate) fn capture(&self) -> &'a Capture {
        self.capture
    }

    /// Number of the call that it stands at, whether it is there or not.
    pub(crate) fn number(&self) -> u64 {
        self.at.call
    }

    pub(crate) fn parts(&mut self) -> (&'a Capture, &State, &Bound, &mut Contents) {
        (self.capture, &self.at.state, &self.at.bound, &mut self.contents)
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = &'a Call;

    fn next(&mut self) -> Option<&'a Call> {
        self.capture.call(self.next)?;
        self.to(self.next)
    }
}
