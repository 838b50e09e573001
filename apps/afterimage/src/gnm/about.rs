//! `afterimage info` of recordings of GNM work: how much of everything there is.

use super::watch::Watch;
use crate::Failure;
use afterimage_gnm::gcap::{Event, Player, Reader, Record};
use std::fmt::Write;
use std::path::Path;

/// What a recording holds, as text. It is run to its end, or to its damage, without drawing.
pub(crate) fn about(path: &Path) -> Result<String, Failure> {
    let reader = Reader::open(path).map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let mut player = Player::new(reader);
    let mut watch = Watch::default();
    let (mut records, mut written, mut submissions) = (0u64, 0u64, 0u64);
    let (mut pictures, mut dumps, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    let damage = loop {
        let located = match player.read() {
            Ok(Some(located)) => located,
            Ok(None) => break "none".to_owned(),
            Err(error) => break error.to_string(),
        };
        records += 1;
        match &located.record {
            Record::Memory { bytes, .. } => written += bytes.len() as u64,
            Record::Submit(_) => submissions += 1,
            _ => {}
        }
        match player.apply(located.record, &mut watch) {
            Some(Event::Ran { faults: more, .. }) => {
                faults.extend(more.iter().map(|fault| format!("submission {}: {fault}", submissions - 1)));
            }
            Some(Event::Refused(error)) => faults.push(error.to_string()),
            Some(Event::Write(error)) => faults.push(error.to_string()),
            Some(Event::Flip(picture)) => pictures.push(picture.file_name()),
            Some(Event::Dump(dump)) => dumps.push(dump.file_name()),
            None => {}
        }
        watch.lines.clear();
    };
    let mut text = format!(
        "records     {records}\nwritten     {written} bytes\nsubmissions {submissions}\ndraws       {}\ndispatches  {}\n\
         pictures    {}\ndumps       {}\n",
        watch.draws,
        watch.dispatches,
        pictures.len(),
        dumps.len()
    );
    for (name, lines) in [("", pictures), ("", dumps), ("fault", faults), ("damage", vec![damage])] {
        for line in lines {
            let _never_fails = writeln!(text, "{name:<11} {line}");
        }
    }
    Ok(text)
}
