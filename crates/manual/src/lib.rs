//! Manual pages and shell completions of a program, from its command line: what `--help` says, where else it is looked for.

#![forbid(unsafe_code)]

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io;

pub use clap_complete::Shell;

/// The manual that pages belong to, as their first line says.
const MANUAL: &str = "Afterimage";
/// The line of a command's text that its examples follow.
const EXAMPLES: &str = "Examples:";

/// A manual page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its file's name: `afterimage-shader-translate.1`.
    pub file: String,
    /// What is in the file.
    pub text: Vec<u8>,
}

/// A page for the program, and one for each of its commands that its help lists, and for theirs.
///
/// # Errors
/// When a page cannot be rendered.
pub fn pages(program: Command) -> io::Result<Vec<Page>> {
    fn visit(command: &Command, version: &str, pages: &mut Vec<Page>) -> io::Result<()> {
        pages.push(page(command, version)?);
        command
            .get_subcommands()
            .filter(|inner| !inner.is_hide_set())
            .try_for_each(|inner| visit(inner, version, pages))
    }
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let version = program.render_version().trim().to_owned();
    let mut pages = Vec::new();
    visit(&program, &version, &mut pages)?;
    Ok(pages)
}

/// Completions of a program's command line, as the shell wants to read them.
pub fn completions(mut program: Command, shell: Shell) -> Vec<u8> {
    let name = program.get_name().to_owned();
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut program, name, &mut text);
    text
}

fn page(command: &Command, version: &str) -> io::Result<Page> {
    let man = Man::new(command.clone()).source(version).manual(MANUAL);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    let (description, examples) = parts(command);
    section("DESCRIPTION", &description, &mut text)?;
    man.render_options_section(&mut text)?;
    if command.get_subcommands().any(|inner| !inner.is_hide_set()) {
        man.render_subcommands_section(&mut text)?;
    }
    section("EXAMPLES", &examples, &mut text)?;
    Ok(Page { file: man.get_filename(), text })
}

/// What a command says of itself, and its examples.
fn parts(command: &Command) -> (String, String) {
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut parts = (String::new(), String::new());
    let mut examples = false;
    for line in about.lines() {
        // Examples end where text begins again.
        examples = line == EXAMPLES || (examples && (line.starts_with(' ') || line.is_empty()));
        if line != EXAMPLES {
            let part = if examples { &mut parts.1 } else { &mut parts.0 };
            part.push_str(line);
            part.push('\n');
        }
    }
    parts
}

/// A section of text. Lines that begin with blanks, as tables and commands do, stay as they are.
fn section(title: &str, text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    let mut as_it_is = false;
    for line in text.trim_end().lines() {
        if line.starts_with(' ') != as_it_is {
            roff.control(if as_it_is { "EE" } else { "EX" }, []);
            as_it_is = !as_it_is;
        }
        if line.is_empty() {
            roff.control("PP", []);
        } else {
            roff.text([roman(line)]);
        }
    }
    if as_it_is {
        roff.control("EE", []);
    }
    roff.to_writer(out)
}

#[cfg(test)]
mod tests {
    use super::{Shell, completions, pages};
    use clap::{Arg, Command};

    fn program() -> Command {
        let about =
            "Draws.\n\nKeys:\n  Q   ends it\n  .   goes on\nThat is all.\n\nExamples:\n  paint it -b\n\nMore text.";
        let it = Command::new("it").about("Draws.").long_about(about).arg(Arg::new("b").short('b').help("Blue"));
        Command::new("paint").version("1.2").about("Paints").subcommand(it).subcommand(Command::new("not").hide(true))
    }

    #[test]
    fn each_command_that_is_shown_has_a_page() {
        let pages = pages(program()).unwrap();
        let files: Vec<&str> = pages.iter().map(|page| page.file.as_str()).collect();
        assert_eq!(files, ["paint.1", "paint-it.1"]);
        let text = String::from_utf8(pages[1].text.clone()).unwrap();
        assert!(text.starts_with(".ie") || text.contains(".TH paint-it 1"), "{text}");
        assert!(text.contains("paint 1.2") && text.contains("Blue"), "{text}");
    }

    #[test]
    fn tables_and_examples_keep_their_lines() {
        let text = String::from_utf8(pages(program()).unwrap()[1].text.clone()).unwrap();
        // A line that begins with a dot would be an order to the formatter; blanks come before this one.
        assert!(text.contains(".EX\n  Q   ends it\n  .   goes on\n.EE\nThat is all.\n"), "{text}");
        assert!(text.contains(".SH EXAMPLES\n.EX\n  paint it \\-b\n.EE\n"), "{text}");
        let (before, _) = text.split_once(".SH EXAMPLES").unwrap();
        assert!(before.contains("More text.") && !before.contains("Examples:"), "{text}");
    }

    #[test]
    fn completions_name_every_command() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let text = String::from_utf8(completions(program(), shell)).unwrap();
            assert!(text.contains("paint") && text.contains("it"), "{shell}");
        }
    }
}
