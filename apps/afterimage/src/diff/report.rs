//! The page with pictures side by side: one HTML file, and PNG files in folders beside it, so that it can be moved and needs
//! no network.

use super::compare::{Counts, Settings, amplified};
use super::picture::Picture;
use super::table::{Listing, share};
use super::{Outcome, Row};
use crate::Failure;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The page's file name.
pub(super) const PAGE: &str = "index.html";

/// The page around its rows.
const TEMPLATE: &str = include_str!("report.html");

/// The folders of pictures beside the page, and the words over them.
const GOLDEN: &str = "golden";
const PICTURE: &str = "picture";
const DIFFERENCE: &str = "difference";

/// What stands before the pictures.
#[derive(Default)]
pub(super) struct Note<'a> {
    /// Lines of text.
    pub(super) text: &'a str,
    /// File name of a picture beside the page.
    pub(super) picture: Option<&'a str>,
}

/// Makes the folder.
pub(super) fn prepare(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::file("cannot make", folder, error))
}

/// Puts the pictures of a pair into the report. They are as a screen shows them, without alpha.
pub(super) fn pictures(
    folder: &Path,
    name: &str,
    golden: &Picture,
    picture: Option<&Picture>,
    settings: Settings,
) -> Result<(), Failure> {
    save(folder, GOLDEN, name, &golden.opaque())?;
    let Some(picture) = picture else { return Ok(()) };
    save(folder, PICTURE, name, &picture.opaque())?;
    if (picture.width, picture.height) == (golden.width, golden.height) {
        save(folder, DIFFERENCE, name, &amplified(golden, picture, settings))?;
    }
    Ok(())
}

fn save(folder: &Path, kind: &str, name: &str, picture: &Picture) -> Result<(), Failure> {
    let path: PathBuf = folder.join(kind).join(format!("{name}.png"));
    if let Some(parent) = path.parent() {
        prepare(parent)?;
    }
    picture.write(&path).map_err(Failure::new)
}

/// Writes the page. The worst come first.
pub(super) fn write(folder: &Path, listing: &Listing<'_>, note: &Note<'_>) -> Result<(), Failure> {
    let path = folder.join(PAGE);
    crate::outputs::write(&path, &page(listing, note))
}

fn page(listing: &Listing<'_>, note: &Note<'_>) -> String {
    let mut rows: Vec<&Row> = listing.rows.iter().collect();
    let within = |row: &Row| match &row.outcome {
        Outcome::Compared(comparison) => comparison.all.within as f64 / comparison.all.pixels.max(1) as f64,
        _ => 0.0,
    };
    rows.sort_by(|a, b| {
        let states = b.state(listing.bar).cmp(&a.state(listing.bar));
        states.then(within(a).total_cmp(&within(b))).then_with(|| a.name.cmp(&b.name))
    });
    let mut html = String::new();
    for row in rows {
        add(&mut html, row, listing.bar);
    }
    let mut summary: String = listing.summary().lines().map(|line| format!("<p>{}</p>", escaped(line))).collect();
    if !note.text.is_empty() {
        let _ = write!(summary, "\n<pre>{}</pre>", escaped(note.text));
    }
    if let Some(picture) = note.picture {
        let _ = write!(
            summary,
            "\n<figure><a href=\"{0}\"><img src=\"{0}\" alt=\"one side, the other, and what differs\"></a></figure>",
            url(picture)
        );
    }
    let tolerance = listing.tolerance.to_string();
    TEMPLATE.replace("{{tolerance}}", &tolerance).replace("{{summary}}", &summary).replace("{{rows}}", &html)
}

/// Adds a row. What it can be sorted by is in its attributes.
fn add(html: &mut String, row: &Row, bar: f64) {
    let state = row.state(bar);
    let name = escaped(&row.name);
    let (numbers, has_picture, has_difference) = match &row.outcome {
        Outcome::Compared(comparison) => {
            let all = comparison.all;
            let mut cells = cells(&all);
            let _ = write!(cells, "<td>{}</td>", share(all.alpha, all.pixels));
            cells += &comparison.drawn.map_or_else(|| "<td></td>".repeat(3), |(_, counts)| self::cells(&counts));
            (cells, true, true)
        }
        Outcome::Unfit(why) => (format!("<td colspan=7>{}</td>", escaped(why)), true, false),
        Outcome::Missing => ("<td colspan=7>there is no picture</td>".into(), false, false),
    };
    let _ = write!(
        html,
        "<tbody class={0} data-state={0} data-rank={1}>\n<tr><td>{0}</td><th>{name}</th>{numbers}</tr>\n<tr><td colspan=9>",
        state.name(),
        state as u8,
    );
    for (kind, there) in [(GOLDEN, true), (PICTURE, has_picture), (DIFFERENCE, has_difference)] {
        if there {
            let place = format!("{kind}/{}.png", url(&row.name));
            let _ = write!(
                html,
                "<figure><a href=\"{place}\"><img loading=lazy src=\"{place}\" alt=\"{kind} of {name}\"></a><figcaption>{kind}</figcaption></figure>"
            );
        }
    }
    html.push_str("</td></tr>\n</tbody>\n");
}

/// Within the tolerance, exact, largest.
fn cells(counts: &Counts) -> String {
    let Counts { pixels, within, exact, largest, .. } = *counts;
    format!("<td>{}</td><td>{}</td><td>{largest}</td>", share(within, pixels), share(exact, pixels))
}

/// Text as it stands in HTML, in attributes too.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A place as it stands in a link.
fn url(place: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    place.bytes().fold(String::new(), |mut url, byte| {
        if plain(byte) {
            url.push(char::from(byte));
        } else {
            let _ = write!(url, "%{byte:02X}");
        }
        url
    })
}

#[cfg(test)]
mod tests {
    use super::{Note, page, url};
    use crate::diff::table::Listing;
    use crate::diff::{Outcome, Row};

    #[test]
    fn the_worst_come_first_and_names_are_escaped() {
        let rows = [
            Row { name: "A/<b>&#".into(), outcome: Outcome::Unfit("\"why\"".into()) },
            Row { name: "B/gone".into(), outcome: Outcome::Missing },
        ];
        let html = page(&Listing { rows: &rows, bar: 99.9, tolerance: 3, extra: 0 }, &Note::default());
        let (gone, unfit) = (html.find("B/gone").expect("a row"), html.find("A/&lt;b&gt;&amp;#").expect("a row"));
        assert!(gone < unfit);
        assert!(html.contains("golden/A/%3Cb%3E%26%23.png") && html.contains("&quot;why&quot;"));
        assert!(!html.contains("{{") && !html.contains("://"), "nothing is left open or fetched");
        assert_eq!(html.matches("<img").count(), 3, "a missing picture is not shown");
    }

    #[test]
    fn links_lead_to_any_name() {
        assert_eq!(url("Texture_format/TexFmt_ä 50%.x"), "Texture_format/TexFmt_%C3%A4%2050%25.x");
    }
}
