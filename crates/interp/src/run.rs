//! Executes a module.

use afterimage_ir::{Args, Flags, Imm, InputAt, InstData, Mask, Module, Op, Region, Stage, Type, Value, VerifyError};
use afterimage_ir::{evaluate, verify};
use smallvec::SmallVec;

use crate::active::Active;
use crate::races::Races;
use crate::{Emitted, Environment, LANES, Lanes};

/// Why a run has no outcome.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The shader ran longer than it may.
    #[error("the shader did not end within {0} steps")]
    StepLimit(u64),
    /// A run of another kind than the module's stage has.
    #[error("the {0} stage has no {1}")]
    Stage(&'static str, &'static str),
    /// A barrier where some lanes of the group were elsewhere, or had ended.
    #[error("a barrier that {0} of {1} lanes reach")]
    Barrier(usize, usize),
    /// A word of the group's memory, by its byte offset, that a lane wrote and another one accessed without a barrier between.
    #[error("accesses of byte {0} of shared memory without a barrier between")]
    Race(usize),
    /// A size of waves that there is not.
    #[error("a wave has 1 to 64 lanes, not {0}")]
    Wave(usize),
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

/// A work group to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// Its place.
    pub id: [u32; 3],
    /// Number of work groups in each direction.
    pub count: [u32; 3],
    /// Lanes of a wave, 1 to 64.
    pub wave: usize,
}

/// A module ready to run.
pub struct Interpreter<'a> {
    pub(crate) module: &'a Module,
    step_limit: u64,
    whole_barriers: bool,
    /// The first word of shared memory whose accesses are in order.
    ordered: Option<usize>,
}

impl<'a> Interpreter<'a> {
    /// Prepares `module`, which is verified here.
    ///
    /// # Errors
    /// What the verifier finds.
    pub fn new(module: &'a Module) -> Result<Interpreter<'a>, VerifyError> {
        verify(module)?;
        Ok(Interpreter { module, step_limit: 1 << 20, whole_barriers: false, ordered: None })
    }

    /// Sets how many instructions a run may execute (a million by default).
    pub fn step_limit(self, step_limit: u64) -> Interpreter<'a> {
        Interpreter { step_limit, ..self }
    }

    /// Barriers are for all lanes of a work group, as devices have it: a run ends with an error at one that only some reach.
    pub fn whole_barriers(self) -> Interpreter<'a> {
        Interpreter { whole_barriers: true, ..self }
    }

    /// From byte `first` of the group's memory on, a run ends with an error where a lane accesses what another one has written, or writes
    /// what another one has accessed, without a barrier between. Barriers are for all lanes.
    pub fn ordered_from(self, first: u32) -> Interpreter<'a> {
        Interpreter { ordered: Some(first as usize / 4), whole_barriers: true, ..self }
    }

    pub(crate) fn prepare<'b>(&'b self, environment: &'b dyn Environment, lanes: usize, group: Group) -> Run<'b> {
        let m = self.module;
        Run {
            m,
            environment,
            group,
            lanes,
            wave: group.wave,
            values: vec![[0; 4]; m.values.len() * lanes],
            vars: m.vars.iter().map(|v| vec![[0; 4]; v.array.unwrap_or(1) as usize * lanes]).collect(),
            shared: vec![0; m.shared as usize / 4],
            outputs: vec![[[0; 4]; LANES]; m.outputs.len()],
            demoted: [false; LANES],
            emitted: Emitted::default(),
            steps: 0,
            step_limit: self.step_limit,
            whole_barriers: self.whole_barriers,
            races: Races::new(self.ordered, m.shared as usize / 4),
        }
    }

    /// Runs a quad of pixels, or four vertices. They are a wave.
    ///
    /// # Errors
    /// When the step limit is reached, or it is a geometry shader.
    pub fn run(&self, environment: &dyn Environment) -> Result<Outcome, RunError> {
        if self.module.stage == Stage::Geometry {
            return Err(RunError::Stage(self.module.stage.name(), "quads"));
        }
        let mut run = self.prepare(environment, LANES, Group { id: [0; 3], count: [1; 3], wave: LANES });
        run.region(self.module.body, Active::all(LANES), None, None)?;
        Ok(Outcome { outputs: run.outputs, demoted: run.demoted, steps: run.steps })
    }

    /// Runs a work group, all of its lanes in step. Lanes are numbered x first. What it does is in the environment's memory; the
    /// number of instructions executed is returned.
    ///
    /// # Errors
    /// When the step limit is reached, or the module or the waves are not such that there are work groups.
    pub fn run_group(&self, environment: &dyn Environment, group: Group) -> Result<u64, RunError> {
        let m = self.module;
        if m.stage != Stage::Compute {
            return Err(RunError::Stage(m.stage.name(), "work groups"));
        }
        if !(1..=64).contains(&group.wave) {
            return Err(RunError::Wave(group.wave));
        }
        let lanes = m.group.iter().product::<u32>() as usize;
        let mut run = self.prepare(environment, lanes, group);
        run.region(m.body, Active::all(lanes), None, None)?;
        Ok(run.steps)
    }
}

pub(crate) struct Run<'a> {
    pub(crate) m: &'a Module,
    pub(crate) environment: &'a dyn Environment,
    group: Group,
    pub(crate) lanes: usize,
    pub(crate) wave: usize,
    /// All lanes of a value one after the other.
    values: Vec<[u32; 4]>,
    /// All lanes of an element one after the other.
    vars: Vec<Vec<[u32; 4]>>,
    /// The work group's memory.
    pub(crate) shared: Vec<u32>,
    pub(crate) outputs: Vec<Lanes>,
    pub(crate) emitted: Emitted,
    demoted: [bool; LANES],
    pub(crate) steps: u64,
    step_limit: u64,
    whole_barriers: bool,
    pub(crate) races: Races,
}

/// Lanes that left a region, by the way they went.
pub(crate) struct Exits {
    /// Through `yield`.
    yielded: Active,
    /// Through `continue`.
    continued: Active,
    /// Through `break`.
    broke: Active,
}

impl Run<'_> {
    /// Runs a region in the lanes of `active`. `if_` are the results that `yield` sets; `loop_` those that `break` sets, and the
    /// parameters that `continue` sets.
    pub(crate) fn region(
        &mut self,
        region: Region,
        mut active: Active,
        if_: Option<&Args>,
        loop_: Option<(&Args, Region)>,
    ) -> Result<Exits, RunError> {
        let m = self.m;
        let none = || Active::none(self.lanes);
        let mut exits = Exits { yielded: none(), continued: none(), broke: none() };
        for &inst in &m.region(region).insts {
            if !active.any() {
                break;
            }
            self.steps += 1;
            if self.steps > self.step_limit {
                return Err(RunError::StepLimit(self.step_limit));
            }
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => {
                    let mut taken = Active::none(self.lanes);
                    active.lanes().filter(|&l| self.bits(data.args[0], l)[0] != 0).for_each(|l| taken.insert(l));
                    let other = active.without(&taken);
                    let mut rest = Active::none(self.lanes);
                    for (region, lanes) in [(yes, taken), (no, other)] {
                        let exit = self.region(region, lanes, Some(&data.results), loop_)?;
                        exits.continued.add(&exit.continued);
                        exits.broke.add(&exit.broke);
                        rest.add(&exit.yielded);
                    }
                    active = rest;
                }
                (Op::Loop, Imm::Loop(body)) => {
                    self.assign(&m.region(body).params, &data.args, &active);
                    let mut broke = Active::none(self.lanes);
                    while active.any() {
                        let exit = self.region(body, active, None, Some((&data.results, body)))?;
                        broke.add(&exit.broke);
                        active = exit.continued;
                    }
                    active = broke;
                }
                (Op::Yield, _) => {
                    if let Some(results) = if_ {
                        self.assign(results, &data.args, &active);
                    }
                    exits.yielded.add(&active);
                }
                (Op::Break, _) => {
                    if let Some((results, _)) = loop_ {
                        self.assign(results, &data.args, &active);
                    }
                    exits.broke.add(&active);
                }
                (Op::Continue, _) => {
                    if let Some((_, body)) = loop_ {
                        self.assign(&m.region(body).params, &data.args, &active);
                    }
                    exits.continued.add(&active);
                }
                (Op::Return | Op::Unreachable, _) => {}
                (Op::Barrier, _) if self.whole_barriers && active.lanes().count() != self.lanes => {
                    return Err(RunError::Barrier(active.lanes().count(), self.lanes));
                }
                (Op::Barrier, _) => self.races.wait(),
                _ => self.inst(data, &active),
            }
            if let Some(word) = self.races.found() {
                return Err(RunError::Race(word * 4));
            }
        }
        Ok(exits)
    }

    /// Sets `to` to `from`, all at once, in the active lanes.
    fn assign(&mut self, to: &Args, from: &Args, active: &Active) {
        for lane in active.lanes() {
            let bits: SmallVec<[[u32; 4]; 8]> = from.iter().map(|&v| self.bits(v, lane)).collect();
            for (&to, bits) in to.iter().zip(bits) {
                *self.place(to, lane) = bits;
            }
        }
    }

    pub(crate) fn bits(&self, value: Value, lane: usize) -> [u32; 4] {
        self.values[value.index() * self.lanes + lane]
    }

    fn place(&mut self, value: Value, lane: usize) -> &mut [u32; 4] {
        &mut self.values[value.index() * self.lanes + lane]
    }

    /// An instruction other than control flow.
    fn inst(&mut self, data: &InstData, active: &Active) {
        for lane in active.lanes() {
            let bits = match (data.op, data.imm) {
                (Op::Const, Imm::Const(bits)) => bits,
                (Op::Load, Imm::Var(var)) => self.vars[var.index()][lane],
                (Op::LoadElem, Imm::Var(var)) => {
                    let at = self.element(var.index(), data.args[0], lane);
                    self.vars[var.index()][at]
                }
                (Op::Store, Imm::VarMask(var, mask)) => {
                    let value = self.bits(data.args[0], lane);
                    write(&mut self.vars[var.index()][lane], mask, value);
                    continue;
                }
                (Op::StoreElem, Imm::VarMask(var, mask)) => {
                    let at = self.element(var.index(), data.args[0], lane);
                    let value = self.bits(data.args[1], lane);
                    write(&mut self.vars[var.index()][at], mask, value);
                    continue;
                }
                (Op::LoadInput, Imm::Input(input)) => self.input(input.index(), lane),
                (Op::LoadVertexInput, Imm::Input(input)) => self.vertex_input(input, data.args[0]),
                (Op::EmitVertex | Op::EndPrimitive, Imm::Stream(stream)) => {
                    self.emit(data.op, stream);
                    continue;
                }
                (Op::StoreOutput, Imm::Output(output)) => {
                    let value = self.bits(data.args[0], lane);
                    if let Some(to) = self.outputs[output.index()].get_mut(lane) {
                        *to = value;
                    }
                    continue;
                }
                (Op::LoadConst | Op::LoadConstDyn, Imm::Bank(bank, base)) => {
                    let decl = &self.m.banks[bank.index()];
                    let offset = data.args.first().map_or(0, |&index| self.bits(index, lane)[0] as i32);
                    let index = base.wrapping_add(offset).clamp(0, decl.size as i32 - 1) as u32;
                    decl.def(index).unwrap_or_else(|| self.environment.constant(decl, index))
                }
                (_, Imm::Texture(..) | Imm::Gather(..)) => self.texture(data, lane),
                (_, Imm::Image(_) | Imm::ImageAtomic(..)) => match self.image(data, lane) {
                    Some(bits) => bits,
                    None => continue,
                },
                (
                    Op::LoadGlobal
                    | Op::LoadShared
                    | Op::StoreGlobal
                    | Op::StoreShared
                    | Op::AtomicGlobal
                    | Op::AtomicShared,
                    _,
                ) => match self.memory(data, lane) {
                    Some(bits) => bits,
                    None => continue,
                },
                (Op::Barrier | Op::WaveBarrier | Op::MemoryBarrier | Op::BeginInterlock | Op::EndInterlock, _) => {
                    return;
                }
                (op, _) if op.has(Flags::WAVE) || matches!(op, Op::LaneIndex | Op::WaveSize) => {
                    self.wave_op(data, active, lane)
                }
                (Op::LoadSpec, Imm::Spec(spec)) => [self.environment.spec(&self.m.specs[spec.index()]), 0, 0, 0],
                (Op::Ddx, _) => self.difference(data.args[0], lane & !1, lane | 1),
                (Op::Ddy, _) => self.difference(data.args[0], lane & !2, lane | 2),
                (Op::Demote, _) => {
                    let cond = self.bits(data.args[0], lane)[0] != 0;
                    if let Some(demoted) = self.demoted.get_mut(lane) {
                        *demoted |= cond;
                    }
                    continue;
                }
                _ => evaluate(self.m, data, |value| self.bits(value, lane)).unwrap_or_default(),
            };
            *self.place(data.results[0], lane) = bits;
        }
    }

    fn input(&self, input: usize, lane: usize) -> [u32; 4] {
        let decl = &self.m.inputs[input];
        let [width, height, _] = self.m.group;
        let number = lane as u32;
        match decl.at {
            InputAt::LocalId => [number % width, number / width % height, number / (width * height), 0],
            InputAt::LocalIndex => [number, 0, 0, 0],
            InputAt::WorkgroupId => [self.group.id[0], self.group.id[1], self.group.id[2], 0],
            InputAt::WorkgroupCount => [self.group.count[0], self.group.count[1], self.group.count[2], 0],
            _ => cut(self.environment.input(decl, lane), decl.ty),
        }
    }

    fn element(&self, var: usize, index: Value, lane: usize) -> usize {
        let last = self.vars[var].len() / self.lanes - 1;
        (self.bits(index, lane)[0] as usize).min(last) * self.lanes + lane
    }
}

/// Zeroes the components that the type does not have.
pub(crate) fn cut(mut bits: [u32; 4], ty: Type) -> [u32; 4] {
    bits[ty.lanes as usize..].fill(0);
    bits
}

fn write(to: &mut [u32; 4], mask: Mask, from: [u32; 4]) {
    for lane in mask.lanes() {
        to[lane as usize] = from[lane as usize];
    }
}
