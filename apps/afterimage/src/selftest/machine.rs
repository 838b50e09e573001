//! What machine this is: system, processor, and devices as `afterimage info` tells of them.

use super::child::{self, SETTINGS};
use super::private::Private;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long a question may take.
const LIMIT: Duration = Duration::from_secs(60);
/// Settings of others that decide how is drawn begin so.
const OTHERS: [&str; 5] = ["VK_", "MVK_", "MESA_", "LP_", "METAL_"];

/// What was found out.
#[derive(Debug, Default, Serialize)]
pub(super) struct Machine {
    /// Names and values.
    pub(super) facts: Vec<(String, String)>,
    /// Variables of the environment that decide how is drawn.
    pub(super) settings: Vec<(String, String)>,
    pub(super) devices: Vec<Device>,
    /// Why there is no device.
    pub(super) trouble: Option<String>,
    /// Whether the validation layer is there.
    pub(super) validation: bool,
    /// What drivers said when they were asked.
    pub(super) said: Vec<child::Counted>,
}

/// A device.
#[derive(Debug, Serialize)]
pub(super) struct Device {
    pub(super) name: String,
    /// What it can do, a line each.
    pub(super) abilities: String,
}

impl Machine {
    /// Asks. Devices are asked in a process of their own.
    pub(super) fn look(private: &Private) -> Self {
        let mut machine = Self { facts: facts(private), ..Self::default() };
        for (name, value) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if SETTINGS.contains(&name.as_str()) || OTHERS.iter().any(|begin| name.starts_with(begin)) {
                machine.settings.push((name, private.hidden(&value.to_string_lossy())));
            }
        }
        machine.settings.sort();
        let told = child::run(child::afterimage(["info"]), LIMIT, private);
        machine.devices = devices(&told.out);
        machine.said = told.driver.into_iter().chain(told.log).collect();
        if let Some(bad) = told.bad {
            machine.trouble = Some(format!("`afterimage info`: {bad}"));
        } else {
            let json = child::run(child::afterimage(["info", "--json"]), LIMIT, private);
            let value: Value = serde_json::from_str(&json.out).unwrap_or_default();
            machine.validation = value["files"]["validation layer"].is_string();
        }
        machine
    }

    /// The device of a name.
    pub(super) fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|device| device.name == name)
    }
}

/// Devices of what `afterimage info` prints: a line with the number of each, its name, and lines that are indented.
fn devices(text: &str) -> Vec<Device> {
    let mut devices = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.strip_prefix("device ").is_none_or(|number| number.parse::<u32>().is_err()) {
            continue;
        }
        let Some(name) = lines.next() else { break };
        let abilities: Vec<&str> = lines.by_ref().take_while(|line| line.starts_with("  ")).collect();
        devices.push(Device { name: name.to_owned(), abilities: abilities.join("\n") });
    }
    devices
}

impl Device {
    /// What stands behind a name in the list.
    pub(super) fn ability(&self, name: &str) -> Option<&str> {
        let lines = self.abilities.lines().filter_map(|line| line.trim().strip_prefix(name));
        lines.filter(|rest| rest.starts_with(' ')).map(str::trim).next()
    }
}

/// System and processor.
fn facts(private: &Private) -> Vec<(String, String)> {
    let said = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words);
        let out = child::run(Ok(command), LIMIT, private).out.trim().to_owned();
        Some(out).filter(|out| !out.is_empty())
    };
    let file = |path: &str| std::fs::read_to_string(path).ok();
    let sysctl = |name: &str| cfg!(target_os = "macos").then(|| said("sysctl", &["-n", name])).flatten();
    let system = if cfg!(target_os = "macos") {
        let version = |word: &str| said("sw_vers", &[word]).unwrap_or_default();
        Some(format!("macOS {} ({})", version("-productVersion"), version("-buildVersion")))
    } else {
        file("/etc/os-release").and_then(|text| of_lines(&text, '=', "PRETTY_NAME"))
    };
    let processor = sysctl("machdep.cpu.brand_string").or_else(|| {
        let text = file("/proc/cpuinfo")?;
        ["model name", "Model", "Hardware"].iter().find_map(|name| of_lines(&text, ':', name))
    });
    let model = sysctl("hw.model").or_else(|| file("/proc/device-tree/model").map(|name| name.replace('\0', "")));
    let memory = sysctl("hw.memsize")
        .and_then(|bytes| Some(format!("{} MiB", bytes.parse::<u64>().ok()? >> 20)))
        .or_else(|| of_lines(&file("/proc/meminfo")?, ':', "MemTotal"));
    let rows = [
        ("afterimage", Some(format!("{} for {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH))),
        ("system", system),
        ("kernel", said("uname", &["-srm"])),
        ("model", model),
        ("processor", processor),
        ("threads", std::thread::available_parallelism().ok().map(|count| count.to_string())),
        ("memory", memory),
        ("translated", (sysctl("sysctl.proc_translated").as_deref() == Some("1")).then(|| "by Rosetta".to_owned())),
        ("Vulkan's loader", loader()),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), private.hidden(&value?)))).collect()
}

/// The value of a name in lines of names and values.
fn of_lines(text: &str, between: char, name: &str) -> Option<String> {
    let value = |line: &str| {
        let (found, value) = line.split_once(between)?;
        (found.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    };
    text.lines().find_map(value)
}

/// Where Homebrew has put drivers, which its users choose among.
fn loader() -> Option<String> {
    let folders = ["/opt/homebrew/opt", "/usr/local/opt"].map(Path::new);
    let found = folders.iter().flat_map(|folder| {
        let packages = ["vulkan-loader", "molten-vk", "mesa"].map(|name| folder.join(name));
        packages.into_iter().filter_map(|path| Some(path.canonicalize().ok()?.display().to_string()))
    });
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| found.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{devices, of_lines};

    #[test]
    fn devices_are_read_from_what_info_prints() {
        let text = "afterimage 0.1.0\n\ndevice 0\nApple M9\n  driver               MoltenVK 1.9\n  multi-draw           1\n\n\
                    device 1\nllvmpipe\n  driver               Mesa\n\nlibd3d9.so           /x\ndevice driver\n";
        let found = devices(text);
        assert_eq!(found.iter().map(|device| device.name.as_str()).collect::<Vec<_>>(), ["Apple M9", "llvmpipe"]);
        assert_eq!((found[0].ability("driver"), found[0].ability("multi")), (Some("MoltenVK 1.9"), None));
        assert_eq!(found[1].abilities, "  driver               Mesa");
    }

    #[test]
    fn values_are_found_by_name() {
        assert_eq!(
            of_lines("NAME=\"D\"\nPRETTY_NAME=\"Debian 12\"\n", '=', "PRETTY_NAME").as_deref(),
            Some("Debian 12")
        );
        assert_eq!(of_lines("model name\t: A CPU\n", ':', "model name").as_deref(), Some("A CPU"));
        assert_eq!(of_lines("", ':', "x"), None);
    }
}
