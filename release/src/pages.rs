//! The documentation as pages for a browser, with links between them as in the source tree. What a link leads to that is not in a
//! release, such as a source file, is named without a link.

use std::collections::BTreeMap;
use std::path::Path;

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use xtask::step::{Context as _, Result};
use xtask::workspace::Workspace;

use crate::files;

/// The folder of pages among the documents.
pub(crate) const FOLDER: &str = "html";
/// Pages for who works on the source tree.
const OF_THE_SOURCES: &[&str] = &["docs/adding.md", "docs/images/README.md"];
/// What pages link to that lies elsewhere among the documents: its path in the source tree, and from the folder of pages.
const BESIDE: &[(&str, &str)] = &[
    ("docs/afterimage.conf", "../afterimage.conf"),
    ("CHANGELOG.md", "../CHANGELOG.md"),
    ("LICENSE-MIT", "../licences.txt"),
    ("LICENSE-APACHE", "../licences.txt"),
];
/// How pages look: a column of text, wide tables with a bar of their own, light or dark as the reader has it.
const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8888; padding: .25rem .6rem; text-align: left; vertical-align: top; }
code { font-size: .9em; background: #8882; padding: 0 .2em; overflow-wrap: break-word; }
pre { background: #8882; padding: .6rem; overflow-x: auto; }
pre code { background: none; padding: 0; }
img { max-width: 100%; }
td img { min-width: 8rem; }
";

/// Where the page of a text goes: files of `docs` beside each other, the first page of a folder as its index.
fn place(source: &str) -> String {
    let inside = source.strip_prefix("docs/").unwrap_or(source);
    match inside.strip_suffix(".md") {
        // What a release is comes first, then what the project is.
        Some("release") => "index.html".to_owned(),
        Some("README") => "afterimage.html".to_owned(),
        Some(path) => {
            format!("{}.html", path.strip_suffix("README").map_or(path.to_owned(), |folder| format!("{folder}index")))
        }
        None => inside.to_owned(),
    }
}

/// Writes all pages and their pictures into the folder of documents.
///
/// # Errors
/// When a text cannot be read, or a page not be written.
pub(crate) fn write(ws: &Workspace, documents: &Path) -> Result {
    let mut sources = vec!["README.md".to_owned()];
    let docs = ws.root.join("docs");
    sources.extend(files::list(&docs)?.iter().map(|file| format!("docs/{}", file.display())));
    let kept = |source: &&String| !OF_THE_SOURCES.contains(&source.as_str());
    let (texts, others): (Vec<&String>, Vec<&String>) =
        sources.iter().filter(kept).partition(|source| source.ends_with(".md"));
    let pictures: Vec<&String> = others.into_iter().filter(|source| source.ends_with(".png")).collect();
    let mut places: BTreeMap<String, String> =
        texts.iter().chain(&pictures).map(|source| ((*source).clone(), place(source))).collect();
    places.extend(BESIDE.iter().map(|(source, place)| ((*source).to_owned(), (*place).to_owned())));
    for source in texts {
        let text = std::fs::read_to_string(ws.root.join(source)).doing(format!("reading {source}"))?;
        files::write(&documents.join(FOLDER).join(place(source)), page(source, &text, &places))?;
    }
    pictures.iter().try_for_each(|source| {
        files::copy(&ws.root.join(source), &documents.join(FOLDER).join(place(source)), &|_| true)
    })
}

/// A page of a text that lies at `source`; `places` says where that and others go.
fn page(source: &str, text: &str, places: &BTreeMap<String, String>) -> String {
    let here = places.get(source).map_or("", String::as_str);
    let lead = |target: &str| {
        if target.contains("://") || target.starts_with('#') {
            return Some(target.to_owned());
        }
        let (file, section) = target.split_once('#').map_or((target, ""), |(file, section)| (file, section));
        let place = relative(here, places.get(&joined(source, file))?);
        Some(if section.is_empty() { place } else { format!("{place}#{section}") })
    };
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let (mut title, mut slugs, mut links) = (String::new(), Vec::new(), Vec::new());
    let mut shown = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let heading = heading(&events[at..]);
                if *level == HeadingLevel::H1 {
                    title.clone_from(&heading);
                }
                let id = Some(CowStr::from(slug(&heading, &mut slugs)));
                let (classes, attrs) = (classes.clone(), attrs.clone());
                shown.push(Event::Start(Tag::Heading { level: *level, id, classes, attrs }));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = lead(dest_url);
                links.push(target.is_some());
                shown.extend(target.map(|target| {
                    let (title, id) = (title.clone(), id.clone());
                    Event::Start(Tag::Link { link_type: *link_type, dest_url: target.into(), title, id })
                }));
            }
            Event::End(TagEnd::Link) => {
                shown.extend(links.pop().unwrap_or(true).then_some(Event::End(TagEnd::Link)));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let target = lead(dest_url).unwrap_or_else(|| dest_url.to_string());
                let (title, id) = (title.clone(), id.clone());
                shown.push(Event::Start(Tag::Image { link_type: *link_type, dest_url: target.into(), title, id }));
            }
            other => shown.push(other.clone()),
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, shown.into_iter());
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let first = relative(here, "index.html");
    let back =
        if here == "index.html" { String::new() } else { format!("<p><a href=\"{first}\">Afterimage</a></p>\n") };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n{back}{body}</body>\n</html>\n"
    )
}

/// The words of the heading that these events begin with.
fn heading(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    words.collect()
}

/// A heading as links name it: small letters, hyphens for blanks, without punctuation, and a number from the second of a name on.
fn slug(heading: &str, taken: &mut Vec<String>) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    let plain: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
    let numbered = (1..).map(|number| format!("{plain}-{number}"));
    let found = std::iter::once(plain.clone()).chain(numbered).find(|slug| !taken.contains(slug)).unwrap_or(plain);
    taken.push(found.clone());
    found
}

/// The path in the source tree of what a text at `source` calls `target`.
fn joined(source: &str, target: &str) -> String {
    let mut parts: Vec<&str> = source.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The way from the page at `here` to what lies at `there`, both below one folder.
fn relative(here: &str, there: &str) -> String {
    format!("{}{there}", "../".repeat(here.matches('/').count()))
}

#[cfg(test)]
mod tests {
    use super::{joined, page, place, relative, slug};
    use std::collections::BTreeMap;

    #[test]
    fn pages_lie_where_their_texts_do() {
        for (source, expected) in [
            ("README.md", "afterimage.html"),
            ("docs/release.md", "index.html"),
            ("docs/ir.md", "ir.html"),
            ("docs/sources/README.md", "sources/index.html"),
            ("docs/images/x.png", "images/x.png"),
        ] {
            assert_eq!(place(source), expected);
        }
        assert_eq!(joined("docs/sources/gcn.md", "../ir.md"), "docs/ir.md");
        assert_eq!(relative("sources/gcn.html", "ir.html"), "../ir.html");
    }

    #[test]
    fn links_lead_to_pages_or_are_words() {
        let places =
            ["docs/ONE.md", "docs/sources/TWO.md", "docs/images/p.png"].map(|file| (file.to_owned(), place(file)));
        let places = BTreeMap::from(places);
        let text = "# A & b\n\n[up](../ONE.md#the-end) [code](../../crates/x.rs) [out](https://x.example) ![p](../images/p.png)\n\n## The end\n";
        let page = page("docs/sources/TWO.md", text, &places);
        for expected in [
            "<title>A &amp; b</title>",
            "<h1 id=\"a--b\">",
            "<a href=\"../ONE.html#the-end\">up</a> code <a href=\"https://x.example\">",
            "<img src=\"../images/p.png\" alt=\"p\"",
            "<h2 id=\"the-end\">",
            "<a href=\"../index.html\">Afterimage</a>",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
    }

    #[test]
    fn headings_of_one_name_are_told_apart() {
        let mut taken = Vec::new();
        assert_eq!(slug("What's there?", &mut taken), "whats-there");
        assert_eq!(slug("Whats there", &mut taken), "whats-there-1");
    }
}
