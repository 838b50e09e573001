//! Captures: pictures of every frame first, then of every call of the first frame that differs.

use super::compare::Settings;
use super::find::Pair;
use super::first::{self, First, Judge};
use super::pairing::{self, By, Paired, Shown};
use super::side::{self, Side};
use super::{Args, Row, report, table};
use crate::Failure;
use std::path::PathBuf;

/// File name of the picture of the first difference.
pub(super) const THREE_UP: &str = "first-difference.png";

/// Whether everything matches.
pub(super) fn compare(args: &Args) -> Result<bool, Failure> {
    let sides = side::of(args)?;
    let temp =
        tempfile::tempdir().map_err(|error| Failure::new(format!("cannot make a folder for pictures: {error}")))?;
    let folders = [temp.path().join("a"), temp.path().join("b")];
    let mut damages = [None, None];
    for ((side, folder), damage) in sides.iter().zip(&folders).zip(&mut damages) {
        *damage = side.pictures(folder)?;
    }
    let shown = [Shown::all(&folders[0])?, Shown::all(&folders[1])?];
    if let Some(empty) = shown.iter().position(Vec::is_empty) {
        return Err(Failure::new(format!("{} shows no pictures, so there is nothing to compare", sides[empty].name)));
    }
    let paired = pairing::pair([&shown[0], &shown[1]], args.pair);
    if paired.pairs.is_empty() {
        let [one, other] = sides.each_ref().map(|side| &side.name);
        return Err(Failure::new(format!(
            "{one} and {other} have no frames of the same number; --pair order compares others"
        )));
    }
    let settings = Settings { tolerance: args.tolerance, amplify: args.amplify };
    if let Some(folder) = &args.output {
        report::prepare(folder)?;
    }
    let (pairs, extra) = files(&paired, &folders);
    let rows = super::work(args, &pairs, settings)?;
    let same = rows.iter().all(|row| row.state(args.bar).matches()) && extra == 0;
    let first = if same { None } else { search(args, &sides, &paired, &rows, settings)? };
    tell(args, &sides, &Compared { rows, extra, paired, first }, settings)?;
    match sides.iter().zip(damages).find_map(|(side, damage)| Some((side, damage?))) {
        Some((side, damage)) if same => {
            Err(Failure::new(format!("{}: {damage}; what could be read matches", side.file.display())))
        }
        _ => Ok(same),
    }
}

/// What was compared, and what came of it.
struct Compared {
    rows: Vec<Row>,
    /// Frames that only the other side has.
    extra: usize,
    paired: Paired,
    first: Option<First>,
}

/// The pictures of frames that belong together, and how many frames only the other side has.
fn files(paired: &Paired, folders: &[PathBuf; 2]) -> (Vec<Pair>, usize) {
    let file = |side: usize, number: u64| folders[side].join(format!("{}.png", pairing::name(number)));
    let pair = |&[one, other]: &[Option<u64>; 2]| {
        let one = one?;
        let name = match other {
            Some(other) if other != one => format!("{} with {}", pairing::name(one), pairing::name(other)),
            _ => pairing::name(one),
        };
        Some(Pair { name, golden: file(0, one), picture: file(1, other.unwrap_or(one)) })
    };
    let pairs: Vec<Pair> = paired.pairs.iter().filter_map(pair).collect();
    let extra = paired.pairs.len() - pairs.len();
    (pairs, extra)
}

/// Steps through the first frame that differs.
fn search(
    args: &Args,
    sides: &[Side; 2],
    paired: &Paired,
    rows: &[Row],
    settings: Settings,
) -> Result<Option<First>, Failure> {
    let both: Vec<[u64; 2]> = paired.pairs.iter().filter_map(|&[one, other]| Some([one?, other?])).collect();
    let named = paired.pairs.iter().filter(|[one, _]| one.is_some());
    let differs = |(pair, row): (&[Option<u64>; 2], &Row)| match (pair, row.state(args.bar).matches()) {
        (&[Some(one), Some(other)], false) => Some([one, other]),
        _ => None,
    };
    let Some(frames) = named.zip(rows).find_map(differs) else { return Ok(None) };
    first::find(sides, both[0], frames, Judge { settings, bar: args.bar })
}

/// Says what was found, and writes the report.
fn tell(args: &Args, sides: &[Side; 2], compared: &Compared, settings: Settings) -> Result<(), Failure> {
    let Compared { rows, extra, paired, first } = compared;
    let listing = table::Listing { rows, bar: args.bar, tolerance: args.tolerance, extra: *extra };
    let pairing = paired.text([&sides[0].name, &sides[1].name]);
    if let Some(folder) = &args.output {
        let mut note = format!("one side: {}\nother side: {}\n{pairing}", sides[0].name, sides[1].name);
        let mut shown = None;
        if let Some(first) = first {
            note += &first.text;
            if let Some(picture) = first.three_up(settings) {
                picture.write(&folder.join(THREE_UP)).map_err(Failure::new)?;
                shown = Some(THREE_UP);
            }
        }
        report::write(folder, &listing, &report::Note { text: &note, picture: shown })?;
    }
    if args.json {
        let mut value = listing.value();
        value["sides"] = sides.iter().map(|side| side.name.as_str()).collect();
        let by = match paired.by {
            By::Number => "number",
            By::Picture => "picture",
            By::Order => "order",
        };
        value["pairing"] = serde_json::json!({ "by": by, "frames": paired.pairs, "left_out": paired.left_out });
        if let Some(First { text, frames, calls, .. }) = first {
            value["first_difference"] = serde_json::json!({ "frames": frames, "calls": calls, "text": text });
        }
        crate::say(&format!("{value:#}\n"));
        return Ok(());
    }
    listing.print(args.misses);
    crate::say(&pairing);
    if let Some(first) = first {
        crate::say(&first.text);
    }
    if let Some(folder) = &args.output {
        crate::say(&format!("report: {}\n", folder.join(report::PAGE).display()));
    }
    Ok(())
}
