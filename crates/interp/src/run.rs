//! Executes a module.

use afterimage_ir::{Args, Dim, Imm, InstData, Mask, Module, Op, Region, Type, Value, VerifyError, evaluate, verify};
use smallvec::SmallVec;

use crate::{Environment, LANES, Lanes, Lod, SampleArgs};

/// Why a run has no outcome.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The shader ran longer than it may.
    #[error("the shader did not end within {0} steps")]
    StepLimit(u64),
}

/// What a run leaves behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Bits of every declared output in every lane; those never stored are 0.
    pub outputs: Vec<Lanes>,
    /// Whether the lane's pixel was thrown away.
    pub demoted: [bool; LANES],
    /// Instructions executed.
    pub steps: u64,
}

/// A module ready to run.
pub struct Interpreter<'a> {
    module: &'a Module,
    step_limit: u64,
}

impl<'a> Interpreter<'a> {
    /// Prepares `module`, which is verified here.
    ///
    /// # Errors
    /// What the verifier finds.
    pub fn new(module: &'a Module) -> Result<Interpreter<'a>, VerifyError> {
        verify(module)?;
        Ok(Interpreter { module, step_limit: 1 << 20 })
    }

    /// Sets how many instructions a run may execute (a million by default).
    pub fn step_limit(self, step_limit: u64) -> Interpreter<'a> {
        Interpreter { step_limit, ..self }
    }

    /// Runs all lanes.
    ///
    /// # Errors
    /// When the step limit is reached.
    pub fn run(&self, environment: &dyn Environment) -> Result<Outcome, RunError> {
        let m = self.module;
        let mut run = Run {
            m,
            environment,
            values: vec![[[0; 4]; LANES]; m.values.len()],
            vars: m.vars.iter().map(|v| vec![[[0; 4]; LANES]; v.array.unwrap_or(1) as usize]).collect(),
            outcome: Outcome { outputs: vec![[[0; 4]; LANES]; m.outputs.len()], demoted: [false; LANES], steps: 0 },
            step_limit: self.step_limit,
        };
        run.region(m.body, Active::ALL, None, None)?;
        Ok(run.outcome)
    }
}

/// Bit per lane.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Active(u8);

impl Active {
    const ALL: Active = Active((1 << LANES) - 1);

    fn lanes(self) -> impl Iterator<Item = usize> {
        (0..LANES).filter(move |lane| self.0 >> lane & 1 != 0)
    }

    fn any(self) -> bool {
        self.0 != 0
    }
}

struct Run<'a> {
    m: &'a Module,
    environment: &'a dyn Environment,
    values: Vec<Lanes>,
    vars: Vec<Vec<Lanes>>,
    outcome: Outcome,
    step_limit: u64,
}

/// Lanes that left a region, by the way they went.
#[derive(Clone, Copy)]
struct Exits {
    /// Through `yield`.
    yielded: u8,
    /// Through `continue`.
    continued: u8,
    /// Through `break`.
    broke: u8,
}

impl Run<'_> {
    /// Runs a region in the lanes of `active`. `if_` are the results that `yield` sets; `loop_` those that `break` sets, and the
    /// parameters that `continue` sets.
    fn region(
        &mut self,
        region: Region,
        mut active: Active,
        if_: Option<&Args>,
        loop_: Option<(&Args, Region)>,
    ) -> Result<Exits, RunError> {
        let m = self.m;
        let mut exits = Exits { yielded: 0, continued: 0, broke: 0 };
        for &inst in &m.region(region).insts {
            if !active.any() {
                break;
            }
            self.outcome.steps += 1;
            if self.outcome.steps > self.step_limit {
                return Err(RunError::StepLimit(self.step_limit));
            }
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => {
                    let cond = self.values[data.args[0].index()];
                    let taken = active.lanes().filter(|&l| cond[l][0] != 0).fold(0, |mask, l| mask | 1 << l);
                    let mut rest = 0;
                    for (region, mask) in [(yes, taken), (no, active.0 & !taken)] {
                        let exit = self.region(region, Active(mask), Some(&data.results), loop_)?;
                        exits.continued |= exit.continued;
                        exits.broke |= exit.broke;
                        rest |= exit.yielded;
                    }
                    active = Active(rest);
                }
                (Op::Loop, Imm::Loop(body)) => {
                    self.assign(&m.region(body).params, &data.args, active);
                    let mut broke = 0;
                    while active.any() {
                        let exit = self.region(body, active, None, Some((&data.results, body)))?;
                        broke |= exit.broke;
                        active = Active(exit.continued);
                    }
                    active = Active(broke);
                }
                (Op::Yield, _) => {
                    if let Some(results) = if_ {
                        self.assign(results, &data.args, active);
                    }
                    exits.yielded |= active.0;
                }
                (Op::Break, _) => {
                    if let Some((results, _)) = loop_ {
                        self.assign(results, &data.args, active);
                    }
                    exits.broke |= active.0;
                }
                (Op::Continue, _) => {
                    if let Some((_, body)) = loop_ {
                        self.assign(&m.region(body).params, &data.args, active);
                    }
                    exits.continued |= active.0;
                }
                (Op::Return | Op::Unreachable, _) => {}
                _ => self.inst(data, active),
            }
        }
        Ok(exits)
    }

    /// Sets `to` to `from`, all at once, in the active lanes.
    fn assign(&mut self, to: &Args, from: &Args, active: Active) {
        let bits: SmallVec<[Lanes; 8]> = from.iter().map(|v| self.values[v.index()]).collect();
        for (to, bits) in to.iter().zip(bits) {
            for lane in active.lanes() {
                self.values[to.index()][lane] = bits[lane];
            }
        }
    }

    fn bits(&self, value: Value, lane: usize) -> [u32; 4] {
        self.values[value.index()][lane]
    }

    fn floats(&self, value: Value, lane: usize) -> [f32; 3] {
        let ty = self.m.ty(value);
        let bits = self.bits(value, lane);
        std::array::from_fn(|i| if i < ty.lanes as usize { f32::from_bits(bits[i]) } else { 0.0 })
    }

    /// An instruction other than control flow.
    fn inst(&mut self, data: &InstData, active: Active) {
        for lane in active.lanes() {
            let bits = match (data.op, data.imm) {
                (Op::Const, Imm::Const(bits)) => bits,
                (Op::Load, Imm::Var(var)) => self.vars[var.index()][0][lane],
                (Op::LoadElem, Imm::Var(var)) => {
                    let index = self.element(var.index(), data.args[0], lane);
                    self.vars[var.index()][index][lane]
                }
                (Op::Store, Imm::VarMask(var, mask)) => {
                    let value = self.bits(data.args[0], lane);
                    write(&mut self.vars[var.index()][0][lane], mask, value);
                    continue;
                }
                (Op::StoreElem, Imm::VarMask(var, mask)) => {
                    let index = self.element(var.index(), data.args[0], lane);
                    let value = self.bits(data.args[1], lane);
                    write(&mut self.vars[var.index()][index][lane], mask, value);
                    continue;
                }
                (Op::LoadInput, Imm::Input(input)) => {
                    let decl = &self.m.inputs[input.index()];
                    cut(self.environment.input(decl, lane), decl.ty)
                }
                (Op::StoreOutput, Imm::Output(output)) => {
                    self.outcome.outputs[output.index()][lane] = self.bits(data.args[0], lane);
                    continue;
                }
                (Op::LoadConst | Op::LoadConstDyn, Imm::Bank(bank, base)) => {
                    let decl = &self.m.banks[bank.index()];
                    let offset = data.args.first().map_or(0, |&index| self.bits(index, lane)[0] as i32);
                    let index = base.wrapping_add(offset).clamp(0, decl.size as i32 - 1) as u32;
                    decl.def(index).unwrap_or_else(|| self.environment.constant(decl, index))
                }
                (Op::Sample | Op::SampleBias | Op::SampleLod | Op::SampleGrad, Imm::Texture(texture, _)) => {
                    let decl = &self.m.textures[texture.index()];
                    let args = self.sample_args(data, decl.dim, decl.shadow, lane);
                    self.environment.sample(decl, &args).map(number)
                }
                (Op::Gather, Imm::Gather(texture, ..)) => {
                    let coord = self.floats(data.args[0], lane);
                    self.environment.gather(&self.m.textures[texture.index()], coord).map(number)
                }
                (Op::LoadSpec, Imm::Spec(spec)) => [self.environment.spec(&self.m.specs[spec.index()]), 0, 0, 0],
                (Op::Ddx, _) => self.difference(data.args[0], lane & !1, lane | 1),
                (Op::Ddy, _) => self.difference(data.args[0], lane & !2, lane | 2),
                (Op::Demote, _) => {
                    self.outcome.demoted[lane] |= self.bits(data.args[0], lane)[0] != 0;
                    continue;
                }
                _ => evaluate(self.m, data, |value| self.bits(value, lane)).unwrap_or_default(),
            };
            self.values[data.results[0].index()][lane] = bits;
        }
    }

    fn element(&self, var: usize, index: Value, lane: usize) -> usize {
        (self.bits(index, lane)[0] as usize).min(self.vars[var].len() - 1)
    }

    /// `value` in lane `to` minus `value` in lane `from`.
    fn difference(&self, value: Value, from: usize, to: usize) -> [u32; 4] {
        let (a, b) = (self.bits(value, from), self.bits(value, to));
        let ty = self.m.ty(value);
        cut(std::array::from_fn(|i| number(f32::from_bits(b[i]) - f32::from_bits(a[i]))), ty)
    }

    fn sample_args(&self, data: &InstData, dim: Dim, shadow: bool, lane: usize) -> SampleArgs {
        let coord = data.args[0];
        let quad = |bias| {
            let difference = |from, to| {
                let bits = self.difference(coord, from, to);
                std::array::from_fn(|i| if i < dim.coords() as usize { f32::from_bits(bits[i]) } else { 0.0 })
            };
            Lod::Gradient { dx: difference(lane & !1, lane | 1), dy: difference(lane & !2, lane | 2), bias }
        };
        let lod = match data.op {
            Op::SampleBias => quad(self.floats(data.args[1], lane)[0]),
            Op::SampleLod => Lod::Level(self.floats(data.args[1], lane)[0]),
            Op::SampleGrad => {
                Lod::Gradient { dx: self.floats(data.args[1], lane), dy: self.floats(data.args[2], lane), bias: 0.0 }
            }
            _ => quad(0.0),
        };
        let reference = data.args.last().filter(|_| shadow).map(|&r| self.floats(r, lane)[0]);
        SampleArgs { coord: self.floats(coord, lane), lod, reference }
    }
}

/// Bits of a result; NaN has one pattern, as in the opcode table.
fn number(f: f32) -> u32 {
    if f.is_nan() { f32::NAN.to_bits() } else { f.to_bits() }
}

/// Zeroes the components that the type does not have.
fn cut(mut bits: [u32; 4], ty: Type) -> [u32; 4] {
    bits[ty.lanes as usize..].fill(0);
    bits
}

fn write(to: &mut [u32; 4], mask: Mask, from: [u32; 4]) {
    for lane in mask.lanes() {
        to[lane as usize] = from[lane as usize];
    }
}
