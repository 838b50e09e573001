//! What a guest has sent, as the state at its last draw and the shaders' code.

use afterimage_inspect::terms::{Term, terms_of_dispatch, terms_with_code};
use afterimage_stream::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What has been received.
pub(crate) struct Seen {
    recording: Arc<Mutex<Recording>>,
    /// At the last draw.
    drawn: Option<State>,
    /// At the last dispatch, and its shader.
    dispatched: Option<(State, ObjectId)>,
    code: HashMap<ObjectId, Vec<u8>>,
    state: State,
}

/// A link, and what comes out of it.
pub(crate) fn watch(info: DeviceInfo) -> (Box<dyn Link>, Seen) {
    let (link, recording) = recorder(info);
    let state = State::default();
    (link, Seen { recording, drawn: None, dispatched: None, code: HashMap::new(), state })
}

impl Seen {
    /// What the last draw was drawn with, in a guest's words.
    pub(crate) fn terms(&mut self, guest: u32) -> Vec<Term> {
        self.receive();
        terms_with_code(guest, self.drawn.as_ref().expect("a draw"), &|id| self.code.get(&id).map(Vec::as_slice))
    }

    /// What the last dispatch was done with.
    pub(crate) fn dispatch_terms(&mut self, guest: u32) -> Vec<Term> {
        self.receive();
        let (state, shader) = self.dispatched.as_ref().expect("a dispatch");
        terms_of_dispatch(guest, state, *shader, &|id| self.code.get(&id).map(Vec::as_slice))
    }

    /// Takes what has come since.
    fn receive(&mut self) {
        let mut recording = self.recording.lock().unwrap();
        for located in recording.packets() {
            let packet = located.expect("a packet").packet;
            match packet {
                Packet::Draw(_) | Packet::DrawIndexed(_) => self.drawn = Some(self.state.clone()),
                Packet::Dispatch(body) => self.dispatched = Some((self.state.clone(), body.shader)),
                Packet::CreateShader(body) => {
                    self.code.insert(body.id, recording.upload(&body.code).expect("code").to_vec());
                }
                _ => {}
            }
            self.state.apply(&packet);
        }
        recording.batches.clear();
    }
}
