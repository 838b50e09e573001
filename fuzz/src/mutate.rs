//! Changes to streams: words, bytes, ids, order, uploads, each as the fuzzer's bytes say. What comes out has right headers and sequence
//! numbers, so that what is behind the checks of those is reached.

use crate::Input;
use crate::scenes::Scene;
use afterimage_stream::packets::{CreateShader, Header, Kind};
use afterimage_stream::{ObjectId, ObjectKind, Packet, Reader};

/// Most packets of a stream that was changed.
const MOST_PACKETS: usize = 400;
/// Most changes: what has more of them is refused at the first packets.
const MOST_CHANGES: usize = 48;
/// Most times that a packet is repeated.
const MOST_REPEATS: usize = 16;

/// Changes a scene as the bytes say, a change for every eight of them or so.
pub fn mutate(scene: &mut Scene, input: &mut Input<'_>) {
    for _ in 0..MOST_CHANGES {
        if input.0.is_empty() || scene.packets.len() >= MOST_PACKETS {
            return;
        }
        let (change, at, value) = (input.byte(), usize::from(input.value::<u16>()), input.value::<u32>());
        let count = scene.packets.len();
        if count == 0 {
            return;
        }
        let (at, other) = (at % count, value as usize % count);
        match change % 12 {
            0 | 1 => word(&mut scene.packets[at], input.byte(), number(change, value)),
            2 => byte(&mut scene.packets[at], value as usize, input.byte()),
            3 => add(&mut scene.packets[at], input.byte(), value as i8),
            4 => {
                // Serials of scenes are small.
                let kind = ObjectKind::OBJECTS[value as usize % ObjectKind::OBJECTS.len()];
                word(&mut scene.packets[at], input.byte(), ObjectId::new(kind, value >> 8 & 15).0);
            }
            5 => drop(scene.packets.remove(at)),
            6 => {
                let packet = scene.packets[at].clone();
                scene.packets.insert(other, packet);
            }
            7 => scene.packets.swap(at, other),
            8 => {
                let packet = scene.packets[at].clone();
                let times = value as usize % MOST_REPEATS;
                scene.packets.splice(at..at, std::iter::repeat_n(packet, times));
            }
            9 => shader(scene, at, value, input.byte()),
            10 => {
                let length = scene.uploads.len().max(1);
                if let Some(place) = scene.uploads.get_mut(value as usize % length) {
                    *place = input.byte();
                }
            }
            _ => {
                let packet = random(value, input);
                scene.packets.insert(at, packet);
            }
        }
    }
}

/// The packets as one batch, numbered.
pub fn batch(scene: &Scene) -> Vec<u64> {
    let mut words = Vec::new();
    for (packet, sequence) in scene.packets.iter().zip(1..) {
        let header: Header = bytemuck::cast(packet[0]);
        words.push(bytemuck::cast(Header { units: packet.len() as u16, sequence, ..header }));
        words.extend_from_slice(&packet[1..]);
    }
    words
}

fn halves(packet: &mut [u64]) -> &mut [u32] {
    bytemuck::cast_slice_mut(&mut packet[1..])
}

fn word(packet: &mut [u64], at: u8, value: u32) {
    let words = halves(packet);
    let length = words.len();
    if let Some(word) = words.get_mut(usize::from(at) % length.max(1)) {
        *word = value;
    }
}

fn add(packet: &mut [u64], at: u8, value: i8) {
    let words = halves(packet);
    let length = words.len();
    if let Some(word) = words.get_mut(usize::from(at) % length.max(1)) {
        *word = word.wrapping_add_signed(value.into());
    }
}

fn byte(packet: &mut [u64], at: usize, value: u8) {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut packet[1..]);
    let length = bytes.len();
    if let Some(byte) = bytes.get_mut(at % length.max(1)) {
        *byte = value;
    }
}

/// Numbers at which something ends, and any.
fn number(change: u8, value: u32) -> u32 {
    match change / 12 % 8 {
        0 => value % 64,
        1 => 1 << (value % 32),
        2 => (1u32 << (value % 32)).wrapping_sub(1),
        3 => u32::MAX - value % 16,
        4 => [0, 0x3f80_0000, 0x7f80_0000, 0x7fc0_0000, 0x8000_0000, 0xff80_0000][value as usize % 6],
        _ => value,
    }
}

/// Changes the code of a shader: of the first one from a packet on.
fn shader(scene: &mut Scene, at: usize, value: u32, to: u8) {
    let found = scene.packets[at..].iter().find_map(|packet| match Reader::new(packet).next()?.ok()?.packet {
        Packet::CreateShader(CreateShader { code, .. }) => Some(*code),
        _ => None,
    });
    let Some(code) = found else { return };
    let place = code.offset.saturating_add((value % code.size.max(1)).into());
    if let Some(place) = usize::try_from(place).ok().and_then(|place| scene.uploads.get_mut(place)) {
        *place = to;
    }
}

/// A packet of any kind with any body.
fn random(value: u32, input: &mut Input<'_>) -> Vec<u64> {
    let kind = Kind::ALL[value as usize % Kind::ALL.len()];
    let units = 1 + kind.body_bytes() / 8 + (value >> 8) as usize % 5;
    let mut packet = vec![bytemuck::cast(Header { kind: kind as u16, units: units as u16, sequence: 0 })];
    // Small numbers mean something more often.
    packet.extend((1..units).map(|_| {
        let word: u64 = input.value();
        if word & 1 == 0 { word & 0x0300_000f_0300_000f } else { word }
    }));
    packet
}
