//! `afterimage dump`: every packet of a capture, for people and for programs.

use crate::inspect::{is_over, open};
use crate::{Failure, inspect};
use afterimage_inspect::terms::{Term, changed};
use afterimage_inspect::{CallSet, Capture, Field, Place, Value, fields, fields_json};
use afterimage_stream::{Packet, Reader, ReplayHash, State};
use clap::Parser;
use serde_json::json;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// Show the packets of a capture, one a line: sequence number, number of the call, name, fields.
///
/// Calls are the packets that do something, numbered from 0: draws, clears, dispatches, copies,
/// queries, presents. Behind each frame stands its replay hash, equal where two frames ask for the
/// same work on the same data. A packet that a renderer refuses has the reason behind it.
///
/// Sets of calls are as apitrace's: 12,3-7,100-*/draw,*/10,frame or @FILE with one set a line.
///
/// With --json every line is an object: first `program`, `device`, `build`; then a packet with
/// `batch`, `sequence`, `frame`, `packet`, `fields`, of calls also `call` and `kind`, and `refused`
/// where a renderer refuses it; `frame` with `replay_hash` behind each frame; with --guest `call`
/// with `terms` (`group`, `name`, `value`, `note`, `host`) in front of a call; `damage` and `error`
/// where the file or a batch cannot be read.
///
/// Examples:
///   afterimage dump scene.aftercap | less
///   afterimage dump scene.aftercap --calls 1740-1742
///   afterimage dump scene.aftercap --guest --calls draw
///   afterimage dump scene.aftercap --json | jq 'select(.packet == "Draw")'
///   afterimage dump scene.aftercap --json --guest | jq -r 'select(.terms).terms[] | "\(.name) = \(.value)"'
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The capture.
    file: PathBuf,
    /// Only these calls, each with the packets that come before it.
    #[arg(long, value_name = "SET")]
    calls: Option<CallSet>,
    /// In front of each call, the state in the guest's own names, as far as it is another than at the call before.
    #[arg(long)]
    guest: bool,
    /// Write JSON, an object a line.
    #[arg(long)]
    json: bool,
}

/// Elements of a list that are shown to people.
const SHOWN: usize = 16;

/// Writes the packets to standard output.
pub(crate) fn dump(args: &Args) -> Result<(), Failure> {
    let capture = open(&args.file)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let dumped = Dump::new(args, &capture).run(&mut out).and_then(|()| out.flush());
    match dumped {
        Err(error) if is_over(&error) => Ok(()),
        Err(error) => Err(Failure::new(format!("writing: {error}"))),
        Ok(()) => inspect::damaged(&args.file, &capture),
    }
}

struct Dump<'a> {
    args: &'a Args,
    capture: &'a Capture,
    state: State,
    /// The guest's terms at the last call that was shown.
    terms: Vec<Term>,
    /// Number of the next call.
    next: usize,
}

impl<'a> Dump<'a> {
    fn new(args: &'a Args, capture: &'a Capture) -> Self {
        Self { args, capture, state: State::default(), terms: Vec::new(), next: 0 }
    }

    fn run(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (json, info) = (self.args.json, self.capture.info());
        if json {
            let (program, device, build) = (&info.program, &info.device, &info.build);
            writeln!(out, "{}", json!({ "program": program, "device": device, "build": build }))?;
        } else {
            writeln!(out, "program {}\ndevice  {}\nbuild   {}", info.program, info.device, info.build)?;
        }
        // A second reading brings the data along, of which hashes are made.
        let mut reader = self.capture.reader().map_err(io::Error::other)?;
        let mut hash = ReplayHash::default();
        for (number, batch) in self.capture.batches().iter().enumerate() {
            loop {
                match reader.next() {
                    Ok(_) => break,
                    Err(error) if json => writeln!(out, "{}", json!({ "damage": error.to_string() }))?,
                    Err(error) => writeln!(out, "\n! damaged: {error}")?,
                }
            }
            if !json && self.args.calls.is_none() {
                let kind = if batch.keyframe { ", keyframe" } else { "" };
                writeln!(out, "\nbatch {number}{kind}: {} bytes", batch.words.len() * 8)?;
            }
            for located in Reader::new(&batch.words) {
                let located = match located {
                    Ok(located) => located,
                    Err(error) if json => {
                        writeln!(out, "{}", json!({ "error": error.to_string() }))?;
                        continue;
                    }
                    Err(error) => {
                        writeln!(out, "                ! {error}")?;
                        continue;
                    }
                };
                let place = Place { batch: number as u32, word: located.at as u32 };
                if let Packet::BeginFrame(_) = located.packet {
                    hash.finish();
                }
                hash.packet(&located, &batch.words, reader.arena());
                self.packet(place, located.header.sequence, &located.packet, out)?;
                if let Packet::Present(body) = located.packet {
                    let hash = format!("{:016x}", hash.finish());
                    match (json, self.args.calls.is_some()) {
                        (_, true) => {}
                        (true, _) => writeln!(out, "{}", json!({ "frame": body.frame, "replay_hash": hash }))?,
                        (false, _) => writeln!(out, "                frame {}: replay hash {hash}", body.frame)?,
                    }
                }
            }
        }
        Ok(())
    }

    fn packet(&mut self, place: Place, sequence: u32, packet: &Packet<'_>, out: &mut dyn Write) -> io::Result<()> {
        let next = self.capture.calls().get(self.next);
        let call = next.filter(|call| call.place == place);
        self.next += usize::from(call.is_some());
        let wanted = self.args.calls.as_ref().is_none_or(|set| next.is_some_and(|next| set.contains(next)));
        let refused = self.capture.is_rejected(place);
        if wanted {
            if let Some(call) = call.filter(|_| self.args.guest) {
                self.guest(call.number, out)?;
            }
            let problem =
                if refused { self.capture.problems().iter().find(|problem| problem.place == place) } else { None };
            let problem = problem.map_or("refused", |problem| &problem.text);
            if self.args.json {
                let mut line = json!({
                    "batch": place.batch, "sequence": sequence, "frame": self.state.frame, "packet": packet.kind().name(),
                    "fields": fields_json(&fields(packet)),
                });
                if let Some(call) = call {
                    (line["call"], line["kind"]) = (call.number.into(), call.kind.name().into());
                }
                if refused {
                    line["refused"] = problem.into();
                }
                writeln!(out, "{line}")?;
            } else {
                let number = call.map_or_else(String::new, |call| call.number.to_string());
                writeln!(out, "{sequence:>8} {number:>6} {}", in_words(packet))?;
                if refused {
                    writeln!(out, "                ! {problem}")?;
                }
            }
        }
        if !refused {
            self.state.apply(packet);
        }
        Ok(())
    }

    /// The terms of a call that are other ones than before.
    fn guest(&mut self, call: u64, out: &mut dyn Write) -> io::Result<()> {
        let terms = self.capture.terms(call, &self.state);
        let new: Vec<&Term> = changed(&self.terms, &terms).into_iter().filter_map(|change| change.after).collect();
        if self.args.json {
            let terms: Vec<_> = new.iter().map(|term| inspect::term_json(term)).collect();
            writeln!(out, "{}", json!({ "call": call, "terms": terms }))?;
        } else {
            for term in new {
                let note = if term.note.is_empty() { String::new() } else { format!(" ({})", term.note) };
                writeln!(out, "                = {}: {} = {}{note}", term.group, term.name, term.value)?;
            }
        }
        self.terms = terms;
        Ok(())
    }
}

/// A packet as people read it: long lists are cut.
pub(crate) fn in_words(packet: &Packet<'_>) -> String {
    let mut fields = fields(packet);
    fields.iter_mut().for_each(|field: &mut Field| shorten(&mut field.value));
    format!("{} {}", packet.kind().name(), Value::Fields(fields))
}

fn shorten(value: &mut Value) {
    match value {
        Value::List(values) if values.len() > SHOWN => {
            let more = values.len() - SHOWN;
            values.truncate(SHOWN);
            values.push(Value::Word(format!("{more} more")));
            values.iter_mut().for_each(shorten);
        }
        Value::List(values) => values.iter_mut().for_each(shorten),
        Value::Fields(fields) => fields.iter_mut().for_each(|field| shorten(&mut field.value)),
        _ => {}
    }
}
