//! Figures about a run, written at its end.

use crate::renderer::Renderer;
use std::time::Instant;

/// What is counted for [`crate::Options::stats`].
pub(crate) struct Stats {
    /// The program's name from its first packet.
    pub(crate) program: String,
    pub(crate) frames: u64,
    /// First and last present.
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Default for Stats {
    fn default() -> Self {
        Self { program: String::new(), frames: 0, first: None, last: None }
    }
}

impl Stats {
    /// A frame was presented.
    pub(crate) fn frame(&mut self) {
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.last = Some(now);
        self.frames += 1;
    }

    /// Milliseconds from present to present, on average; 0 with fewer than two frames.
    fn ms_per_frame(&self) -> f64 {
        match (self.first, self.last) {
            (Some(first), Some(last)) if self.frames > 1 => {
                (last - first).as_secs_f64() * 1000.0 / (self.frames - 1) as f64
            }
            _ => 0.0,
        }
    }
}

/// Text as a JSON string.
fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Renderer {
    /// The figures as JSON.
    #[must_use]
    pub fn stats_json(&self) -> String {
        format!(
            "{{\n  \"program\": {},\n  \"device\": {},\n  \"frames\": {},\n  \"draws\": {},\n  \"skipped_draws\": {},\n  \
             \"ms_per_frame\": {:.4},\n  \"pipelines\": {},\n  \"shaders\": {},\n  \"shader_failures\": {},\n  \
             \"validation_messages\": {}\n}}\n",
            quote(&self.stats.program),
            quote(&self.gpu.profile.name),
            self.stats.frames,
            self.draws,
            self.skipped_draws,
            self.stats.ms_per_frame(),
            self.pipelines.len(),
            self.library.len(),
            self.library.failures,
            self.validation_messages(),
        )
    }

    pub(crate) fn write_stats(&self) {
        if let Some(path) = &self.options.stats
            && let Err(error) = std::fs::write(path, self.stats_json())
        {
            tracing::error!("AFTERIMAGE_STATS={}: {error}", path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn json_strings_are_escaped() {
        assert_eq!(super::quote("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
    }
}
