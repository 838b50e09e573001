//! Blocks to a tree.
//!
//! SPIR-V's merge instructions say where constructs end, so a walk from the entry block finds the tree again: a branch to the
//! block behind the innermost construct is falling through, a branch to the end of a construct further out is a jump, every
//! other block belongs where the walk meets it. Jumps that the IR has (`break`, `continue`, `return`) stay; a construct that is
//! left by others becomes a [`Node::Scope`].
//!
//! A block that two ways reach without a merge instruction is walked twice; that is right, but a module that does it a lot is
//! refused ([`LiftErrorKind::Unstructured`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{LiftError, LiftErrorKind};
use crate::tables::op;
use crate::types::{Declared, Function};

/// Deepest nesting of constructs in a function.
const MAX_NESTING: usize = 100;
/// Stands for the block behind the function.
const RETURN: usize = usize::MAX;
/// Instructions in continue constructs that are repeated at each `continue`, all of them together.
const MAX_REPEATED: usize = 64;

/// Number of a scope or loop in its function.
pub(crate) type ScopeId = u32;
/// The scope that a return leaves.
pub(crate) const FUNCTION: ScopeId = 0;

/// A piece of a function. Blocks are numbers in `Function::blocks`.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// The instructions of a block, without merge instruction and terminator.
    Block(usize),
    /// What the phis of the second block get on the way from the first.
    Edge(usize, usize),
    /// Condition, computed by the end of the block.
    If { block: usize, cond: u32, yes: Vec<Node>, no: Vec<Node> },
    /// Cases in an order in which control only falls to later ones.
    Switch { block: usize, selector: u32, cases: Vec<Case> },
    /// Until it is left.
    Loop { scope: ScopeId, body: Vec<Node>, next: Continue },
    /// What [`Node::Break`] can leave.
    Scope(ScopeId, Vec<Node>),
    /// Leaves a scope or loop.
    Break(ScopeId),
    /// The continue construct of a loop, then its next round.
    Continue(ScopeId),
    /// The next round of a loop.
    Again(ScopeId),
    /// Says that case n of the switch which begins in the block is to run next.
    Fall(usize, usize),
    /// Sets the function's result.
    Result { block: usize, value: u32 },
    /// Throws the pixel away and ends the shader.
    Kill,
    /// Cannot be reached.
    Unreachable,
}

/// The continue construct of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Continue {
    /// Follows the body, and is repeated at each [`Node::Continue`].
    Inline(Vec<Node>),
    /// Stands at the begin of the loop and is skipped in the first round.
    Shared(Vec<Node>),
}

/// Where a switch leads.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) literals: Vec<u32>,
    pub(crate) default: bool,
    /// Number of the case in [`Node::Fall`].
    pub(crate) number: usize,
    /// Whether another case falls into it.
    pub(crate) fallen: bool,
    /// On the way from the switch itself.
    pub(crate) entry: Vec<Node>,
    pub(crate) body: Vec<Node>,
}

/// A construct around the place of the walk. `targets` are numbers of cases by block.
enum Frame {
    Selection { merge: usize, scope: ScopeId },
    Loop { header: usize, merge: usize, next: usize, scope: ScopeId },
    Cases { block: usize, targets: Rc<FxHashMap<usize, usize>>, merge: usize, scope: ScopeId },
}

/// Where a branch leads.
enum Way {
    /// To what follows anyway.
    Through,
    /// Somewhere else; the jump has been written.
    Jumped,
    /// To a block that stands here.
    Here(usize),
}

struct Walk<'a> {
    d: &'a Declared<'a>,
    f: &'a Function,
    frames: Vec<Frame>,
    used: FxHashMap<ScopeId, u32>,
    scopes: ScopeId,
    budget: usize,
}

/// The tree of a function. Returns are [`Node::Break`] of [`FUNCTION`] where they do not fall through.
pub(crate) fn structure(d: &Declared<'_>, f: &Function) -> Result<Vec<Node>, LiftError> {
    let mut walk = Walk {
        d,
        f,
        frames: Vec::new(),
        used: FxHashMap::default(),
        scopes: FUNCTION,
        budget: f.blocks.len() * 2 + 64,
    };
    if f.blocks.is_empty() {
        return Err(walk.error(f.end, LiftErrorKind::Malformed("the function has no body")));
    }
    walk.sequence(0, RETURN)
}

impl Walk<'_> {
    fn error(&self, number: usize, kind: LiftErrorKind) -> LiftError {
        LiftError::at(&self.d.program.instructions[number], kind)
    }

    fn operands(&self, number: usize) -> &[u32] {
        self.d.program.operands(&self.d.program.instructions[number])
    }

    fn block(&self, number: usize, label: u32) -> Result<usize, LiftError> {
        let known = self.f.labels.get(&label).copied();
        known.ok_or_else(|| self.error(number, LiftErrorKind::NotABlock(label)))
    }

    fn scope(&mut self) -> ScopeId {
        self.scopes += 1;
        self.scopes
    }

    /// The way of a branch, after the values that it brings to phis.
    fn go(&mut self, from: usize, to: usize, follow: usize, out: &mut Vec<Node>) -> Way {
        if to != RETURN && self.f.blocks[to].has_phis {
            out.push(Node::Edge(from, to));
        }
        self.way(to, follow, out)
    }

    /// How control comes to `to` where it would fall to `follow`.
    fn way(&mut self, to: usize, follow: usize, out: &mut Vec<Node>) -> Way {
        if to == follow {
            return Way::Through;
        }
        let leave = if to == RETURN { Some(FUNCTION) } else { None };
        let mut leave = leave.map(Node::Break);
        for frame in self.frames.iter().rev() {
            if leave.is_some() {
                break;
            }
            leave = match *frame {
                Frame::Selection { merge, scope }
                | Frame::Cases { merge, scope, .. }
                | Frame::Loop { merge, scope, .. }
                    if merge == to =>
                {
                    Some(Node::Break(scope))
                }
                Frame::Loop { next, scope, .. } if next == to => Some(Node::Continue(scope)),
                Frame::Loop { header, scope, .. } if header == to => Some(Node::Again(scope)),
                Frame::Cases { block, ref targets, merge, scope } => {
                    let Some(&case) = targets.get(&to) else { continue };
                    out.push(Node::Fall(block, case));
                    if merge == follow {
                        return Way::Through;
                    }
                    Some(Node::Break(scope))
                }
                _ => None,
            };
        }
        let Some(node) = leave else { return Way::Here(to) };
        if let Node::Break(scope) = node {
            *self.used.entry(scope).or_default() += 1;
        }
        out.push(node);
        Way::Jumped
    }

    /// A branch and all that it leads to before `follow`.
    fn branch(&mut self, from: usize, to: usize, follow: usize) -> Result<Vec<Node>, LiftError> {
        let mut out = Vec::new();
        if let Way::Here(block) = self.go(from, to, follow, &mut out) {
            out.extend(self.sequence(block, follow)?);
        }
        Ok(out)
    }

    /// What comes at `to` before `follow` is reached.
    fn rest(&mut self, to: usize, follow: usize) -> Result<Vec<Node>, LiftError> {
        let mut out = Vec::new();
        if let Way::Here(block) = self.way(to, follow, &mut out) {
            out.extend(self.sequence(block, follow)?);
        }
        Ok(out)
    }

    /// Blocks from `block` on until `follow` is reached.
    fn sequence(&mut self, mut block: usize, follow: usize) -> Result<Vec<Node>, LiftError> {
        let mut out = Vec::new();
        loop {
            let data = &self.f.blocks[block];
            if self.budget == 0 {
                return Err(self.error(data.terminator, LiftErrorKind::Unstructured));
            }
            self.budget -= 1;
            let way = match data.merge {
                Some(merge) if self.d.program.instructions[merge].opcode() == op::LoopMerge => {
                    let operands = self.operands(merge);
                    let (after, next) = (self.block(merge, operands[0])?, self.block(merge, operands[1])?);
                    out.push(self.loop_(block, after, next)?);
                    self.way(after, follow, &mut out)
                }
                merge => {
                    out.push(Node::Block(block));
                    let after = merge.map(|merge| self.block(merge, self.operands(merge)[0])).transpose()?;
                    self.terminator(block, after, follow, &mut out)?
                }
            };
            match way {
                Way::Here(to) => block = to,
                Way::Through | Way::Jumped => return Ok(out),
            }
        }
    }

    /// What the end of a block does. `after` is where its own construct ends.
    fn terminator(
        &mut self,
        block: usize,
        after: Option<usize>,
        follow: usize,
        out: &mut Vec<Node>,
    ) -> Result<Way, LiftError> {
        let number = self.f.blocks[block].terminator;
        let opcode = self.d.program.instructions[number].opcode();
        let operands = self.operands(number).to_vec();
        match opcode {
            op::Branch => {
                let to = self.block(number, operands[0])?;
                Ok(self.go(block, to, follow, out))
            }
            op::BranchConditional => {
                let (yes, no) = (self.block(number, operands[1])?, self.block(number, operands[2])?);
                self.conditional(block, operands[0], [yes, no], after, follow, out)
            }
            op::Switch => self.switch(block, number, &operands, after, follow, out),
            op::Return => Ok(self.go(block, RETURN, follow, out)),
            op::ReturnValue => {
                out.push(Node::Result { block, value: operands[0] });
                Ok(self.go(block, RETURN, follow, out))
            }
            op::Unreachable => {
                out.push(Node::Unreachable);
                Ok(Way::Jumped)
            }
            _ => {
                out.push(Node::Kill);
                Ok(Way::Jumped)
            }
        }
    }

    fn conditional(
        &mut self,
        block: usize,
        cond: u32,
        [yes, no]: [usize; 2],
        after: Option<usize>,
        follow: usize,
        out: &mut Vec<Node>,
    ) -> Result<Way, LiftError> {
        let Some(after) = after else {
            // No construct of its own: at least one way leaves. The other one goes on behind the `if`, so that a row of such
            // branches does not nest.
            let mut sides = [Vec::new(), Vec::new()];
            let ways = [self.go(block, yes, follow, &mut sides[0]), self.go(block, no, follow, &mut sides[1])];
            let [mut yes, mut no] = sides;
            let (way, rest) = match ways {
                [Way::Jumped, way] => (way, std::mem::take(&mut no)),
                [way, Way::Jumped] => (way, std::mem::take(&mut yes)),
                ways => {
                    for (side, way) in [&mut yes, &mut no].into_iter().zip(ways) {
                        if let Way::Here(to) = way {
                            self.deeper(block)?;
                            side.extend(self.sequence(to, follow)?);
                            self.frames.pop();
                        }
                    }
                    (Way::Through, Vec::new())
                }
            };
            out.push(Node::If { block, cond, yes, no });
            out.extend(rest);
            return Ok(way);
        };
        let scope = self.scope();
        self.enter(block, Frame::Selection { merge: after, scope })?;
        let mut yes = self.branch(block, yes, after)?;
        let mut no = self.branch(block, no, after)?;
        self.frames.pop();
        let used = self.used.contains_key(&scope);
        if !used
            && (self.absorb(block, &mut yes, &mut no, after, follow)?
                || self.absorb(block, &mut no, &mut yes, after, follow)?)
        {
            out.push(Node::If { block, cond, yes, no });
            return Ok(Way::Through);
        }
        let node = Node::If { block, cond, yes, no };
        out.push(if used { Node::Scope(scope, vec![node]) } else { node });
        Ok(self.way(after, follow, out))
    }

    /// If `side` ends with a jump to `follow`, lets it fall there and moves all that comes at `after` to the end of `other`.
    fn absorb(
        &mut self,
        block: usize,
        side: &mut Vec<Node>,
        other: &mut Vec<Node>,
        after: usize,
        follow: usize,
    ) -> Result<bool, LiftError> {
        let target = match side.last() {
            Some(&Node::Break(scope)) => self.end_of(scope),
            Some(&Node::Continue(scope)) => self.frames.iter().find_map(|frame| match *frame {
                Frame::Loop { next, scope: s, .. } if s == scope => Some(next),
                _ => None,
            }),
            _ => None,
        };
        if target != Some(follow) || ends_in_jump(other) {
            return Ok(false);
        }
        if let Some(Node::Break(scope)) = side.pop() {
            match self.used.get_mut(&scope) {
                Some(uses) if *uses > 1 => *uses -= 1,
                _ => {
                    self.used.remove(&scope);
                }
            }
        }
        self.deeper(block)?;
        other.extend(self.rest(after, follow)?);
        self.frames.pop();
        Ok(true)
    }

    fn enter(&mut self, block: usize, frame: Frame) -> Result<(), LiftError> {
        if self.frames.len() >= MAX_NESTING {
            return Err(self.error(self.f.blocks[block].terminator, LiftErrorKind::TooDeep));
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Counts a level of nesting that is no construct. The frame matches no block.
    fn deeper(&mut self, block: usize) -> Result<(), LiftError> {
        self.enter(block, Frame::Selection { merge: RETURN, scope: ScopeId::MAX })
    }

    /// The block behind a scope that is no loop.
    fn end_of(&self, scope: ScopeId) -> Option<usize> {
        if scope == FUNCTION {
            return Some(RETURN);
        }
        self.frames.iter().find_map(|frame| match *frame {
            Frame::Selection { merge, scope: s } | Frame::Cases { merge, scope: s, .. } if s == scope => Some(merge),
            _ => None,
        })
    }

    fn loop_(&mut self, header: usize, after: usize, next: usize) -> Result<Node, LiftError> {
        let scope = self.scope();
        self.enter(header, Frame::Loop { header, merge: after, next, scope })?;
        let mut body = vec![Node::Block(header)];
        if let Way::Here(block) = self.terminator(header, None, next, &mut body)? {
            body.extend(self.sequence(block, next)?);
        }
        let mut construct = Vec::new();
        if next != header {
            construct = self.sequence(next, header)?;
        }
        self.frames.pop();
        let jumps = count(&body, &|node| matches!(node, Node::Continue(s) if *s == scope));
        let shared = jumps * self.size(&construct) > MAX_REPEATED;
        let again = |node: &Node| match node {
            // The construct would be part of itself.
            Node::Continue(s) => *s == scope,
            Node::Again(s) => shared && *s == scope,
            _ => false,
        };
        if count(&construct, &again) > 0 {
            return Err(self.error(self.f.blocks[next].terminator, LiftErrorKind::Unstructured));
        }
        let next = if shared { Continue::Shared(construct) } else { Continue::Inline(construct) };
        Ok(Node::Loop { scope, body, next })
    }

    fn size(&self, nodes: &[Node]) -> usize {
        let mut total = 0;
        visit(nodes, &mut |node| {
            total += match node {
                Node::Block(block) => self.f.blocks[*block].code.len() + 1,
                _ => 1,
            };
        });
        total
    }

    fn switch(
        &mut self,
        block: usize,
        number: usize,
        operands: &[u32],
        after: Option<usize>,
        follow: usize,
        out: &mut Vec<Node>,
    ) -> Result<Way, LiftError> {
        let Some(merge) = after else { return Err(self.error(number, LiftErrorKind::Unstructured)) };
        let mut cases: Vec<(usize, Case)> = Vec::new();
        let mut targets: FxHashMap<usize, usize> = FxHashMap::default();
        let (pairs, _) = operands.get(2..).unwrap_or_default().as_chunks::<2>();
        let literals = pairs.iter().map(|&[literal, label]| (Some(literal), label));
        for (literal, label) in std::iter::once((None, operands[1])).chain(literals) {
            let to = self.block(number, label)?;
            let at = *targets.entry(to).or_insert_with(|| {
                let number = cases.len();
                let (entry, body) = (Vec::new(), Vec::new());
                cases.push((to, Case { literals: Vec::new(), default: false, number, fallen: false, entry, body }));
                number
            });
            match literal {
                Some(literal) => cases[at].1.literals.push(literal),
                None => cases[at].1.default = true,
            }
        }
        // A case that is the end of the switch is no case to fall into.
        targets.remove(&merge);
        let targets = Rc::new(targets);
        // Pairs of cases, the first falling into the second.
        let mut falls = Vec::new();
        for (to, case) in &mut cases {
            if let Way::Here(to) = self.go(block, *to, merge, &mut case.entry) {
                let scope = self.scope();
                self.enter(block, Frame::Cases { block, targets: targets.clone(), merge, scope })?;
                case.body = self.sequence(to, merge)?;
                self.frames.pop();
                if self.used.contains_key(&scope) {
                    case.body = vec![Node::Scope(scope, std::mem::take(&mut case.body))];
                }
            }
            let from = case.number;
            visit(&case.body, &mut |node| {
                if let Node::Fall(of, into) = node
                    && *of == block
                {
                    falls.push((from, *into));
                }
            });
        }
        let cases = self.in_order(number, cases.into_iter().map(|case| case.1).collect(), &falls)?;
        out.push(Node::Switch { block, selector: operands[0], cases });
        Ok(self.way(merge, follow, out))
    }

    /// Brings each case before those that it falls into.
    fn in_order(&self, number: usize, cases: Vec<Case>, falls: &[(usize, usize)]) -> Result<Vec<Case>, LiftError> {
        if falls.is_empty() {
            return Ok(cases);
        }
        // How often cases that have no place yet fall into each.
        let mut before = vec![0usize; cases.len()];
        let mut leads: Vec<Vec<usize>> = vec![Vec::new(); cases.len()];
        for &(from, into) in falls {
            before[into] += 1;
            leads[from].push(into);
        }
        let mut free: BinaryHeap<Reverse<usize>> = (0..cases.len()).filter(|&c| before[c] == 0).map(Reverse).collect();
        let fallen = before.clone();
        let mut left: Vec<Option<Case>> = cases.into_iter().map(Some).collect();
        let mut out: Vec<Case> = Vec::with_capacity(left.len());
        while let Some(Reverse(number)) = free.pop() {
            for &into in &leads[number] {
                before[into] -= 1;
                if before[into] == 0 {
                    free.push(Reverse(into));
                }
            }
            out.extend(left[number].take().map(|case| Case { fallen: fallen[number] > 0, ..case }));
        }
        if out.len() < left.len() {
            return Err(self.error(number, LiftErrorKind::Unstructured));
        }
        Ok(out)
    }
}

/// Whether control never comes to the end.
fn ends_in_jump(nodes: &[Node]) -> bool {
    match nodes.last() {
        Some(Node::Break(_) | Node::Continue(_) | Node::Again(_) | Node::Kill | Node::Unreachable) => true,
        Some(Node::If { yes, no, .. }) => ends_in_jump(yes) && ends_in_jump(no),
        _ => false,
    }
}

fn visit<'n>(nodes: &'n [Node], see: &mut impl FnMut(&'n Node)) {
    fn each<'n>(nodes: &'n [Node], see: &mut dyn FnMut(&'n Node)) {
        for node in nodes {
            see(node);
            match node {
                Node::If { yes, no, .. } => {
                    each(yes, see);
                    each(no, see);
                }
                Node::Switch { cases, .. } => cases.iter().for_each(|case| {
                    each(&case.entry, see);
                    each(&case.body, see);
                }),
                Node::Loop { body, next: Continue::Inline(next) | Continue::Shared(next), .. } => {
                    each(body, see);
                    each(next, see);
                }
                Node::Scope(_, body) => each(body, see),
                _ => {}
            }
        }
    }
    each(nodes, see);
}

fn count(nodes: &[Node], want: &dyn Fn(&Node) -> bool) -> usize {
    let mut count = 0;
    visit(nodes, &mut |node| count += want(node) as usize);
    count
}

/// Whether anything jumps out of `scope`.
pub(crate) fn leaves(nodes: &[Node], scope: ScopeId) -> bool {
    count(nodes, &|node| matches!(node, Node::Break(s) if *s == scope)) > 0
}
