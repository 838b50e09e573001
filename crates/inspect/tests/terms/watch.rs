//! A receiver that keeps the state and the shaders' code.

use afterimage_stream::*;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What has been received.
#[derive(Default)]
pub(crate) struct Seen {
    /// At the last draw.
    pub(crate) drawn: Option<State>,
    /// At the last dispatch, and its shader.
    pub(crate) dispatched: Option<(State, ObjectId)>,
    pub(crate) code: HashMap<ObjectId, Vec<u8>>,
    state: State,
    arena: Vec<u8>,
}

impl Seen {
    /// What the last draw was drawn with, in a guest's words.
    pub(crate) fn terms(&self, guest: u32) -> Vec<afterimage_inspect::terms::Term> {
        let code = |id: ObjectId| self.code.get(&id).map(Vec::as_slice);
        let drawn = self.drawn.as_ref().expect("a draw");
        afterimage_inspect::terms::terms_with_code(guest, drawn, &code)
    }

    /// What the last dispatch was done with.
    pub(crate) fn dispatch_terms(&self, guest: u32) -> Vec<afterimage_inspect::terms::Term> {
        let code = |id: ObjectId| self.code.get(&id).map(Vec::as_slice);
        let (state, shader) = self.dispatched.as_ref().expect("a dispatch");
        afterimage_inspect::terms::terms_of_dispatch(guest, state, *shader, &code)
    }
}

struct Watch(Arc<Mutex<Seen>>, DeviceInfo);

/// A link, and what comes out of it.
pub(crate) fn watch(info: DeviceInfo) -> (Box<dyn Link>, Arc<Mutex<Seen>>) {
    let seen = Arc::<Mutex<Seen>>::default();
    (Box::new(Watch(seen.clone(), info)), seen)
}

impl Link for Watch {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        let seen = &mut *self.0.lock().unwrap();
        for located in Reader::new(batch) {
            let packet = located.expect("a packet").packet;
            match packet {
                Packet::Draw(_) | Packet::DrawIndexed(_) => seen.drawn = Some(seen.state.clone()),
                Packet::Dispatch(body) => seen.dispatched = Some((seen.state.clone(), body.shader)),
                Packet::CreateShader(body) => {
                    let start = body.code.offset as usize;
                    let code = seen.arena[start..start + body.code.size as usize].to_vec();
                    seen.code.insert(body.id, code);
                }
                _ => {}
            }
            seen.state.apply(&packet);
        }
        batch.clear();
        Ok(())
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        let arena = &mut self.0.lock().unwrap().arena;
        let offset = arena.len().next_multiple_of(align as usize);
        arena.resize(offset + size as usize, 0);
        Ok(UploadRef { slot: 0, size, offset: offset as u64 })
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        let start = range.offset as usize + at as usize;
        self.0.lock().unwrap().arena[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn read(&mut self, _: &UploadRef, _: u32, _: &mut [u8]) {}

    fn end_frame(&mut self, _: u64) -> Result<(), LinkError> {
        Ok(())
    }

    fn poll(&mut self) -> Option<Reply> {
        None
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        Err(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        1
    }

    fn device(&self) -> &DeviceInfo {
        &self.1
    }
}
