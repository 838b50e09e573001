//! What command buffers draw, for when one of them fails or does not end.

use afterimage_ipc::{Journal, SUSPECTS, Suspect, Work};
use afterimage_metal_calls::Serial;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

/// A draw by its frame and its number there, from 1 on.
type Place = (u64, u32);

/// What is encoded, and what is under way.
#[derive(Debug, Default)]
pub(crate) struct Works {
    /// The last draw or dispatch.
    last: Place,
    /// The first one of the command buffer that is being written.
    first: Option<Place>,
    /// Shaders of its draws with the most loops; those first.
    suspects: SmallVec<[Suspect; SUSPECTS]>,
    under_way: VecDeque<(Serial, Work)>,
    /// Where all of it is noted for another process, or for who watches.
    pub(crate) journal: Option<Arc<Journal>>,
}

impl Works {
    /// A frame begins.
    pub(crate) fn begin_frame(&mut self, frame: u64) {
        self.last = (frame, 0);
        if let Some(journal) = &self.journal {
            journal.begin_frame(frame);
        }
    }

    /// A draw or dispatch begins.
    pub(crate) fn draw(&mut self) {
        self.last.1 = self.last.1.saturating_add(1);
        self.first.get_or_insert(self.last);
        if let Some(journal) = &self.journal {
            journal.begin_draw(self.last.1);
        }
    }

    /// It is done with a shader.
    pub(crate) fn suspect(&mut self, suspect: Suspect) {
        if self.suspects.contains(&suspect) {
            return;
        }
        let weight = |suspect: &Suspect| (suspect.depth, suspect.loops);
        let at = self.suspects.partition_point(|other| weight(other) >= weight(&suspect));
        if at < SUSPECTS {
            self.suspects.truncate(SUSPECTS - 1);
            self.suspects.insert(at, suspect);
        }
    }

    /// What was encoded is committed.
    pub(crate) fn commit(&mut self, serial: Serial) {
        let (first, last) = (self.first.take().unwrap_or((self.last.0, 0)), self.last);
        let draws = if first.1 == 0 { [0; 2] } else { [first.1, last.1] };
        // Where nothing has loops, the first will do.
        let all = self.suspects.drain(..).enumerate();
        let suspects = all.filter(|(index, suspect)| *index == 0 || suspect.loops > 0).map(|(_, suspect)| suspect);
        let work = Work { frames: [first.0, last.0], draws, suspects: suspects.collect() };
        if let Some(journal) = &self.journal {
            journal.submit(serial, &work);
        }
        self.under_way.push_back((serial, work));
    }

    /// What a command buffer draws that is under way.
    pub(crate) fn of(&self, serial: Serial) -> Option<&Work> {
        self.under_way.iter().find(|(of, _)| *of == serial).map(|(_, work)| work)
    }

    /// All up to this have completed, and nobody asks for them any more.
    pub(crate) fn forget(&mut self, completed: Serial) {
        if let Some(journal) = &self.journal {
            journal.complete(completed);
        }
        while self.under_way.front().is_some_and(|(serial, _)| *serial <= completed) {
            self.under_way.pop_front();
        }
    }
}

/// Loops of a function in Metal's language that our writer wrote, and how many of them are inside of each other.
pub(crate) fn loops(source: &str) -> [u32; 2] {
    let (mut open, mut count, mut depth) = (Vec::new(), 0, 0);
    for line in source.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.starts_with("while (true) {") {
            open.push(indent);
            (count, depth) = (count + 1, depth.max(open.len() as u32));
        } else if text.starts_with('}') && open.last() == Some(&indent) {
            open.pop();
        }
    }
    [count, depth]
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_stream::packets::Stage;
    use afterimage_stream::{ObjectId, ObjectKind};

    #[test]
    fn loops_are_counted_and_how_deep_they_are() {
        assert_eq!(loops("{\n    if (a) {\n    }\n}\n"), [0, 0]);
        let inner = "    while (true) {\n        break;\n    }\n";
        assert_eq!(loops(&format!("{{\n{inner}{inner}}}\n")), [2, 1]);
        let outer = "    while (true) {\n        while (true) {\n        }\n        if (a) {\n        }\n    }\n";
        assert_eq!(loops(&format!("{outer}{inner}")), [3, 2]);
    }

    #[test]
    fn a_command_buffer_says_what_it_draws() {
        let shader = |number, loops| Suspect {
            id: ObjectId::new(ObjectKind::Shader, number),
            stage: Stage::Pixel,
            hash: number.into(),
            loops,
            depth: loops.min(1),
        };
        let mut works = Works::default();
        works.begin_frame(7);
        works.draw();
        works.suspect(shader(1, 0));
        works.draw();
        works.suspect(shader(2, 3));
        works.suspect(shader(2, 3));
        works.commit(1);
        works.commit(2);
        works.draw();
        (3..9).for_each(|number| works.suspect(shader(number, number)));
        works.commit(3);
        let [first, none, last] = [1, 2, 3].map(|serial| works.of(serial).unwrap().clone());
        assert_eq!(first.to_string(), "frame 7, draw 1 to 2, pixel shader Shader#2 0000000000000002 (3 loops)");
        assert_eq!(none.to_string(), "frame 7, no draws");
        assert_eq!(last.draws, [3, 3]);
        assert_eq!(last.suspects.iter().map(|suspect| suspect.loops).collect::<Vec<_>>(), [8, 7, 6, 5]);
        works.forget(2);
        assert!(works.of(2).is_none() && works.of(3).is_some());
    }
}
