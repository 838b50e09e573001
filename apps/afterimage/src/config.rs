//! `afterimage config`: what is configured, why, and a fresh file.

use crate::{Failure, complain, say};
use afterimage_config::{FILE_NAME, OPTIONS, Settings, Surroundings, conf, explain, find, guess};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show the configuration that holds, with where each value comes from; write a fresh file; explain
/// an option.
///
/// The file is the one that AFTERIMAGE_CONF names, else afterimage.conf beside the program, else
/// ~/.config/afterimage/afterimage.conf. Sections such as [game.exe] hold for one program,
/// environment variables win over all. Programs that are known to need a setting have it by a built-in
/// profile where neither says anything. The exit status is 1 if anything in file or environment cannot
/// be understood.
///
/// Examples:
///   afterimage config                          every option
///   afterimage config --changed game.exe       what somebody has set that holds for game.exe
///   afterimage config --explain float_rules
///   afterimage config --write                  writes ./afterimage.conf, with every option commented out
///   afterimage config --write - | less
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The program that it holds for, by name or path; profiles are chosen by it. [default: this one]
    program: Option<PathBuf>,
    /// Only what differs from the defaults.
    #[arg(long, conflicts_with_all = ["write", "explain"])]
    changed: bool,
    /// Write a fresh file with every option commented out; `-` is standard output.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = FILE_NAME, conflicts_with_all = ["explain", "program"])]
    write: Option<PathBuf>,
    /// Write over a file that is there.
    #[arg(long, requires = "write")]
    force: bool,
    /// Tell about one option.
    #[arg(long, value_name = "OPTION", conflicts_with = "program")]
    explain: Option<String>,
}

/// The command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.write {
        return write(file, args.force).map(|()| ExitCode::SUCCESS);
    }
    if let Some(name) = &args.explain {
        let name = name.strip_prefix("AFTERIMAGE_").unwrap_or(name).to_ascii_lowercase();
        let option = find(&name).ok_or_else(|| {
            let hint =
                guess(&name).map_or("`afterimage config` lists them".into(), |near| format!("did you mean {near}?"));
            Failure::new(format!("{name}: there is no such option; {hint}"))
        })?;
        say(&explain(&OPTIONS[option]));
        return Ok(ExitCode::SUCCESS);
    }
    let mut around = Surroundings::of_process();
    if let Some(program) = &args.program {
        around.program.clone_from(program);
    }
    let settings = Settings::load(&around);
    show(&settings, args.changed);
    for problem in &settings.problems {
        complain(&problem.to_string());
    }
    Ok(if settings.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints options under their titles, in columns.
fn show(settings: &Settings, changed: bool) {
    let shown: Vec<_> =
        settings.effective().filter(|one| !changed || *one.origin != afterimage_config::Origin::Default).collect();
    let value = |one: &afterimage_config::Effective<'_>| {
        if one.value.is_empty() { "-".to_owned() } else { one.value.display().to_string() }
    };
    let wide = |text: &dyn Fn(&afterimage_config::Effective<'_>) -> usize| shown.iter().map(text).max().unwrap_or(0);
    let (names, values) =
        (wide(&|one| OPTIONS[one.option].name.len()), wide(&|one| value(one).chars().count()).min(40));
    let file = settings.file.as_ref().map_or("none".into(), |file| file.display().to_string());
    say(&format!("program {}, file {file}\n", settings.program));
    match settings.built_in {
        Some(row) => say(&format!("built-in profile: {row}\n")),
        None if !settings.built_in_profiles => say("built-in profiles are off\n"),
        None => {}
    }
    let mut title = "";
    for one in &shown {
        let row = &OPTIONS[one.option];
        if row.group != title {
            title = row.group;
            say(&format!("\n{title}\n"));
        }
        say(&format!("  {:<names$}  {:<values$}  {}\n", row.name, value(one), settings.whence(one)));
    }
    if shown.is_empty() {
        say("every option is at its default\n");
    }
}

fn write(file: &Path, force: bool) -> Result<(), Failure> {
    if file == Path::new("-") {
        say(&conf());
        return Ok(());
    }
    if !force && file.symlink_metadata().is_ok() {
        return Err(Failure::new(format!("{} is there already; --force writes over it", file.display())));
    }
    crate::outputs::write(file, &conf())?;
    let own = afterimage_config::of_user(&Surroundings::of_process());
    let own = own.map_or_else(String::new, |own| format!(" or as {} for all", own.display()));
    say(&format!("wrote {}: it is read beside a program{own}\n", file.display()));
    Ok(())
}
