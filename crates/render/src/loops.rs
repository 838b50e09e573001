//! Loops of a module: what may keep a GPU busy for long.

/// How much a shader may have to do; the greater, the more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loops {
    /// Loops inside of each other.
    pub depth: u32,
    /// Loops in all.
    pub count: u32,
    /// Words of the module.
    pub words: u32,
}

const LOOP_MERGE: u32 = 246;

const LABEL: u32 = 248;

impl Loops {
    /// Those of a module that our back end wrote. What passes have unrolled is none.
    pub fn of(words: &[u32]) -> Self {
        let mut loops = Self { words: u32::try_from(words.len()).unwrap_or(u32::MAX), ..Self::default() };
        // The blocks behind the loops that are open: blocks of a loop come before the one behind it.
        let mut open = Vec::new();
        let mut rest = words.get(5..).unwrap_or_default();
        while let [head, operands @ ..] = rest {
            match (head & 0xffff, operands.first()) {
                (LOOP_MERGE, Some(merge)) => {
                    open.push(*merge);
                    loops.count += 1;
                    loops.depth = loops.depth.max(open.len() as u32);
                }
                (LABEL, Some(label)) if open.last() == Some(label) => {
                    open.pop();
                }
                _ => {}
            }
            // An instruction has a word at least; of one with none this is not a module.
            rest = rest.get((head >> 16).max(1) as usize..).unwrap_or_default();
        }
        loops
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &[&[u32]]) -> (u32, u32) {
        let mut words = vec![0x0723_0203, 0x0001_0500, 0, 9, 0];
        for instruction in body {
            words.push(((instruction.len() as u32) << 16) | instruction[0]);
            words.extend(&instruction[1..]);
        }
        let loops = Loops::of(&words);
        assert_eq!(loops.words as usize, words.len());
        (loops.count, loops.depth)
    }

    #[test]
    fn loops_are_counted_and_how_deep_they_are() {
        assert_eq!(of(&[]), (0, 0));
        let (begin, end) = (|merge| [LOOP_MERGE, merge, 99, 0], |merge| [LABEL, merge]);
        assert_eq!(of(&[&begin(1), &end(1)]), (1, 1));
        assert_eq!(of(&[&begin(1), &end(1), &begin(2), &end(2)]), (2, 1));
        assert_eq!(of(&[&begin(1), &begin(2), &[LABEL, 7], &end(2), &begin(3), &end(3), &end(1)]), (3, 2));
        assert_eq!(Loops::of(&[]), Loops::default());
        assert_eq!(Loops::of(&[0; 9]).count, 0, "no module, and no end to it either");
        assert!(Loops { depth: 2, count: 2, words: 1 } > Loops { depth: 1, count: 9, words: 900 });
    }
}
