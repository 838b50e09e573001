//! A line of figures for each frame in a file, in the format of MangoHud's logs: a row of names and one of values for the machine, then
//! a row of names for what follows. (<https://github.com/flightlessmango/MangoHud>: `src/logging.cpp` writes such files, `mangoplot` reads
//! them. Columns as of version 0.8: milliseconds, percent, GiB, nanoseconds since the first line.)

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// What is said of the machine.
const MACHINE: &str = "os,cpu,gpu,ram,kernel,driver,cpuscheduler";
/// What is said of a frame.
const FRAME: &str = "fps,frametime,cpu_load,cpu_power,gpu_load,cpu_temp,gpu_temp,gpu_core_clock,gpu_mem_clock,gpu_vram_used,gpu_power,\
                     ram_used,swap_used,process_rss,cpu_mhz,elapsed";
/// How often the system is asked, and lines go to the file.
const REFRESH: Duration = Duration::from_millis(250);

/// What changes less often than with each frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slow {
    /// Share of the time that the GPU is busy.
    pub gpu_load: f32,
    /// Bytes of the device's memory that are used.
    pub gpu_bytes: u64,
}

/// The system's own figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct System {
    /// Jiffies that all processors worked, and jiffies in all.
    worked: [u64; 2],
    /// Percent since the last time.
    cpu_load: f32,
    /// Bytes.
    ram_used: u64,
    swap_used: u64,
    rss: u64,
}

/// A log that is being written.
pub struct HudLog {
    out: BufWriter<File>,
    begun: Instant,
    last: Option<Instant>,
    refreshed: Option<Instant>,
    system: System,
    slow: Slow,
}

/// A text of the system's; empty where it does not say, as in a sandbox.
fn text(path: &str) -> String {
    std::fs::read_to_string(afterimage_config::host_path(path)).unwrap_or_default()
}

/// A value that a table separated by commas can have.
fn cell(text: &str) -> String {
    text.chars().map(|c| if c == ',' || c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
}

/// The number behind a name in a text of lines such as `MemTotal: 5 kB`.
fn number(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Jiffies that the processors worked, and jiffies in all, by the text of `/proc/stat`.
fn jiffies(stat: &str) -> [u64; 2] {
    let words = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let all: Vec<u64> = words.take(8).map(|word| word.parse().unwrap_or(0)).collect();
    let (total, idle) = (all.iter().sum::<u64>(), all.iter().skip(3).take(2).sum::<u64>());
    [total - idle, total]
}

impl System {
    fn now(before: &Self) -> Self {
        let worked = jiffies(&text("/proc/stat"));
        let [work, all] = [0, 1].map(|at| worked[at].saturating_sub(before.worked[at]));
        let (memory, own) = (text("/proc/meminfo"), text("/proc/self/status"));
        let bytes = |text: &str, name: &str| number(text, name) << 10;
        let used = |all: &str, free: &str| bytes(&memory, all).saturating_sub(bytes(&memory, free));
        Self {
            worked,
            cpu_load: if all == 0 { 0.0 } else { work as f32 * 100.0 / all as f32 },
            ram_used: used("MemTotal", "MemAvailable"),
            swap_used: used("SwapTotal", "SwapFree"),
            rss: bytes(&own, "VmRSS"),
        }
    }
}

impl HudLog {
    /// Makes the file, with what is known of the machine.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path, gpu: &str, driver: &str) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        let (release, processor) = (text("/etc/os-release"), text("/proc/cpuinfo"));
        let os = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
        let model = processor.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
        let machine = [
            os.trim_matches('"').to_owned(),
            model.trim_start().trim_start_matches(':').to_owned(),
            gpu.to_owned(),
            number(&text("/proc/meminfo"), "MemTotal").to_string(),
            text("/proc/sys/kernel/osrelease"),
            driver.to_owned(),
            text("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"),
        ];
        writeln!(out, "{MACHINE}\n{}\n{FRAME}", machine.map(|text| cell(&text)).join(","))?;
        out.flush()?;
        let (begun, system) = (Instant::now(), System::now(&System::default()));
        Ok(Self { out, begun, last: None, refreshed: None, system, slow: Slow::default() })
    }

    /// A frame was presented. Its line has the time since the one before; the first has none. `slow` is asked now and then.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn frame(&mut self, slow: impl FnOnce() -> Slow) -> io::Result<()> {
        let now = Instant::now();
        let Some(last) = self.last.replace(now) else { return Ok(()) };
        if self.refreshed.is_none_or(|since| now - since >= REFRESH) {
            self.refreshed = Some(now);
            self.system = System::now(&self.system);
            self.slow = slow();
            self.out.flush()?;
        }
        let line = line(now - last, now - self.begun, &self.system, &self.slow);
        writeln!(self.out, "{line}")
    }

    /// No more comes: what was kept back is written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A frame's line.
fn line(took: Duration, elapsed: Duration, system: &System, slow: &Slow) -> String {
    let milliseconds = took.as_secs_f64() * 1000.0;
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let System { cpu_load, ram_used, swap_used, rss, .. } = *system;
    format!(
        "{:.3},{milliseconds:.4},{cpu_load:.0},0,{:.0},0,0,0,0,{:.4},0,{:.4},{:.4},{:.4},0,{}",
        1000.0 / milliseconds.max(0.001),
        slow.gpu_load * 100.0,
        gib(slow.gpu_bytes),
        gib(ram_used),
        gib(swap_used),
        gib(rss),
        elapsed.as_nanos()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_value_for_each_name() {
        let system = System { cpu_load: 41.6, ram_used: 3 << 29, swap_used: 0, rss: 1 << 28, ..System::default() };
        let slow = Slow { gpu_load: 0.5, gpu_bytes: 1 << 30 };
        let line = line(Duration::from_micros(12_500), Duration::from_secs(2), &system, &slow);
        let named: Vec<(&str, &str)> = FRAME.split(',').zip(line.split(',')).collect();
        assert_eq!((named.len(), line.split(',').count()), (16, 16));
        let value = |name: &str| named.iter().find(|(known, _)| *known == name).expect(name).1;
        assert_eq!((value("fps"), value("frametime"), value("elapsed")), ("80.000", "12.5000", "2000000000"));
        assert_eq!((value("cpu_load"), value("gpu_load"), value("gpu_vram_used")), ("42", "50", "1.0000"));
        assert_eq!((value("ram_used"), value("process_rss"), value("gpu_temp")), ("1.5000", "0.2500", "0"));
    }

    #[test]
    fn the_system_s_texts_are_read() {
        assert_eq!(jiffies("cpu  10 1 5 100 4 0 2 0 0 0\ncpu0 1 1 1 1\n"), [18, 122]);
        assert_eq!((jiffies(""), jiffies("cpu x")), ([0, 0], [0, 0]));
        assert_eq!(number("MemTotal:       5 kB\nMemFree: 2 kB\n", "MemTotal"), 5);
        assert_eq!(number("MemTotalX: 5 kB\n", "MemTotal"), 0);
        assert_eq!(cell(" a, b\n"), "a  b");
    }

    #[test]
    fn a_file_begins_with_the_machine() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("log.csv");
        let mut log = HudLog::create(&path, "a GPU, of ours", "its driver").unwrap();
        for _ in 0..4 {
            log.frame(Slow::default).unwrap();
        }
        log.finish().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[2], lines.len()), (MACHINE, FRAME, 3 + 3));
        assert_eq!(lines[1].split(',').count(), MACHINE.split(',').count());
        assert_eq!(lines[1].split(',').nth(2), Some("a GPU  of ours"));
        assert!(HudLog::create(temp.path(), "", "").is_err());
    }
}
