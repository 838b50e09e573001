//! Programs as they were analysed last.
//!
//! Who asks for a program's resources has it translated next, and again for other descriptors; its code is read for that once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::io::{HwStage, Registers, Resources, Source, vgt};
use crate::lift::flow::Flow;
use crate::lift::{LiftError, Masks};
use crate::resources::{Analysis, analyze};

/// Most programs that are kept.
const MOST: usize = 32;
/// Most words of all of them together: what is known of a word takes some 100 bytes.
const MOST_WORDS: usize = 1 << 16;

/// A program, and what was found out of it.
pub(crate) struct Analyzed {
    /// All that it depends on; nothing is said of descriptors.
    source: Source,
    pub flow: Flow,
    pub analysis: Analysis,
    pub masks: Masks,
}

/// What an analysis depends on.
fn depends_on(source: &Source) -> (HwStage, [u32; 4], &[u32], &[u32]) {
    let Registers { rsrc2, tables, vgt, .. } = source.registers;
    (source.stage, [rsrc2, tables, vgt[vgt::GS_MODE], vgt[vgt::STAGES]], &source.code, &source.fetch)
}

impl Analyzed {
    fn new(source: &Source) -> Result<Analyzed, LiftError> {
        let (stage, [rsrc2, tables, mode, stages], code, fetch) = depends_on(source);
        let mut registers = Registers { rsrc2, tables, ..Registers::default() };
        registers.vgt[vgt::GS_MODE] = mode;
        registers.vgt[vgt::STAGES] = stages;
        let (buffers, images, tables) = Default::default();
        let (code, fetch) = (code.to_vec(), fetch.to_vec());
        let source = Source { stage, code, fetch, registers, buffers, images, tables };
        let flow = Flow::of(&source)?;
        let (analysis, masks) = analyze(&flow, &source)?;
        Ok(Analyzed { source, flow, analysis, masks })
    }

    fn words(&self) -> usize {
        self.source.code.len() + self.source.fetch.len()
    }
}

/// Those that were asked for last, the last one last.
static KEPT: Mutex<VecDeque<Arc<Analyzed>>> = Mutex::new(VecDeque::new());

/// What is known of the program of a source.
///
/// # Errors
/// Those of [`resources`].
pub(crate) fn analyzed(source: &Source) -> Result<Arc<Analyzed>, LiftError> {
    let lock = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let asked = depends_on(source);
    if let Some(known) = lock().iter().rev().find(|known| depends_on(&known.source) == asked) {
        return Ok(known.clone());
    }
    let new = Arc::new(Analyzed::new(source)?);
    let mut kept = lock();
    kept.push_back(new.clone());
    let mut words: usize = kept.iter().map(|known| known.words()).sum();
    while kept.len() > MOST || words > MOST_WORDS {
        let Some(oldest) = kept.pop_front() else { break };
        words -= oldest.words();
    }
    Ok(new)
}

/// Finds what a program reads. Of `source` its stage, registers and code count.
///
/// The fetch shader's code may be left out: then [`Resources::fetch`] says where it is, and the rest is what the program itself
/// reads.
///
/// # Errors
/// When the code cannot be read, or an instruction uses a descriptor that is not known at the draw.
pub fn resources(source: &Source) -> Result<Resources, LiftError> {
    Ok(analyzed(source)?.analysis.resources.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program of so many `s_nop` and `s_endpgm`.
    fn source(nops: usize) -> Source {
        let mut code = vec![0xBF80_0000; nops];
        code.push(0xBF81_0000);
        let (fetch, buffers, images, tables, registers) = Default::default();
        Source { stage: HwStage::Cs, code, fetch, registers, buffers, images, tables }
    }

    #[test]
    fn a_program_is_analysed_anew_for_what_that_depends_on_and_nothing_else() {
        // Others in this process have theirs beside: of these codes nobody else knows.
        let first = source(1001);
        let known = analyzed(&first).unwrap();
        let mut same = first.clone();
        same.buffers.push(Default::default());
        same.registers.groups = 3;
        same.registers.vgt[vgt::LS_HS] = 5;
        assert!(Arc::ptr_eq(&known, &analyzed(&same).unwrap()));
        let changes: [fn(&mut Source); 6] = [
            |source| source.stage = HwStage::Ps,
            |source| source.registers.rsrc2 = 2,
            |source| source.registers.tables = 1,
            |source| source.registers.vgt[vgt::GS_MODE] = vgt::ON_CHIP,
            |source| source.registers.vgt[vgt::STAGES] = 1,
            |source| source.code[7] = 0xBF80_0001,
        ];
        for change in changes {
            let mut other = first.clone();
            change(&mut other);
            assert!(!Arc::ptr_eq(&known, &analyzed(&other).unwrap()), "{:?}", other.registers);
        }
    }

    #[test]
    fn what_is_kept_has_an_end() {
        for nops in 0..2 * MOST {
            analyzed(&source(nops)).unwrap();
        }
        analyzed(&source(MOST_WORDS + 1)).unwrap();
        let kept = KEPT.lock().unwrap();
        assert!(kept.len() <= MOST && kept.iter().map(|known| known.words()).sum::<usize>() <= MOST_WORDS);
    }
}
