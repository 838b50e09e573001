//! `afterimage info` of recordings of NV2A work: how much of everything there is.

use super::inspect::Draws;
use crate::Failure;
use afterimage_nv2a::kcap::{Event, Player, Reader, Record};
use std::fmt::Write;
use std::path::Path;

/// What a recording holds, as text. It is run to its end, or to its damage, without drawing.
pub(crate) fn about(path: &Path) -> Result<String, Failure> {
    let reader = Reader::open(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let mut player = Player::new(reader);
    let mut draws = Draws::default();
    let (mut records, mut written, mut runs) = (0u64, 0u64, 0u64);
    let (mut pictures, mut faults) = (Vec::new(), Vec::new());
    let damage = loop {
        let located = match player.read() {
            Ok(Some(located)) => located,
            Ok(None) => break "none".to_owned(),
            Err(error) => break error.to_string(),
        };
        records += 1;
        match &located.record {
            Record::Memory { bytes, .. } => written += bytes.len() as u64,
            Record::Fill { size, .. } => written += u64::from(*size),
            Record::Execute { .. } => runs += 1,
            _ => {}
        }
        match player.apply(located.record, &mut draws) {
            Some(Event::Fault(error)) => faults.push(format!("run {}: {error}", runs - 1)),
            Some(Event::Frame(frame)) => pictures.push(frame.path().display().to_string()),
            _ => {}
        }
        draws.lines.clear();
    };
    let mut text = format!(
        "records  {records}\nwritten  {written} bytes\nruns     {runs}\ndraws    {}\nclears   {}\npictures {}\n",
        draws.draws,
        draws.clears,
        pictures.len()
    );
    for (name, lines) in [("", pictures), ("fault", faults), ("damage", vec![damage])] {
        for line in lines {
            let _never_fails = writeln!(text, "{name:<8} {line}");
        }
    }
    Ok(text)
}
