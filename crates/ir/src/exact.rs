//! Which values must come out the same in every shader that computes them by the same code.
//!
//! Programs draw the same geometry several times with different shaders and compare depths for equality: Direct3D 9 drivers
//! gave equal positions for equal position code, whatever else a shader did. So no pass reassociates or approximates, and back
//! ends must forbid contraction, fast math and the like for the values marked here (`NoContraction` in SPIR-V).

use crate::entity::{Inst, Output, Region, Value};
use crate::module::{Def, Imm, Module, OutputAt, Stage};
use crate::opcode::Op;

impl OutputAt {
    /// Whether the output places geometry: position, clip distances and depth. Back ends mark the position as invariant.
    pub fn is_exact(self) -> bool {
        matches!(self, OutputAt::Position | OutputAt::ClipDistance(_) | OutputAt::FragDepth)
    }
}

/// Marks, per value, all that outputs which are [exact](OutputAt::is_exact) depend on, through control flow and variables. No
/// marks at all if the module has no such output. What is captured counts too: it is the same natively and lowered to memory writes. In the compute stage everything is marked: what it leaves in memory is what
/// later shaders and the guest's processor count on.
pub fn exact(m: &Module) -> Vec<bool> {
    if m.stage == Stage::Compute {
        return vec![true; m.values.len()];
    }
    let mut marks = vec![false; m.values.len()];
    let exact: Vec<bool> = m.outputs.iter().zip(0..).map(|(o, i)| o.at.is_exact() || captured(m, Output(i))).collect();
    if !exact.contains(&true) {
        return marks;
    }
    let mut slice = Slice {
        m,
        exact,
        marks: &mut marks,
        parent: vec![None; m.insts.len()],
        opened: vec![false; m.insts.len()],
        work: Vec::new(),
    };
    slice.survey(m.body, None);
    slice.run();
    marks
}

fn captured(m: &Module, output: Output) -> bool {
    m.feedback.iter().any(|decl| decl.output == output)
}

struct Slice<'a> {
    m: &'a Module,
    /// Which outputs are.
    exact: Vec<bool>,
    marks: &'a mut [bool],
    /// The `if` or loop around each instruction.
    parent: Vec<Option<Inst>>,
    /// Control flow whose operands count already.
    opened: Vec<bool>,
    work: Vec<Value>,
}

impl Slice<'_> {
    /// Notes what surrounds each instruction, and begins with the operands of the outputs' stores.
    fn survey(&mut self, region: Region, parent: Option<Inst>) {
        let m = self.m;
        for &inst in &m.region(region).insts {
            self.parent[inst.index()] = parent;
            let data = m.inst(inst);
            match data.imm {
                Imm::Output(output) if self.exact[output.index()] => {
                    self.work.extend_from_slice(&data.args);
                    self.surroundings(parent);
                }
                // Whether there is a vertex counts as much as what it holds.
                Imm::Stream(_) => self.surroundings(parent),
                Imm::If(yes, no) => {
                    self.survey(yes, Some(inst));
                    self.survey(no, Some(inst));
                }
                Imm::Loop(body) => self.survey(body, Some(inst)),
                _ => {}
            }
        }
    }

    fn run(&mut self) {
        let m = self.m;
        let mut stores = false;
        while let Some(value) = self.work.pop() {
            if std::mem::replace(&mut self.marks[value.index()], true) {
                continue;
            }
            let inst = match m.values[value.index()].def {
                Def::Inst(inst) => inst,
                // The loop is open: what is inside of it could not be reached otherwise.
                Def::Param(_) | Def::None => continue,
            };
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => {
                    self.surroundings(Some(inst));
                    let at = data.results.iter().position(|&r| r == value);
                    for region in [yes, no] {
                        let end = m.terminator(region).map(|t| m.inst(t)).filter(|t| t.op == Op::Yield);
                        self.work.extend(end.zip(at).and_then(|(end, at)| end.args.get(at)));
                    }
                }
                (Op::Loop, _) => self.surroundings(Some(inst)),
                (Op::Load | Op::LoadElem, _) => {
                    self.work.extend_from_slice(&data.args);
                    if !std::mem::replace(&mut stores, true) {
                        self.stores();
                    }
                    self.surroundings(self.parent[inst.index()]);
                }
                _ => {
                    self.work.extend_from_slice(&data.args);
                    self.surroundings(self.parent[inst.index()]);
                }
            }
        }
    }

    /// The conditions of the `if`s around a place, and all that the loops around it compute: how often they run decides what they
    /// leave behind.
    fn surroundings(&mut self, mut around: Option<Inst>) {
        let m = self.m;
        while let Some(inst) = around {
            if std::mem::replace(&mut self.opened[inst.index()], true) {
                return;
            }
            let data = m.inst(inst);
            self.work.extend_from_slice(&data.args);
            if let Imm::Loop(body) = data.imm {
                self.everything(body);
            }
            around = self.parent[inst.index()];
        }
    }

    fn everything(&mut self, region: Region) {
        let m = self.m;
        m.for_each_inst_in(region, &mut |_, data| self.work.extend_from_slice(&data.args));
    }

    /// What goes into any variable.
    fn stores(&mut self) {
        let m = self.m;
        m.for_each_inst(|inst, data| {
            if matches!(data.op, Op::Store | Op::StoreElem) {
                self.work.extend_from_slice(&data.args);
                self.surroundings(self.parent[inst.index()]);
            }
        });
    }
}
