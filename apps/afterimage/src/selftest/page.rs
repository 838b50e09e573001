//! The page: one HTML file without scripts that run, which needs nothing else. What it says is in it as JSON, too.

use super::Run;
use super::compare::difference;
use super::judge::{Compared, Tested, Verdict};
use crate::diff::picture::Picture;
use crate::report::base64;
use afterimage_output::Channels;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

const TEMPLATE: &str = include_str!("page.html");

/// The page.
///
/// # Errors
/// A picture cannot be kept in the folder for what comes and goes.
pub(super) fn page(run: &Run, temporary: &Path) -> Result<String, String> {
    let mut body = String::new();
    summary(&mut body, run);
    machine(&mut body, run);
    figures(&mut body, run);
    compiled(&mut body, run);
    for tested in &run.tested {
        capture(&mut body, tested, temporary)?;
    }
    abilities(&mut body, run);
    let json = data(run).to_string().replace('<', "\\u003c");
    // Piece by piece: what is put in may have such words itself.
    let (before, rest) = TEMPLATE.split_once("{{body}}").unwrap_or_default();
    let (between, after) = rest.split_once("{{json}}").unwrap_or_default();
    Ok([before, &body, between, &json, after].concat())
}

/// All that the page says, for programs.
fn data(run: &Run) -> Value {
    let captures = run.tested.iter().map(|tested| {
        let mut value = json!(tested);
        value["verdict"] = json!(tested.verdict());
        value
    });
    let shaders = run.compiled.iter().map(|compiled| {
        let mut value = json!(compiled);
        value["verdict"] = json!(compiled.verdict());
        value
    });
    json!({
        "afterimage": env!("CARGO_PKG_VERSION"),
        "renderer": run.renderer,
        "device": run.device(),
        "verdict": run.verdict(),
        "trouble": run.trouble,
        "machine": run.machine,
        "material": { "made_by": run.made_by, "device": run.made_on },
        "captures": captures.collect::<Vec<_>>(),
        "shaders": shaders.collect::<Vec<_>>(),
    })
}

/// What is right and what is wrong, in words.
fn summary(out: &mut String, run: &Run) {
    let verdict = run.verdict().name();
    add(out, format_args!("<p><b class={verdict}>{}</b></p>\n", escaped(&run.words())));
    add(out, format_args!("<p>{}</p>\n", escaped(&run.drawn_with())));
    out.push_str(
        "<p>Right is what is drawn to the last bit as on the machine that the pictures are from; alike what differs as devices may, or has \
         warnings; wrong all else.</p>\n",
    );
    out.push_str("<table class=words>\n<thead><tr><th>what</th><th>is</th><th>in words</th></tr></thead>\n<tbody>\n");
    for trouble in &run.trouble {
        row(out, "device", Some(Verdict::Wrong), trouble);
    }
    for tested in &run.tested {
        row(out, &tested.name, Some(tested.verdict()), &tested.words());
    }
    for compiled in &run.compiled {
        row(out, &compiled.name, Some(compiled.verdict()), &compiled.words());
    }
    let (verdict, words) = run.shaders();
    row(out, "shaders", Some(verdict), &words);
    let (verdict, words) = run.validation();
    row(out, "validation", verdict, &words);
    out.push_str("</tbody>\n</table>\n");
}

fn row(out: &mut String, what: &str, verdict: Option<Verdict>, words: &str) {
    let name = verdict.map_or("–", Verdict::name);
    let (what, words) = (escaped(what), escaped(words));
    add(out, format_args!("<tr><th>{what}</th><td><b class={name}>{name}</b></td><td>{words}</td></tr>\n"));
}

fn machine(out: &mut String, run: &Run) {
    out.push_str("<h2>Machine</h2>\n<table class=facts>\n");
    let mut fact = |name: &str, value: &str| {
        add(out, format_args!("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value)));
    };
    let device = run.device();
    fact("device", device.unwrap_or("none drew anything"));
    let known = device.and_then(|name| run.machine.device(name));
    for name in ["driver", "Vulkan", "type", "device memory"] {
        if let Some(value) = known.and_then(|device| device.ability(name)) {
            fact(name, value);
        }
    }
    fact("renderer", run.renderer.name());
    run.machine.facts.iter().chain(&run.machine.settings).for_each(|(name, value)| fact(name, value));
    fact("pictures of", &format!("{}, {}", run.made_on, run.made_by));
    out.push_str("</table>\n");
}

fn figures(out: &mut String, run: &Run) {
    let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    out.push_str(
        "<h2>Times</h2>\n<p>Milliseconds of the first frame, for which shaders and pipelines are made, and the median of later ones; \
         microseconds a draw of the fastest of these. Of the CPU, and of the GPU where it tells.</p>\n<div class=wide><table>\n<thead><tr><th>capture</th>",
    );
    let columns = [
        "draws a frame",
        "shaders",
        "pipelines",
        "first, CPU",
        "first, GPU",
        "later, CPU",
        "later, GPU",
        "draw, CPU",
        "draw, GPU",
        "frames",
    ];
    columns.iter().for_each(|name| add(out, format_args!("<th>{name}</th>")));
    out.push_str("</tr></thead>\n<tbody>\n");
    for tested in &run.tested {
        let Some(counted) = &tested.counted else { continue };
        let draws = counted.draws.checked_div(counted.frames).unwrap_or(0);
        let (shaders, pipelines) = (counted.shaders, counted.pipelines);
        add(
            out,
            format_args!(
                "<tr><th>{}</th><td>{draws}</td><td>{shaders}</td><td>{pipelines}</td>",
                escaped(&tested.name)
            ),
        );
        if let Some(times) = &tested.times {
            let all = [times.first_ms, times.later_ms, times.draw_us];
            all.as_flattened().iter().for_each(|value| add(out, format_args!("<td>{}</td>", number(*value))));
            add(out, format_args!("<td>{}</td>", times.frames));
        } else {
            out.push_str("<td colspan=7>not measured</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}

/// Shaders of our corpora: how long they take, and which cannot be made.
fn compiled(out: &mut String, run: &Run) {
    if run.compiled.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Shaders of our corpora</h2>\n<p>Each was translated and compiled, and a pipeline made of it; none was run. Milliseconds on the \
         CPU.</p>\n<div class=wide><table>\n<thead><tr><th>corpus</th><th>made</th><th>refused by us</th><th>failed</th><th>all</th>\
         <th>median</th><th>longest</th></tr></thead>\n<tbody>\n",
    );
    for corpus in &run.compiled {
        let (made, refused, failed) = (corpus.made, corpus.refused.len(), corpus.failed.len());
        let [all, median, longest] = corpus.ms.map(|ms| format!("{ms:.1}"));
        add(
            out,
            format_args!(
                "<tr><th>{}</th><td>{made}</td><td>{refused}</td><td>{failed}</td><td>{all}</td><td>{median}</td><td>{longest}</td></tr>\n",
                escaped(&corpus.name)
            ),
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    for corpus in &run.compiled {
        let name = escaped(&corpus.name);
        corpus.wrong.iter().for_each(|line| add(out, format_args!("<p class=wrong>{name}: {}</p>\n", escaped(line))));
        for (title, class, list) in [("failed", "wrong", &corpus.failed), ("refused by us", "alike", &corpus.refused)] {
            if list.is_empty() {
                continue;
            }
            let open = if class == "wrong" { " open" } else { "" };
            let count = list.len();
            add(out, format_args!("<details{open}><summary class={class}>{name}, {title}: {count}</summary><pre>"));
            for (shader, why) in list {
                add(out, format_args!("{}: {}\n", escaped(shader), escaped(why)));
            }
            out.push_str("</pre></details>\n");
        }
        lines(out, &format!("What the driver said of {}", corpus.name), &corpus.driver);
    }
}

fn capture(out: &mut String, tested: &Tested, temporary: &Path) -> Result<(), String> {
    let name = escaped(&tested.name);
    let verdict = tested.verdict().name();
    add(out, format_args!("<h2>{name} ({}): <span class={verdict}>{verdict}</span></h2>\n", escaped(&tested.guest)));
    let said = tested.wrong.iter().map(|line| (line, "wrong")).chain(tested.notes.iter().map(|line| (line, "alike")));
    said.for_each(|(line, class)| add(out, format_args!("<p class={class}>{}</p>\n", escaped(line))));
    out.push_str("<div class=pictures>\n");
    for compared in &tested.pictures {
        pictures(out, &tested.name, compared, temporary)?;
    }
    out.push_str("</div>\n");
    lines(out, "Log", &tested.log);
    lines(out, "What the driver said", &tested.driver);
    Ok(())
}

/// A picture that is the stored one is shown once.
fn pictures(out: &mut String, name: &str, compared: &Compared, temporary: &Path) -> Result<(), String> {
    let frame = compared.frame;
    let exact = compared.counts.is_some_and(|counts| counts.is_exact());
    let differs = match (&compared.stored, &compared.drawn) {
        (Some(stored), Some(drawn)) if compared.counts.is_some() && !exact => Some(difference(stored, drawn)),
        _ => None,
    };
    let stored = compared.stored.as_ref().filter(|_| !exact);
    let drawn = if exact { "drawn, as stored" } else { "drawn" };
    let rows = [(drawn, compared.drawn.as_ref()), ("stored", stored), ("what differs, 16 times", differs.as_ref())];
    for (what, picture) in rows {
        let Some(picture) = picture else { continue };
        let caption = format!("frame {frame}, {what}");
        add(out, format_args!("<figure><img alt=\"{}: {caption}\" src=\"", escaped(name)));
        embedded(out, picture, temporary)?;
        add(out, format_args!("\"><figcaption>{caption}</figcaption></figure>\n"));
    }
    Ok(())
}

/// The picture, without alpha, as an address that holds it.
fn embedded(out: &mut String, picture: &Picture, temporary: &Path) -> Result<(), String> {
    let path = temporary.join("embedded.png");
    let pixels: Vec<u8> = picture.pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    let size = [picture.width, picture.height];
    let kept = afterimage_output::png(&path, size, Channels::Rgb, &pixels).and_then(|()| std::fs::read(&path));
    let bytes = kept.map_err(|error| format!("a picture for the page: {error}"))?;
    out.push_str("data:image/png;base64,");
    let mut letters = Vec::new();
    base64(&bytes, &mut letters);
    out.push_str(&String::from_utf8_lossy(&letters));
    Ok(())
}

fn lines(out: &mut String, title: &str, lines: &[(String, u64)]) {
    if lines.is_empty() {
        return;
    }
    add(out, format_args!("<details><summary>{title}: {} lines</summary><pre>", lines.len()));
    for (line, count) in lines {
        let times = if *count > 1 { format!(" ({count} times)") } else { String::new() };
        add(out, format_args!("{}{times}\n", escaped(line)));
    }
    out.push_str("</pre></details>\n");
}

/// What devices can do; that which drew first and open.
fn abilities(out: &mut String, run: &Run) {
    out.push_str("<h2>Abilities</h2>\n");
    let drew = |name: &str| run.device() == Some(name);
    let mut devices: Vec<_> = run.machine.devices.iter().collect();
    devices.sort_by_key(|device| !drew(&device.name));
    for device in devices {
        let open = if drew(&device.name) { " open" } else { "" };
        let (name, list) = (escaped(&device.name), escaped(&device.abilities));
        add(out, format_args!("<details{open}><summary>{name}</summary><pre>{list}</pre></details>\n"));
    }
    if run.machine.devices.is_empty() {
        out.push_str("<p class=wrong>No device was told of.</p>\n");
    }
    lines(out, "What drivers said when they were asked", &run.machine.said);
}

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A string takes all.
    let _written = out.write_fmt(text);
}

/// Text as it stands in HTML, in attributes too.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
