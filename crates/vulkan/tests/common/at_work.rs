//! Waiting until another process draws something that takes long.

use std::time::{Duration, Instant};

/// How long a process may take to begin on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);
/// After that long it has begun, where no driver for the CPU is seen: what a GPU does is in no file.
const UNSEEN: Duration = Duration::from_secs(10);
/// Ticks of 10 ms of one thread: more than anything takes that the tests draw otherwise.
const BUSY: u64 = 20;

/// Waits until a thread with which lavapipe draws has been at work for a while.
pub(crate) fn wait_until_drawing(process: &str) {
    let since = Instant::now();
    loop {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let stats = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("stat")).ok());
        let ticks: Vec<u64> = stats.filter_map(|stat| ticks_of_lavapipe(&stat)).collect();
        if ticks.iter().any(|ticks| *ticks >= BUSY) || ticks.is_empty() && since.elapsed() > UNSEEN {
            return;
        }
        assert!(since.elapsed() < PATIENCE, "nothing is drawn: {ticks:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a thread of lavapipe's has had of a processor; `None` for any other thread.
fn ticks_of_lavapipe(stat: &str) -> Option<u64> {
    let (name, fields) = stat.split_once('(')?.1.rsplit_once(')')?;
    // Behind the name: state and ten others, then time in user mode.
    name.starts_with("llvmpipe").then(|| fields.split_whitespace().nth(11)?.parse().ok())?
}
