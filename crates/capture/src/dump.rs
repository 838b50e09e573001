//! A capture as text.

use crate::{CaptureError, Reader};
use afterimage_stream::packets::Packet;
use afterimage_stream::{BANKS, ReplayHash};
use std::fmt::Debug;
use std::io::{Read, Write};

/// Elements of a tail that are shown.
const SHOWN: usize = 16;

/// Writes every packet of a capture as a line: sequence number, name, fields; and the replay hash of each frame, which is
/// equal where two frames ask for the same work on the same data.
///
/// # Errors
/// The capture's damage, after everything before it has been written; or the output's.
pub fn dump<R: Read>(reader: &mut Reader<R>, out: &mut dyn Write) -> Result<(), CaptureError> {
    let failed = || CaptureError::io("writing the dump");
    let info = reader.info();
    writeln!(out, "program {}\ndevice  {}\nbuild   {}", info.program, info.device, info.build).map_err(failed())?;
    let mut number = 0;
    let mut hash = ReplayHash::default();
    while let Some(batch) = reader.next()? {
        let kind = if batch.keyframe { ", keyframe" } else { "" };
        writeln!(out, "\nbatch {number}{kind}: {} bytes", batch.words.len() * 8).map_err(failed())?;
        number += 1;
        for located in afterimage_stream::Reader::new(&batch.words) {
            match located {
                Ok(located) => {
                    if let Packet::BeginFrame(_) = located.packet {
                        hash.finish();
                    }
                    hash.packet(&located, &batch.words, reader.arena());
                    writeln!(out, "{:>8} {}", located.header.sequence, line(&located.packet)).map_err(failed())?;
                    if let Packet::Present(body) = located.packet {
                        writeln!(out, "         frame {}: replay hash {:016x}", body.frame, hash.finish())
                            .map_err(failed())?;
                    }
                }
                Err(error) => writeln!(out, "       ! {error}").map_err(failed())?,
            }
        }
    }
    Ok(())
}

/// A packet as one line.
fn line(packet: &Packet<'_>) -> String {
    let text = |body: &dyn Debug, bytes: &[u8]| format!("{body:?} {:?}", String::from_utf8_lossy(bytes));
    fn tail<T: Debug>(body: &dyn Debug, elements: &[T]) -> String {
        let shown = &elements[..elements.len().min(SHOWN)];
        let more = if shown.len() < elements.len() { ", ..." } else { "" };
        let list = format!("{shown:?}");
        format!("{body:?} {}{more}]", list.trim_end_matches(']'))
    }
    match packet {
        Packet::Init(body, name) => text(body, name),
        Packet::Name(body, name) => text(body, name),
        Packet::Marker(body, name) => text(body, name),
        Packet::CreateVertexInput(body, elements) => tail(body, elements),
        Packet::SetVertexBuffers(body, elements) => tail(body, elements),
        Packet::SetTextures(body, elements) => tail(body, elements),
        Packet::Clear(body, elements) => tail(body, elements),
        Packet::SetGamma(body, elements) => tail(body, elements),
        Packet::SetConstants(body, registers)
            if BANKS.get(usize::from(body.bank)).is_some_and(|bank| bank.name.contains("integer")) =>
        {
            let integers: Vec<[i32; 4]> = registers.iter().map(|register| register.map(|bits| bits as i32)).collect();
            tail(body, &integers)
        }
        Packet::SetConstants(body, registers) => {
            let floats: Vec<[f32; 4]> = registers.iter().map(|register| register.map(f32::from_bits)).collect();
            tail(body, &floats)
        }
        other => {
            // `Draw(Draw { .. })`: the name is in the body already.
            let all = format!("{other:?}");
            let inner = all.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
            inner.map_or_else(|| all.clone(), str::to_owned)
        }
    }
}
