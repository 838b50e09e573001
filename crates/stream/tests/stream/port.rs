//! What a guest may expect of its port: the stream it begins, answers, upload chunks, and a receiver that goes and comes.

use afterimage_stream::packets::*;
use afterimage_stream::*;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The receiver as the test sees it: it takes everything at once, and its arena is empty after each frame.
#[derive(Default)]
struct Far {
    batches: Vec<Vec<u64>>,
    replies: VecDeque<Reply>,
    epoch: u32,
    gone: bool,
    used: u64,
    limit: u64,
    frame_bytes: u64,
    idle: bool,
}

#[derive(Clone)]
struct Fake(Arc<Mutex<Far>>, DeviceInfo);

impl Fake {
    fn new() -> Self {
        let far = Far { limit: 1 << 20, frame_bytes: u64::MAX, ..Far::default() };
        Self(Arc::new(Mutex::new(far)), DeviceInfo::default())
    }

    fn kinds(&self) -> Vec<Kind> {
        let far = self.0.lock().unwrap();
        let words = far.batches.iter().flat_map(|batch| Reader::new(batch).map(|packet| packet.unwrap().packet.kind()));
        words.collect()
    }
}

impl Link for Fake {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        let mut far = self.0.lock().unwrap();
        let batch = std::mem::take(batch);
        if far.gone {
            return Err(LinkError::Lost);
        }
        far.batches.push(batch);
        Ok(())
    }

    fn is_idle(&self) -> bool {
        self.0.lock().unwrap().idle
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        let mut far = self.0.lock().unwrap();
        let offset = far.used.next_multiple_of(u64::from(align));
        if offset + u64::from(size) > far.limit {
            return Err(LinkError::ArenaFull { wanted: size.into(), limit: far.limit });
        }
        far.used = offset + u64::from(size);
        Ok(UploadRef { slot: 0, size, offset })
    }

    fn frame_bytes(&self) -> u64 {
        self.0.lock().unwrap().frame_bytes
    }

    fn write(&mut self, _: &UploadRef, _: u32, _: &[u8]) {}

    fn read(&mut self, _: &UploadRef, _: u32, _: &mut [u8]) {}

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        let mut far = self.0.lock().unwrap();
        if far.gone {
            return Err(LinkError::Lost);
        }
        far.used = 0;
        far.replies.push_back(Reply::FrameDone { frame });
        Ok(())
    }

    fn poll(&mut self) -> Option<Reply> {
        self.0.lock().unwrap().replies.pop_front()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.poll().ok_or(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        self.0.lock().unwrap().epoch
    }

    fn device(&self) -> &DeviceInfo {
        &self.1
    }

    fn capture_frames(&mut self, _: &Path, _: u64) -> bool {
        false
    }
}

#[test]
fn a_stream_begins_with_who_sends_it() {
    let fake = Fake::new();
    let mut port = Port::new(Box::new(fake.clone()), Init::NV2A, &"n".repeat(1000));
    port.flush();
    assert_eq!(fake.kinds(), [Kind::Init, Kind::BeginFrame]);
    let far = fake.0.lock().unwrap();
    match Reader::new(&far.batches[0]).next().unwrap().unwrap().packet {
        Packet::Init(init, name) => {
            assert_eq!((init.version, init.guest, name.len()), (Init::VERSION, Init::NV2A, 200));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_receiver_with_nothing_to_do_gets_small_batches() {
    let fake = Fake::new();
    let mut port = Port::new(Box::new(fake.clone()), Init::D3D9, "test");
    let mut draws = |idle| {
        port.flush();
        let mut far = fake.0.lock().unwrap();
        far.idle = idle;
        far.batches.clear();
        drop(far);
        for _ in 0..4096 {
            let topology = Topology::TriangleList as u32;
            port.push(&Draw { topology, count: 3, instances: 1, ..bytemuck::Zeroable::zeroed() });
            port.flush_if_due();
        }
        let far = fake.0.lock().unwrap();
        far.batches.iter().map(|batch| batch.len() * 8).collect::<Vec<_>>()
    };
    let (busy, idle) = (draws(false), draws(true));
    assert!(busy.iter().all(|&bytes| (24 << 10..25 << 10).contains(&bytes)), "{busy:?}");
    assert!(idle.iter().all(|&bytes| (4 << 10..5 << 10).contains(&bytes)), "{idle:?}");
}

#[test]
fn answers_are_kept_by_token() {
    let fake = Fake::new();
    let mut port = Port::new(Box::new(fake.clone()), Init::D3D9, "test");
    let [first, second] = [port.token(), port.token()];
    assert_eq!(port.answered(first), None);
    let id = ObjectId::new(ObjectKind::Query, 1);
    fake.0.lock().unwrap().replies.extend([
        Reply::Query { id, token: second, value: 20 },
        Reply::Query { id, token: 77, value: 70 },
        Reply::Query { id, token: first, value: 10 },
    ]);
    assert_eq!(port.answered(second), Some(20));
    assert_eq!(port.wait(first), Ok(10));
    assert_eq!(port.wait(first), Err(PortError::Token(first)), "it was forgotten");
    assert_eq!(port.wait(77), Err(PortError::Token(77)), "nobody asked");
}

#[test]
fn draws_share_chunks_whose_names_change_with_the_batch() {
    let fake = Fake::new();
    let mut port = Port::new(Box::new(fake), Init::D3D9, "test");
    let (chunk, first) = port.stream(false, 12, &[0; 36]).unwrap();
    assert_eq!(first, 0);
    assert_eq!(port.stream(false, 16, &[0; 16]).unwrap(), (chunk, 3), "at the next multiple of the stride");
    assert_ne!(port.stream(true, 2, &[0; 6]).unwrap().0, chunk, "indices have their own");
    port.flush();
    let (rest, first) = port.stream(false, 0, &[0; 5]).unwrap();
    assert_eq!((rest.offset, first), (chunk.offset + 64, 0));
    let (large, _) = port.stream(false, 4, &[0; 100_000]).unwrap();
    assert_eq!(large.size, 100_000);
    assert!(port.stream(false, u32::MAX, &[0; 70_000]).is_ok());
    let full = port.upload(1 << 20, 16);
    assert!(matches!(full, Err(PortError::Link(LinkError::ArenaFull { .. }))), "{full:?}");
    assert!(!port.is_lost());
}

#[test]
fn a_lost_receiver_answers_nothing_and_the_next_one_gets_a_new_stream() {
    let fake = Fake::new();
    let mut port = Port::new(Box::new(fake.clone()), Init::D3D9, "test");
    let id = port.allocate(ObjectKind::Query).unwrap();
    port.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
    let token = port.token();
    port.flush();
    fake.0.lock().unwrap().gone = true;
    port.push(&BeginQuery { id, pad: 0 });
    port.end_frame();
    assert!(port.is_lost());
    assert_eq!(port.answered(token), Some(0), "nobody will count");
    assert_eq!(port.wait(token), Err(PortError::Link(LinkError::Lost)));
    assert_eq!(port.upload(4, 4), Err(PortError::Link(LinkError::Lost)));
    assert!(!port.returned(), "nobody has come");

    let mut far = fake.0.lock().unwrap();
    (far.gone, far.epoch) = (false, 1);
    far.batches.clear();
    drop(far);
    assert!(port.returned());
    assert!(!port.returned(), "once");
    assert!(!port.is_lost());
    port.flush();
    assert_eq!(fake.kinds(), [Kind::Init, Kind::BeginFrame]);
    assert_eq!(Reader::new(&fake.0.lock().unwrap().batches[0]).next().unwrap().unwrap().header.sequence, 1);
    assert_eq!(port.frame(), 2);
}

#[test]
fn uploads_without_a_picture_do_not_fill_the_arena() {
    let fake = Fake::new();
    fake.0.lock().unwrap().frame_bytes = 1 << 19;
    let mut port = Port::new(Box::new(fake.clone()), Init::D3D9, "test");
    for _ in 0..1000 {
        let data = port.upload(100_000, 16).unwrap();
        port.push(&UpdateBuffer { id: ObjectId::new(ObjectKind::Buffer, 1), flags: 0, offset: 0, data });
    }
    for _ in 0..1000 {
        let frame = port.frame();
        port.stream(false, 16, &[0; 60_000]).unwrap();
        port.upload(100_000, 16).unwrap();
        port.stream(true, 2, &[0; 60_000]).unwrap();
        assert_eq!(port.frame(), frame, "what a draw reads is of one frame");
        port.push(&DrawIndexed { instances: 1, ..bytemuck::Zeroable::zeroed() });
        port.flush_if_due();
    }
    port.flush();
    let (frames, mut open, mut uploaded) = (port.frame(), 0, 0u64);
    let mut shown = 0;
    for batch in &fake.0.lock().unwrap().batches {
        for packet in Reader::new(batch) {
            match packet.unwrap().packet {
                Packet::BeginFrame(body) => open = body.frame,
                Packet::Present(body) => {
                    assert_eq!(body.frame, open);
                    shown += u64::from(!body.shows_nothing());
                    uploaded = 0;
                }
                Packet::UpdateBuffer(body) => uploaded += u64::from(body.data.size),
                _ => {}
            }
            assert!(uploaded <= 1 << 19);
        }
    }
    assert!((400..1000).contains(&frames) && shown == 0, "{frames} frames");
}
