//! `afterimage install` and `afterimage uninstall`: our d3d9.dll in a Wine prefix, whose programs then find it by themselves, and taken
//! out of it again.
//!
//! * `prefix`: what a prefix is, and where its system's libraries lie.
//! * `files`: a library put into its place, what was there kept beside it, and back.
//! * `registry`: the DLL override, by Wine itself, so that it does not matter whether a program of the prefix runs.
//! * `record`: what was done, as a file in the prefix.
//! * `caches`: what programs that draw by themselves leave in the prefix; `logs`: their logs.
//! * `proton`: a compatibility tool for Steam instead.
//!
//! The record is written before anything is changed and removed when all is as it was: whatever comes between, `uninstall` knows what to do.

mod caches;
mod files;
mod logs;
mod prefix;
mod proton;
mod record;
mod registry;

use crate::program::Width;
use crate::{Failure, say};
use clap::Parser;
use files::{Slot, Standing};
use prefix::Prefix;
use record::Record;
use registry::{KEY, Registry, VALUE};
use std::path::{Path, PathBuf};

/// Put our d3d9.dll into a Wine prefix, so that plain `wine GAME.exe` draws with Afterimage.
///
/// Each library of the prefix's system folders that is called d3d9.dll gives way to ours: in
/// system32 and syswow64, 64 and 32 bit. It is kept beside ours, as d3d9.dll.before-afterimage, and the
/// registry is told to take ours (HKCU\Software\Wine\DllOverrides, d3d9 = native,builtin). What
/// was done is written into PREFIX/afterimage-install.json; `afterimage uninstall PREFIX` takes
/// all of it back. Installing again puts newer libraries in place of ours and forgets nothing.
/// Programs of the prefix may run meanwhile; they keep what they have loaded.
///
/// How a program then draws is configured as ever: see `afterimage config`. With `renderer = viewer`
/// and `start_viewer = /usr/bin/afterimage-viewer` the viewer draws, and is started when it is needed.
///
/// Steam's Proton writes its own d3d9.dll into its prefixes at each start. For it, --proton makes a
/// compatibility tool: make it in ~/.steam/root/compatibilitytools.d, start Steam again, and choose
/// it in a game's properties. Nothing of Proton is copied.
///
/// Examples:
///   afterimage install ~/.wine
///   afterimage install --dry-run ~/.wine
///   afterimage install --proton ~/.steam/root/compatibilitytools.d/afterimage --wraps "Proton 9.0 (Beta)"
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The prefix: a folder with system.reg and drive_c, such as ~/.wine.
    #[arg(required_unless_present = "proton")]
    prefix: Option<PathBuf>,
    /// Take the libraries from this folder, or from x86_64 and i686 in it. [default: where `run` takes them from]
    #[arg(long, value_name = "DIR")]
    dlls: Option<PathBuf>,
    /// Only say what would be done. Wine is not started, so the registry is not looked at.
    #[arg(long)]
    dry_run: bool,
    /// Go on where somebody has changed what was installed earlier: what is there now is replaced.
    #[arg(long, conflicts_with = "proton")]
    force: bool,
    /// Make a compatibility tool for Steam in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "prefix")]
    proton: Option<PathBuf>,
    /// The Proton that the tool wraps: its name in Steam's folders, or its own folder. [default: the only one]
    #[arg(long, value_name = "NAME", requires = "proton")]
    wraps: Option<PathBuf>,
}

/// Take Afterimage out of a Wine prefix: everything is as it was before `afterimage install`.
///
/// The libraries that were there come back, and the override that was there, or none. Where somebody
/// has changed one of them since, nothing is done, and it is said which; --force goes on.
///
/// Examples:
///   afterimage uninstall ~/.wine
///   afterimage uninstall --dry-run ~/.wine
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct UninstallArgs {
    /// The prefix.
    prefix: PathBuf,
    /// Only say what would be done. Wine is not started, so the registry is not looked at.
    #[arg(long)]
    dry_run: bool,
    /// Go on where somebody has changed what was installed: it is lost, and what was there before comes back.
    #[arg(long)]
    force: bool,
}

/// The command `install`.
pub(crate) fn install(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = &args.proton {
        return proton::make(folder, args.wraps.as_deref(), args.dlls.as_deref(), args.dry_run);
    }
    // clap has seen to it.
    let named = args.prefix.as_deref().unwrap_or(Path::new(""));
    let prefix = Prefix::open(named)?;
    let old = Record::read(prefix.root())?;
    let mut record = old.clone().unwrap_or_default();
    let mut slots = Vec::new();
    for place in prefix.places() {
        let dll = crate::files::dll_in(args.dlls.as_deref(), place.width)?;
        slots.push((Slot::find(&place)?, dll));
    }
    let mut changed = Vec::new();
    for (slot, dll) in &mut slots {
        changed.extend(slot.enlist(&mut record, dll)?);
    }
    if args.dry_run {
        slots.iter().for_each(|(slot, dll)| told(&format!("would put {} at {}", dll.display(), slot.said())));
        told(&format!("would set {KEY}, {VALUE} = {}, and keep what it was", registry::OURS));
        told(&format!("would write what was done into {}", Record::place(prefix.root()).display()));
        return refuse(&changed, args.force, "install");
    }
    let registry = Registry::of(&prefix)?;
    let now = registry.read()?;
    match &old {
        None => {
            record.registry = now;
            record.caches = caches::of(&prefix).into_iter().map(|(user, _)| user).collect();
        }
        Some(old) => changed.extend(now.differs(&old.registry)),
    }
    refuse(&changed, args.force, "install")?;

    record.write(prefix.root())?;
    let halfway = |failure: Failure| {
        Failure::new(format!("{failure}; `afterimage uninstall {}` takes back what was done so far", named.display()))
    };
    for (slot, dll) in &slots {
        slot.put(&record, dll).map_err(halfway)?;
        told(&format!("{}: {}", slot.said(), dll.display()));
    }
    registry.set(registry::OURS).map_err(halfway)?;
    told(&format!("{KEY}: {VALUE} = {}{}", registry::OURS, record.registry.said()));
    registry.settle();
    if prefix.width == Width::W64 && slots.len() == 1 {
        told("this prefix has no syswow64: 32-bit programs do not run in it");
    }
    let name = prefix.root().display();
    told(&format!(
        "{} programs of this prefix draw with Afterimage: WINEPREFIX={name} wine GAME.exe. `afterimage uninstall {name}` takes it back.",
        if old.is_some() { "renewed;" } else { "done;" }
    ));
    Ok(())
}

/// The command `uninstall`.
pub(crate) fn uninstall(args: &UninstallArgs) -> Result<(), Failure> {
    let prefix = Prefix::open(&args.prefix)?;
    let record = Record::read(prefix.root())?.ok_or_else(|| {
        let place = Record::place(prefix.root());
        Failure::new(format!("nothing is installed in {}: there is no {}", args.prefix.display(), place.display()))
    })?;
    let mut slots = Vec::new();
    let mut changed = Vec::new();
    for file in &record.files {
        let slot = Slot::of(&prefix, file);
        let standing = slot.standing(file)?;
        if let Standing::Changed(why) = &standing {
            changed.push(why.clone());
        }
        slots.push((slot, file, standing));
    }
    if args.dry_run {
        slots.iter().for_each(|(slot, file, _)| told(&format!("would {}", slot.plan(file))));
        told(&format!("would set {KEY}, {VALUE} to what it was{}", record.registry.said()));
        let caches = caches::of(&prefix).into_iter().filter(|(user, _)| !record.caches.contains(user));
        let gone = caches.map(|(_, path)| path).chain(logs::of(&prefix)).chain([Record::place(prefix.root())]);
        gone.for_each(|path| told(&format!("would remove {}", path.display())));
        return refuse(&changed, args.force, "uninstall");
    }
    let registry = Registry::of(&prefix)?;
    changed.extend(registry.read()?.differs(&record.registry));
    refuse(&changed, args.force, "uninstall")?;
    registry.restore(&record.registry)?;
    told(&format!("{KEY}: {VALUE} is what it was{}", record.registry.said()));
    for (slot, file, standing) in &slots {
        let how = slot.restore(file, standing)?;
        told(&format!("{}: {how}", slot.said()));
    }
    for cache in caches::remove(&prefix, &record.caches)? {
        told(&format!("{}: removed, a cache of shaders", cache.display()));
    }
    for log in logs::remove(&prefix)? {
        told(&format!("{}: removed, a log", log.display()));
    }
    Record::remove(prefix.root())?;
    registry.settle();
    told("done; nothing of Afterimage is left in this prefix");
    Ok(())
}

/// Refuses to go on over what somebody else has changed, unless that is wanted.
fn refuse(changed: &[String], force: bool, command: &str) -> Result<(), Failure> {
    if changed.is_empty() || force {
        return Ok(());
    }
    let list = changed.join("\n  ");
    Err(Failure::new(format!(
        "changed since it was installed, by somebody else:\n  {list}\nnothing was done; `afterimage {command} --force` goes on and \
         replaces it"
    )))
}

fn told(line: &str) {
    say(&format!("{line}\n"));
}
