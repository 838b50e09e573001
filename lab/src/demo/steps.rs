//! The demo's steps, in the order in which there is most to see soonest, and how long they take.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use xtask::build::{self, Profile, Width};
use xtask::step::{Context, Result};

use super::{Args, Demo, Part, captures, metal, page, words};
use crate::feedback;
use crate::gnm::scenes;
use crate::matrix::{Kind, PROGRAMS, Runs, Way};
use crate::programs;
use crate::report;
use crate::shaders;
use crate::wine::Wine;
use crate::wine::place::{Place, Release};

/// Where the seconds of the last run are kept, in the demo's folder.
const TIMES: &str = "seconds.json";

/// What a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum For {
    /// Builds what all parts need.
    Everything,
    /// Builds what Windows programs need.
    Windows,
    /// Shows something of a part without Windows programs.
    Natively(Part),
    /// Shows something of a part with them.
    UnderWine(Part),
    /// Shows a part that takes long: with `--all`, or where it is named.
    All(Part),
}

/// A step.
pub(super) struct Step {
    /// What the page calls it.
    what: &'static str,
    of: For,
    /// Seconds on two cores with nothing built, until a run has measured it.
    seconds: u32,
    pub(super) run: fn(&mut Demo) -> Result,
}

/// All of them.
pub(super) const STEPS: &[Step] = &[
    Step { what: "building libd3d9.so", of: For::Everything, seconds: 300, run: Demo::build_first },
    Step { what: "Direct3D 9, natively", of: For::Natively(Part::Samples), seconds: 10, run: Demo::natively },
    Step { what: "building the programs", of: For::Everything, seconds: 150, run: Demo::build_programs },
    Step { what: "consoles and captures", of: For::Natively(Part::Samples), seconds: 15, run: Demo::consoles },
    Step { what: "scenes of the PlayStation 4", of: For::Natively(Part::Gnm), seconds: 40, run: Demo::scenes },
    Step { what: "shaders", of: For::Natively(Part::Shaders), seconds: 5, run: Demo::shaders },
    Step { what: "figures, devices, configuration", of: For::Natively(Part::Words), seconds: 10, run: Demo::words },
    Step { what: "a sample on Metal", of: For::Natively(Part::Metal), seconds: 15, run: Demo::metal },
    Step { what: "building d3d9.dll", of: For::Windows, seconds: 400, run: Demo::build_windows },
    Step { what: "Direct3D 9 under Wine", of: For::UnderWine(Part::Samples), seconds: 60, run: Demo::under_wine },
    Step { what: "captures", of: For::All(Part::Captures), seconds: 200, run: Demo::captures },
    Step { what: "transform feedback", of: For::All(Part::Feedback), seconds: 40, run: Demo::feedback },
    Step { what: "engines of others", of: For::All(Part::Engines), seconds: 200, run: Demo::engines },
];

impl Step {
    /// Whether more has to be installed for it than for the first pictures.
    pub(super) fn needs_all(&self) -> bool {
        match self.of {
            For::Everything | For::Natively(_) => false,
            For::Windows | For::UnderWine(_) | For::All(_) => true,
        }
    }

    /// Whether a run has this step.
    pub(super) fn is_wanted(&self, args: &Args) -> bool {
        let named = |part| args.parts.contains(&part);
        let windows = || args.parts.is_empty() || named(Part::Samples) || named(Part::Engines);
        match self.of {
            For::Everything => !args.no_build,
            For::Windows => !args.no_build && !args.native_only && windows(),
            For::Natively(part) => args.parts.is_empty() || named(part),
            For::UnderWine(part) => !args.native_only && (args.parts.is_empty() || named(part)),
            For::All(Part::Engines) if args.native_only => false,
            For::All(part) => args.all || named(part),
        }
    }
}

/// Samples of some kinds, and ways to run them.
type Which<'a> = (fn(Kind) -> bool, &'a [Way]);

/// Seconds that steps took in earlier runs.
#[derive(Default)]
pub(super) struct Times(BTreeMap<String, u32>);

impl Times {
    /// Those that are kept in the demo's folder.
    pub(super) fn read(out: &Path) -> Self {
        let text = std::fs::read_to_string(out.join(TIMES)).unwrap_or_default();
        // Without a run before there are none, and what cannot be read is measured anew.
        Self(serde_json::from_str(&text).unwrap_or_default())
    }

    pub(super) fn took(&mut self, step: &Step, time: Duration) {
        self.0.insert(step.what.to_owned(), time.as_secs_f32().ceil() as u32);
    }

    /// What steps are called, and how long they will take.
    pub(super) fn to_come(&self, steps: &[&Step]) -> Vec<(&'static str, u32)> {
        let seconds = |step: &Step| self.0.get(step.what).copied().unwrap_or(step.seconds);
        steps.iter().map(|step| (step.what, seconds(step))).collect()
    }

    pub(super) fn write(&self, out: &Path) -> Result {
        let text = serde_json::to_string_pretty(&self.0).doing("writing how long the demo took")?;
        std::fs::write(out.join(TIMES), text).doing(format!("writing {TIMES}"))
    }
}

impl Demo {
    /// Of a release nothing is there before everything is.
    fn build_first(&mut self) -> Result {
        self.tree = match self.profile {
            Profile::Dev => build::first(&self.ws)?,
            Profile::Release => build::native(&self.ws, self.profile)?,
        };
        Ok(())
    }

    fn build_programs(&mut self) -> Result {
        if self.profile == Profile::Dev {
            self.tree = build::native(&self.ws, self.profile)?;
        }
        Ok(())
    }

    fn build_windows(&mut self) -> Result {
        build::windows(&self.ws, &self.machine, &mut self.tree, self.profile);
        Ok(())
    }

    fn natively(&mut self) -> Result {
        self.samples(&[(|kind| kind == Kind::Direct3d9, &[Way::Native])])
    }

    fn consoles(&mut self) -> Result {
        self.samples(&[
            (|kind| kind == Kind::Console, &[Way::Native, Way::Replay]),
            (|kind| kind == Kind::Direct3d9, &[Way::Replay]),
        ])
    }

    fn under_wine(&mut self) -> Result {
        self.samples(&[
            (|kind| kind == Kind::Direct3d9, &[Way::Dll(Width::W64), Way::Dll(Width::W32)]),
            (|kind| matches!(kind, Kind::WindowsOnly(_)), &Way::ALL),
        ])?;
        let rows = self.runs()?.rows();
        report::print(&rows, &self.ws.root);
        Ok(())
    }

    /// The runs of samples so far.
    fn runs(&mut self) -> Result<&mut Runs> {
        let runs = self.runs.take();
        let runs = runs.map_or_else(|| Runs::new(&self.out.join("samples"), self.args.validate), Ok)?;
        Ok(self.runs.insert(runs))
    }

    /// Runs samples of some kinds in some ways, and shows them with those before.
    fn samples(&mut self, which: &[Which<'_>]) -> Result {
        let (ws, tree) = (self.ws.clone(), self.tree.clone());
        let wine = Wine::start(&ws, &self.machine, &tree)?;
        let runs = self.runs()?;
        for (is_meant, ways) in which {
            for program in PROGRAMS.iter().filter(|program| is_meant(program.kind)) {
                runs.add(&ws, &tree, &wine, program, ways);
            }
        }
        let rows = runs.rows();
        report::write(&rows, &self.out.join("results.json"), &self.out)?;
        let section = page::samples(&rows, &self.out);
        self.put(Part::Samples, section);
        Ok(())
    }

    fn scenes(&mut self) -> Result {
        let scenes = scenes::draw(&self.ws, &self.tree, self.profile, &self.out.join("gnm"))?;
        let section = page::scenes(&scenes, &self.out);
        self.put(Part::Gnm, section);
        Ok(())
    }

    fn shaders(&mut self) -> Result {
        let section = page::shaders(&shaders::translate(&self.ws, &self.tree)?);
        self.put(Part::Shaders, section);
        Ok(())
    }

    fn words(&mut self) -> Result {
        let section = words::section(&self.ws, &self.tree, &self.out)?;
        self.put(Part::Words, section);
        Ok(())
    }

    fn metal(&mut self) -> Result {
        let section = metal::section(&self.ws, &self.tree, &self.out)?;
        self.put(Part::Metal, section);
        Ok(())
    }

    fn captures(&mut self) -> Result {
        let section = captures::section(&self.ws, &self.tree, &self.out, self.args.validate)?;
        self.put(Part::Captures, section);
        Ok(())
    }

    fn feedback(&mut self) -> Result {
        let particles = feedback::particles(&self.ws, &self.tree, self.profile, &self.out.join("xfb"))?;
        let section = page::particles(&particles, &self.out);
        self.put(Part::Feedback, section);
        Ok(())
    }

    /// Engines from a package registry, 64 bit, beside WineD3D.
    fn engines(&mut self) -> Result {
        if let Some(why) = self.machine.no_windows() {
            println!("skipped: engines from a package registry: {why}");
            return Ok(());
        }
        let place = Place::prepare(&self.ws, Release::Host)?;
        let rows = programs::run(&self.ws, &self.tree, &place, &[Width::W64], &[], &self.out.join("programs"))?;
        programs::print(&rows);
        if let Some(section) = page::engines(&rows, &self.out) {
            self.put(Part::Engines, section);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, Part, STEPS, Times};
    use clap::Parser as _;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::time::Duration;
    use xtask::build;
    use xtask::workspace::Workspace;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn wanted(line: &str) -> Vec<&'static str> {
        let line = Line::parse_from(format!("demo {line}").split_whitespace());
        STEPS.iter().filter(|step| step.is_wanted(&line.args)).map(|step| step.what).collect()
    }

    #[test]
    fn steps_are_those_of_the_line() {
        let default = wanted("");
        assert_eq!(default[..3], ["building libd3d9.so", "Direct3D 9, natively", "building the programs"]);
        assert_eq!(default[default.len() - 2..], ["building d3d9.dll", "Direct3D 9 under Wine"]);
        assert_eq!(wanted("--all").len(), STEPS.len());
        let native = wanted("--native-only --all");
        assert!(native.contains(&"captures"));
        assert!(!native.iter().any(|what| what.contains("dll") || what.contains("Wine") || what.contains("engines")));
        assert_eq!(wanted("--no-build gnm"), ["scenes of the PlayStation 4"]);
        assert_eq!(wanted("captures"), ["building libd3d9.so", "building the programs", "captures"]);
        assert!(wanted("engines").contains(&"building d3d9.dll"));
    }

    /// Packages with the features that a cargo line builds them with.
    fn built(line: &[&str]) -> BTreeSet<String> {
        let mut cargo = build::cargo(&Workspace::find());
        cargo.args(line).args(["-Z", "unstable-options", "--unit-graph"]).env("RUSTC_BOOTSTRAP", "1");
        let said = cargo.output().expect("cargo runs");
        let graph: Value = serde_json::from_slice(&said.stdout).expect("cargo prints its units");
        let units = graph["units"].as_array().expect("units").iter();
        units
            .map(|unit| {
                // Profiles of tests have another name and the same values.
                let mut profile = unit["profile"].clone();
                profile["name"].take();
                format!("{} {} {} {profile}", unit["pkg_id"], unit["target"]["name"], unit["features"])
            })
            .collect()
    }

    #[test]
    fn what_is_built_first_is_not_built_again() {
        let (first, all) = (built(build::FIRST), built(build::PROGRAMS));
        let again: Vec<&String> = first.difference(&all).collect();
        assert!(again.is_empty() && first.len() < all.len(), "built with other features: {again:#?}");
        let tests = built(&["test", "--workspace", "--no-run"]);
        let again: Vec<&String> = all.difference(&tests).collect();
        assert!(again.is_empty(), "built with other features for tests: {again:#?}");
    }

    #[test]
    fn every_part_has_a_step() {
        for part in <Part as clap::ValueEnum>::value_variants() {
            let name = clap::ValueEnum::to_possible_value(part).expect("every part can be named");
            assert!(!wanted(&format!("--no-build {}", name.get_name())).is_empty(), "{part:?}");
        }
    }

    #[test]
    fn times_of_the_last_run_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut times = Times::read(folder.path());
        let steps = [&STEPS[0], &STEPS[1]];
        assert_eq!(times.to_come(&steps)[1], (STEPS[1].what, STEPS[1].seconds));
        times.took(steps[1], Duration::from_millis(2500));
        times.write(folder.path()).unwrap();
        assert_eq!(Times::read(folder.path()).to_come(&steps)[1], (STEPS[1].what, 3));
    }
}
