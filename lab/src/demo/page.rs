//! The demo's page: one folder that a browser opens from a file.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use xtask::step::{Context, Result};

use crate::feedback::Particles;
use crate::gnm::scenes::Scenes;
use crate::matrix::{End, PROGRAMS, Row, Way};
use crate::programs;
use crate::report::{HEADINGS, STYLE, columns, escape, link};
use crate::shaders::Shaders;

/// A part of the page.
pub(super) struct Section {
    /// Where links lead.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What it is, in a sentence or two; HTML.
    pub(super) what: String,
    pub(super) html: String,
    /// How its runs ended.
    pub(super) ends: Vec<End>,
    /// What the terminal says about it.
    pub(super) lines: Vec<String>,
}

/// A picture with what it shows.
pub(super) struct Figure {
    pub(super) picture: PathBuf,
    pub(super) title: String,
    /// HTML behind the title.
    pub(super) caption: String,
    /// What a click opens, if it is not the picture.
    pub(super) opens: Option<PathBuf>,
}

impl Figure {
    pub(super) fn new(picture: impl Into<PathBuf>, title: impl Into<String>, caption: impl Into<String>) -> Self {
        Self { picture: picture.into(), title: title.into(), caption: caption.into(), opens: None }
    }

    pub(super) fn html(&self, out: &Path) -> String {
        let picture = link(&self.picture, out);
        let opens = self.opens.as_ref().map_or_else(|| picture.clone(), |file| link(file, out));
        format!(
            "<figure><a href=\"{opens}\"><img src=\"{picture}\" alt=\"{0}\" loading=\"lazy\"></a><figcaption><b>{0}</b> \
             {1}</figcaption></figure>\n",
            escape(&self.title),
            self.caption
        )
    }
}

/// Figures beside each other.
pub(super) fn figures(class: &str, figures: &[Figure], out: &Path) -> String {
    let all: String = figures.iter().map(|figure| figure.html(out)).collect();
    format!("<div class=\"{class}\">\n{all}</div>\n")
}

/// Texts beside each other, each under its title (HTML).
pub(crate) fn texts(texts: &[(String, String)]) -> String {
    let mut html = String::from("<div class=\"steps\">\n");
    for (title, text) in texts {
        let _ = writeln!(
            html,
            "<figure><figcaption>{title} <span>{} lines</span></figcaption><pre tabindex=\"0\">{}</pre></figure>",
            text.lines().count(),
            escape(text.trim_end())
        );
    }
    html.push_str("</div>\n");
    html
}

/// How it ended, in a word.
pub(super) fn mark(end: &End, good: &str) -> String {
    match end {
        End::Good => format!("<span class=\"ok\">{}</span>", escape(good)),
        End::Skipped(why) => format!("<span class=\"skipped\">skipped: {}</span>", escape(why)),
        End::Bad(why) => format!("<span class=\"failed\">{}</span>", escape(why)),
    }
}

/// What a way to run a program is, in words.
fn way(way: Way) -> String {
    match way {
        Way::Native => "native, in one process".to_owned(),
        Way::Dll(width) => format!("{}-bit Windows program, drawn by the viewer", width.bits()),
        Way::Replay => "replayed from a capture".to_owned(),
        Way::Metal => "replayed by the renderer on Metal, on a software Metal".to_owned(),
        Way::HeldTo(driver) => format!("replayed on a device that is held to what {} offers", driver.name()),
    }
}

/// The sample programs: a picture of each way and frames of one, then a table of the runs.
pub(super) fn samples(rows: &[Row], out: &Path) -> Section {
    let mut html = String::new();
    for program in PROGRAMS {
        let shown: Vec<&Row> =
            rows.iter().filter(|row| row.program == program.name && row.poster().is_some()).collect();
        if !shown.is_empty() {
            let _ = writeln!(html, "<h3>{}</h3>\n<p class=\"sub\">{}</p>", program.name, escape(program.what));
            html.push_str(&sample(&shown, program.name, out));
        }
    }
    html.push_str(&table(rows, out));
    Section {
        id: "samples",
        title: "Sample programs",
        what: "Direct3D 9 programs: natively in one process, as Windows programs through <code>d3d9.dll</code> and shared memory, and \
               replayed from a capture; a program of the Xbox, whose push buffers an NV2A in software runs; and one of the PlayStation \
               4, whose command buffers and GCN code are in its memory. The pictures of a program must be the same to the last pixel."
            .to_owned(),
        html,
        ends: rows.iter().map(|row| row.end.clone()).collect(),
        lines: Vec::new(),
    }
}

/// A picture of each of a program's runs, and all of one.
fn sample(shown: &[&Row], name: &str, out: &Path) -> String {
    let posters = shown.iter().filter_map(|row| {
        let stem = row.poster()?.file_stem()?.to_string_lossy().into_owned();
        let frame = stem.trim_start_matches("frame-").trim_start_matches('0').to_owned();
        Some(Figure::new(row.poster()?, way(row.way), format!("frame {frame}")))
    });
    let mut html = figures("grid", &posters.collect::<Vec<_>>(), out);
    html.push_str("<div class=\"strip\">");
    for path in shown.iter().max_by_key(|row| row.pictures.len()).iter().flat_map(|row| &row.pictures) {
        let (link, frame) = (link(path, out), path.file_stem().unwrap_or_default().to_string_lossy());
        let _ = write!(html, "<a href=\"{link}\"><img src=\"{link}\" alt=\"{name}, {frame}\" loading=\"lazy\"></a>");
    }
    html.push_str("</div>\n");
    html
}

/// The runs, one a line.
fn table(rows: &[Row], out: &Path) -> String {
    let mut html = String::from("<h3>The runs</h3>\n<div class=\"wide\"><table><tr>");
    for heading in &HEADINGS[..7] {
        let _ = write!(html, "<th>{heading}</th>");
    }
    html.push_str("</tr>\n");
    for row in rows {
        let cells = columns(row, out);
        let (class, why) = match &row.end {
            End::Good => ("ok", ""),
            End::Skipped(why) => ("skipped", why.as_str()),
            End::Bad(why) => ("failed", why.as_str()),
        };
        html.push_str("<tr>");
        for (index, cell) in cells[..6].iter().enumerate() {
            let _ = write!(html, "<td{}>{}</td>", if index > 2 { " class=\"n\"" } else { "" }, escape(cell));
        }
        let separator = if why.is_empty() { "" } else { ": " };
        let _ = writeln!(html, "<td class=\"{class}\">{}{separator}{}</td></tr>", cells[6], escape(why));
    }
    html.push_str("</table></div>\n");
    html
}

/// Engines beside WineD3D, if they were run.
pub(super) fn engines(rows: &[programs::Row], out: &Path) -> Option<Section> {
    (!rows.is_empty()).then(|| Section {
        id: "engines",
        title: "Engines of others",
        what: "Engines as their packages are, through WineD3D and through us, and what differs.".to_owned(),
        html: programs::section(rows, out),
        ends: rows.iter().map(|row| row.end.clone()).collect(),
        lines: Vec::new(),
    })
}

/// Scenes of the PlayStation 4.
pub(super) fn scenes(scenes: &Scenes, out: &Path) -> Section {
    let shown = scenes.scenes.iter().map(|scene| {
        Figure::new(&scene.pictures[0], scene.name.replace('_', " "), mark(&scene.end, "the same from both"))
    });
    let mut html = figures("grid small", &shown.collect::<Vec<_>>(), out);
    let (picture, end) = &scenes.in_c;
    html.push_str("<h3>From C</h3>\n<p>What an emulator does: <code>crates/gnm-c/examples/triangle.c</code>, less than a hundred lines.</p>\n");
    let caption = mark(end, "compiled by cc here");
    let drawn = Figure::new(picture, "triangle.c", caption);
    html.push_str(&figures("grid small", &[drawn], out));
    html.push_str("<h3>A command buffer, read</h3>\n");
    html.push_str(&texts(&scenes.texts()));
    Section {
        id: "gnm",
        title: "PlayStation 4: GNM",
        what: "Scenes of calls, shaders and descriptors become command buffers in memory, in two encodings: the hardware's packets, \
               and private ones that carry the calls. <code>afterimage replay</code> runs the recordings and shows the buffers that \
               they flip to; both must give the same pixels."
            .to_owned(),
        html,
        ends: scenes.scenes.iter().map(|scene| &scene.end).chain([end]).cloned().collect(),
        lines: vec![format!("{}; all on one: {}", scenes.summary(), scenes.sheet.display())],
    }
}

/// Transform feedback.
pub(super) fn particles(particles: &Particles, out: &Path) -> Section {
    let name = |picture: &PathBuf| picture.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let shown = particles.pictures.iter().map(|picture| {
        let how =
            if name(picture) == "native" { "by the device's own extension" } else { "by a compute shader of ours" };
        Figure::new(picture, "captured", how)
    });
    let mut html = figures("grid", &shown.collect::<Vec<_>>(), out);
    html.push_str("<h3>A program's own shader, made to store what it outputs</h3>\n");
    html.push_str(&texts(&particles.texts));
    Section {
        id: "feedback",
        title: "Transform feedback",
        what: format!(
            "A vertex shader moves 60,000 particles and captures them, 90 times, each time out of what it captured before; then as \
             many as were captured are drawn. With the device's own <code>VK_EXT_transform_feedback</code>, and lowered to stores: {}.",
            mark(&particles.end, "the same pixels")
        ),
        html,
        ends: vec![particles.end.clone()],
        lines: vec![particles.summary()],
    }
}

/// Shaders in every language.
pub(super) fn shaders(shaders: &Shaders) -> Section {
    Section {
        id: "shaders",
        title: "Shaders",
        what: "Shaders become an IR of our own, and that becomes SPIR-V, which draws the pictures above, and Metal's language. \
               <code>afterimage shader translate FILE --to ir</code> shows the same. The Xbox's microcode and combiners, and the \
               PlayStation 4's GCN code, are with <a href=\"#captures\">their captures</a>."
            .to_owned(),
        html: shaders.html(),
        ends: Vec::new(),
        lines: shaders.counts().iter().map(|count| format!("shaders: {count}")).collect(),
    }
}

/// What the demo's page has beside what all of ours have.
const MORE_STYLE: &str = "\
nav{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;font-size:14px;padding:.6rem 0;background:var(--bg);\
border-bottom:1px solid var(--line)}nav a,p a,figcaption a{color:var(--link)}nav a{text-decoration:none}nav a:hover{text-decoration:underline}\
:root{--link:#8ab4ff}@media(prefers-color-scheme:light){:root{--link:#1a56b8}}\
section{scroll-margin-top:3.5rem}a:focus-visible,pre:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}\
.wide{overflow-x:auto}.small{grid-template-columns:repeat(auto-fill,minmax(128px,1fr))}.small img{image-rendering:pixelated;background:#000}\
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem;margin:1rem 0}\
.three{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr));gap:1rem;margin:1rem 0}\
.grid{grid-template-columns:repeat(auto-fill,minmax(min(230px,100%),1fr))}.grid+.grid{margin-top:1rem}.small.grid{grid-template-columns:repeat(auto-fill,minmax(140px,1fr))}\
.steps{grid-template-columns:repeat(auto-fit,minmax(min(25rem,100%),1fr))}.steps figure{min-width:0}\
.steps figcaption span{float:right}details{margin:1rem 0}summary{cursor:pointer;color:var(--link)}summary+*{margin-top:.75rem}\
#coming{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.6rem .9rem}code{overflow-wrap:anywhere}\
@media(max-width:40rem){main{padding:1rem .75rem}h1{font-size:1.6rem}td,th{padding:.3rem .4rem}}";

/// Seconds between two looks of a browser at a page that grows.
const RELOAD: u32 = 5;

/// Writes `index.html` into `out`: sections, what the machine lacks, and the steps to come with the seconds that they take. Where the
/// page is.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write<'a>(
    sections: impl Iterator<Item = &'a Section>,
    notes: &[String],
    to_come: &[(&str, u32)],
    out: &Path,
) -> Result<PathBuf> {
    let (page, sections) = (out.join("index.html"), sections.collect::<Vec<_>>());
    std::fs::write(&page, html(&sections, notes, to_come)).doing("writing index.html")?;
    Ok(page)
}

/// The steps to come, the first of which is being done, and the time left.
fn coming(to_come: &[(&str, u32)]) -> String {
    let Some(((now, _), later)) = to_come.split_first() else { return String::new() };
    let seconds: u32 = to_come.iter().map(|(_, seconds)| seconds).sum();
    let left = if seconds < 90 { format!("{seconds} seconds") } else { format!("{} minutes", seconds.div_ceil(60)) };
    let later: String = later.iter().map(|(what, _)| format!(", then {}", escape(what))).collect();
    format!(
        "<p id=\"coming\"><b>Now: {}</b>{later}. About {left} are left; this page reloads itself.</p>\n",
        escape(now)
    )
}

fn html(sections: &[&Section], notes: &[String], to_come: &[(&str, u32)]) -> String {
    let bad = sections.iter().flat_map(|section| &section.ends).filter(|end| matches!(end, End::Bad(_))).count();
    let all = sections.iter().map(|section| section.ends.len()).sum::<usize>();
    let result = match (bad, to_come) {
        (0, []) => format!("<span class=\"ok\">All {all} runs went well.</span>"),
        (0, _) => format!("<span class=\"ok\">All {all} runs so far went well.</span>"),
        _ => format!("<span class=\"failed\">{bad} of {all} runs went wrong.</span>"),
    };
    let reload = match to_come {
        [] => String::new(),
        _ => format!("<meta http-equiv=\"refresh\" content=\"{RELOAD}\">"),
    };
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">{reload}<title>Afterimage: demo</title><style>{STYLE}{MORE_STYLE}</style>\
         </head><body><main>\n<h1>Afterimage</h1>\n<p class=\"sub\">Commands and shaders of three dead graphics systems, drawn by \
         Vulkan: Direct3D 9, the first Xbox's NV2A, and the PlayStation 4's GNM. Every picture here was made by <code>cargo xtask \
         demo</code>, from material of our own. {result}</p>\n{}<nav>",
        coming(to_come)
    );
    for section in sections {
        let _ = write!(html, "<a href=\"#{}\">{}</a>", section.id, section.title);
    }
    html.push_str("</nav>\n");
    for section in sections {
        let _ = write!(
            html,
            "<section id=\"{}\"><h2>{}</h2>\n<p class=\"sub\">{}</p>\n{}</section>\n",
            section.id, section.title, section.what, section.html
        );
    }
    if !notes.is_empty() {
        html.push_str("<section id=\"notes\"><h2>What this machine lacks</h2>\n<ul>\n");
        for note in notes {
            let _ = writeln!(html, "<li>{}</li>", escape(note));
        }
        html.push_str("</ul></section>\n");
    }
    html.push_str("</main></body></html>\n");
    html
}

#[cfg(test)]
mod tests {
    use super::{Figure, Section, figures, html, samples, texts};
    use crate::demo::browser;
    use crate::matrix::{End, PROGRAMS, Row, Stats, Way};
    use std::path::Path;
    use xtask::build::Width;

    #[test]
    fn a_page_counts_what_went_wrong_and_keeps_text_as_text() {
        let section = Section {
            id: "one",
            title: "One",
            what: "What it is.".to_owned(),
            html: texts(&[("<b>words</b>".to_owned(), "if (a < b) {\n}\n".to_owned())]),
            ends: vec![End::Good, End::Bad("why".to_owned())],
            lines: Vec::new(),
        };
        let page = html(&[&section], &["Wine: not installed".to_owned()], &[]);
        assert!(page.contains("1 of 2 runs went wrong"));
        assert!(page.contains("<a href=\"#one\">One</a>") && page.contains("<section id=\"one\">"));
        assert!(page.contains("<b>words</b> <span>2 lines</span>") && page.contains("if (a &lt; b) {\n}</pre>"));
        assert!(page.contains("<li>Wine: not installed</li>"));
        assert!(html(&[], &[], &[]).contains("All 0 runs went well"));
    }

    #[test]
    fn a_page_that_grows_says_what_comes_and_reloads_itself() {
        let page = html(&[], &[], &[("building <it>", 100), ("drawing", 21)]);
        assert!(page.contains("<b>Now: building &lt;it&gt;</b>, then drawing. About 3 minutes are left"));
        assert!(page.contains("http-equiv=\"refresh\""));
        let done = html(&[], &[], &[]);
        assert!(!done.contains("refresh") && !done.contains("id=\"coming\""));
        assert!(html(&[], &[], &[("drawing", 21)]).contains("About 21 seconds are left"));
    }

    /// Rows of every kind and with long words, as a page may have.
    fn rows() -> Vec<Row> {
        let ends = [End::Good, End::Skipped("no Wine, 32 bit: not installed".into()), End::Bad("w".repeat(90))];
        let ways = [Way::Native, Way::Dll(Width::W64), Way::Replay];
        let of = |program: &'static str| {
            ways.into_iter().zip(ends.clone()).map(move |(way, end)| {
                let pictures = (0..9).map(|n| format!("/out/samples/{program}/frame-00003{n}.png").into()).collect();
                Row { program, way, end, stats: Stats::default(), pictures }
            })
        };
        PROGRAMS.iter().flat_map(|program| of(program.name)).collect()
    }

    #[test]
    fn pictures_come_before_the_table_of_runs() {
        let section = samples(&rows(), Path::new("/out"));
        let (picture, table) = (section.html.find("<img").unwrap(), section.html.find("<table").unwrap());
        assert!(picture < table);
    }

    /// Nobody scrolls sideways through it on a telephone: asked of a browser, where there is one.
    #[test]
    fn a_page_fits_into_390_pixels() {
        let figure = |n: u32| Figure::new(format!("/out/{n}.png"), "a title of some words", "a <code>caption</code>");
        let wide = Section {
            id: "wide",
            title: "Wide",
            what: format!("<code>{}</code>", "a long line of a command ".repeat(6)),
            html: figures("grid small", &[figure(1), figure(2), figure(3)], Path::new("/out"))
                + &texts(&[(format!("<b>text</b> <code>{}</code>", "word ".repeat(30)), "0123456789 ".repeat(40))]),
            ends: Vec::new(),
            lines: Vec::new(),
        };
        let samples = samples(&rows(), Path::new("/out"));
        let page = html(&[&samples, &wide], &["Wine: not installed".to_owned()], &[("building", 3)]);
        match browser::widths(&page.replace("http-equiv=\"refresh\"", ""), 390).expect("the browser works") {
            Ok((shown, scrolled)) => assert!(shown == 390 && scrolled <= shown, "{scrolled} of {shown} pixels"),
            Err(why) => println!("skipped: {why}"),
        }
    }
}
