//! What was found, as a table and as JSON.

use super::compare::Counts;
use super::{Outcome, Row, State};
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::io::Write;

/// Everything that was found.
pub(super) struct Listing<'a> {
    pub(super) rows: &'a [Row],
    /// Percent of pixels that have to be within the tolerance.
    pub(super) bar: f64,
    pub(super) tolerance: u8,
    /// Pictures without a golden one.
    pub(super) extra: usize,
}

/// How many pictures, or the boxes of how many, reach what.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    bar: usize,
    ninety_nine: usize,
    exact: usize,
}

/// A share in percent, two digits behind the point, rounded down: only what is whole is 100 %.
pub(super) fn share(part: u64, whole: u64) -> String {
    let hundredths = if whole == 0 { 10_000 } else { u128::from(part) * 10_000 / u128::from(whole) };
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

impl Listing<'_> {
    /// The pictures that match, from the whole or from what is drawn. Where nothing is drawn, all of nothing matches.
    fn tally(&self, counts: impl Fn(&Outcome) -> Option<Counts>) -> Tally {
        let mut tally = Tally::default();
        for counts in self.rows.iter().filter_map(|row| counts(&row.outcome)) {
            tally.bar += usize::from(counts.reaches(self.bar));
            tally.ninety_nine += usize::from(counts.reaches(99.0));
            tally.exact += usize::from(counts.is_exact());
        }
        tally
    }

    fn whole(&self) -> Tally {
        self.tally(|outcome| match outcome {
            Outcome::Compared(comparison) => Some(comparison.all),
            _ => None,
        })
    }

    fn boxes(&self) -> Tally {
        self.tally(|outcome| match outcome {
            Outcome::Compared(comparison) => Some(comparison.drawn.map_or(Counts::default(), |(_, counts)| counts)),
            _ => None,
        })
    }

    fn of_state(&self, state: State) -> usize {
        self.rows.iter().filter(|row| row.state(self.bar) == state).count()
    }

    /// The last lines of the table.
    pub(super) fn summary(&self) -> String {
        let line = |title: &str, tally: Tally| {
            let Tally { bar, ninety_nine, exact } = tally;
            format!(
                "{title}{bar} of {} match at {} %, {ninety_nine} at 99 %, {exact} exact\n",
                self.rows.len(),
                self.bar
            )
        };
        let mut text = line("", self.whole()) + &line("in boxes: ", self.boxes());
        for (count, what) in [
            (self.of_state(State::Missing), "missing"),
            (self.of_state(State::Unfit), "cannot be compared"),
            (self.extra, "without a golden picture"),
        ] {
            if count > 0 {
                text += &format!("{count} {what}\n");
            }
        }
        text
    }

    /// Prints the table, in colour on a terminal unless `NO_COLOR` is set.
    pub(super) fn print(&self, only_misses: bool) {
        let mut out = anstream::stdout().lock();
        let rows = self.rows.iter().filter(|row| !only_misses || !row.state(self.bar).matches());
        let written = self.lines(rows, &mut out).and_then(|()| out.flush());
        crate::outputs::said(written);
    }

    fn lines<'r>(&self, rows: impl Iterator<Item = &'r Row>, out: &mut impl Write) -> std::io::Result<()> {
        let rows: Vec<_> = rows.collect();
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        let bold = Style::new().bold();
        if !rows.is_empty() {
            let title = format!("{:<8} {:<width$}", "state", "name");
            let tolerance = format!("<= {}", self.tolerance);
            let columns = ["pixels", &tolerance, "exact", "largest", "alpha", "box", &tolerance, "exact", "largest"];
            writeln!(out, "{bold}{title}{}{bold:#}", columns.map(|column| format!(" {column:>8}")).concat())?;
        }
        for row in rows {
            let state = row.state(self.bar);
            let color = color(state);
            let what = match &row.outcome {
                Outcome::Compared(comparison) => {
                    let all = comparison.all;
                    let drawn = comparison.drawn.map_or(String::new(), |(_, counts)| columns(counts));
                    format!("{} {:>8}{drawn}", columns(all), share(all.alpha, all.pixels))
                }
                Outcome::Missing => String::new(),
                Outcome::Unfit(why) => format!("  {why}"),
            };
            let line = format!("{:<width$}{what}", row.name);
            writeln!(out, "{color}{:<8}{color:#} {}", state.name(), line.trim_end())?;
        }
        write!(out, "{bold}{}{bold:#}", self.summary())
    }

    /// Everything, for machines.
    pub(super) fn value(&self) -> Value {
        let counts = |counts: Counts| {
            json!({
                "pixels": counts.pixels,
                "within": counts.within,
                "exact": counts.exact,
                "alpha": counts.alpha,
                "largest": counts.largest,
            })
        };
        let row = |row: &Row| {
            let mut value = json!({ "name": row.name, "state": row.state(self.bar).name() });
            match &row.outcome {
                Outcome::Compared(comparison) => {
                    value["size"] = json!([comparison.width, comparison.height]);
                    value["all"] = counts(comparison.all);
                    value["box"] = comparison.drawn.map_or(Value::Null, |(area, of_box)| {
                        let mut value = counts(of_box);
                        value["area"] = json!([area.x, area.y, area.width, area.height]);
                        value
                    });
                }
                Outcome::Unfit(why) => value["error"] = json!(why),
                Outcome::Missing => {}
            }
            value
        };
        let tally = |tally: Tally| json!({ "bar": tally.bar, "99": tally.ninety_nine, "exact": tally.exact });
        json!({
            "tolerance": self.tolerance,
            "bar": self.bar,
            "goldens": self.rows.len(),
            "match": tally(self.whole()),
            "match_in_boxes": tally(self.boxes()),
            "missing": self.of_state(State::Missing),
            "unfit": self.of_state(State::Unfit),
            "extra": self.extra,
            "pictures": self.rows.iter().map(row).collect::<Vec<_>>(),
        })
    }
}

/// Pixels, within the tolerance, exact, largest.
fn columns(counts: Counts) -> String {
    let Counts { pixels, within, exact, largest, .. } = counts;
    format!(" {pixels:>8} {:>8} {:>8} {largest:>8}", share(within, pixels), share(exact, pixels))
}

const fn color(state: State) -> Style {
    match state {
        State::Exact | State::Match => AnsiColor::Green.on_default(),
        State::Near => AnsiColor::Yellow.on_default(),
        State::Differs | State::Unfit | State::Missing => AnsiColor::Red.on_default().bold(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Listing, share};
    use crate::diff::compare::{Area, Comparison, Counts};
    use crate::diff::{Outcome, Row};

    fn compared(within: u64, exact: u64, drawn: Option<u64>) -> Outcome {
        let counts = |pixels, within, exact| Counts { pixels, within, exact, alpha: pixels, largest: 9 };
        let area = Area { x: 1, y: 2, width: 10, height: 10 };
        let drawn = drawn.map(|within| (area, counts(100, within, within)));
        Outcome::Compared(Comparison { width: 100, height: 100, all: counts(10_000, within, exact), drawn })
    }

    fn rows() -> Vec<Row> {
        let row = |name: &str, outcome| Row { name: name.into(), outcome };
        vec![
            row("A/exact", compared(10_000, 10_000, None)),
            row("A/match", compared(9990, 9000, Some(100))),
            row("A/near", compared(9989, 9000, Some(95))),
            row("B/differs", compared(9899, 0, Some(0))),
            row("B/missing", Outcome::Missing),
            row("B/unfit", Outcome::Unfit("2 x 2 pixels instead of 100 x 100".into())),
        ]
    }

    #[test]
    fn only_all_is_a_hundred_percent() {
        assert_eq!(share(307_199, 307_200), "99.99");
        assert_eq!(share(307_200, 307_200), "100.00");
        assert_eq!(share(0, 0), "100.00");
        assert_eq!(share(1, 3), "33.33");
    }

    #[test]
    fn the_table_says_what_was_found() {
        let rows = rows();
        let listing = Listing { rows: &rows, bar: 99.9, tolerance: 3, extra: 2 };
        let mut out = Vec::new();
        listing.lines(rows.iter(), &mut anstream::StripStream::new(&mut out)).expect("memory");
        let text = String::from_utf8(out).expect("text");
        let expected = "\
state    name        pixels     <= 3    exact  largest    alpha      box     <= 3    exact  largest
exact    A/exact      10000   100.00   100.00        9   100.00
match    A/match      10000    99.90    90.00        9   100.00      100   100.00   100.00        9
near     A/near       10000    99.89    90.00        9   100.00      100    95.00    95.00        9
differs  B/differs    10000    98.99     0.00        9   100.00      100     0.00     0.00        9
missing  B/missing
unfit    B/unfit    2 x 2 pixels instead of 100 x 100
2 of 6 match at 99.9 %, 3 at 99 %, 1 exact
in boxes: 2 of 6 match at 99.9 %, 2 at 99 %, 2 exact
1 missing
1 cannot be compared
2 without a golden picture
";
        assert_eq!(text, expected);
    }

    #[test]
    fn json_has_the_same() {
        let rows = rows();
        let listing = Listing { rows: &rows, bar: 99.9, tolerance: 3, extra: 0 };
        let value = listing.value();
        assert_eq!(value["match"], serde_json::json!({ "bar": 2, "99": 3, "exact": 1 }));
        assert_eq!(value["pictures"][1]["all"]["within"], 9990);
        assert_eq!(value["pictures"][1]["box"]["area"], serde_json::json!([1, 2, 10, 10]));
        assert_eq!(value["pictures"][0]["box"], serde_json::Value::Null);
        assert_eq!(value["pictures"][4]["state"], "missing");
        assert_eq!(value["pictures"][5]["error"], "2 x 2 pixels instead of 100 x 100");
    }
}
