//! Any control-flow graph as nested `if`s and loops.
//!
//! Three steps, each bounded by a small multiple of the graph's size:
//!
//! 1. **Loops** are the strongly connected parts of the graph, then those of each part without its header, and so on. A part that
//!    is entered in several places (irreducible flow) gets a header of its own: a node without code that goes where a state
//!    variable says. Parts nested deeper than [`MAX_LOOPS`] get one with every node behind it, which ends the nesting.
//! 2. **Dominators** say where code goes: what only one edge reaches stands at that edge, in an arm of an `if`; what several reach
//!    stands behind the construct that they all lie in, under the block that dominates it.
//! 3. **Jumps** are what is left. One that falls to its target by itself is nothing, one to the innermost loop's header or out of
//!    it is `continue` or `break`. All others set a variable to the target's number and go the same way, and where more than
//!    one target can arrive, code asks that variable. So one early exit out of three loops costs three tests, and usual code
//!    none at all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::{SmallVec, smallvec};

/// Deepest nesting of loops that is kept.
const MAX_LOOPS: usize = 12;
/// Depth from which on arms are not nested any more, but stand one after the other.
const MAX_NESTING: usize = 40;
/// Levels of arms that a loop may have in any case.
const LOOP_NESTING: usize = 4;

/// Where a node's code goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// The program ends.
    Return,
    /// To one node.
    Goto(u32),
    /// To the first if the node's condition is true, else to the second.
    Branch(u32, u32),
}

impl Exit {
    pub(crate) fn targets(self) -> SmallVec<[u32; 2]> {
        match self {
            Exit::Return => smallvec![],
            Exit::Goto(to) => smallvec![to],
            Exit::Branch(yes, no) => smallvec![yes, no],
        }
    }
}

/// A piece of structured code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The code of a node.
    Block(u32),
    /// By the condition of the node whose code was last.
    If(Vec<Step>, Vec<Step>),
    /// Until a `break`.
    Loop(Vec<Step>),
    /// If a state variable (by number) has this value.
    When(u32, u32, Vec<Step>),
    /// Sets a state variable.
    Set(u32, u32),
    /// Leaves the innermost loop.
    Break,
    /// To the begin of the innermost loop.
    Continue,
    /// Ends the program.
    Return,
}

/// Structured code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Structure {
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// Number of state variables.
    pub states: u32,
}

/// Number of the state variable that holds a jump's target.
const TARGET: u32 = 0;

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    /// What the edge sets the state of the dispatching node that it goes to.
    entry: Option<u32>,
}

#[derive(Clone)]
enum Leave {
    Return,
    Goto(Edge),
    Branch(Edge, Edge),
    /// A dispatching node: its state variable, and where it can go.
    Dispatch(u32, Vec<u32>),
}

impl Leave {
    fn edges(&self) -> SmallVec<[u32; 2]> {
        match self {
            Leave::Return => smallvec![],
            Leave::Goto(edge) => smallvec![edge.to],
            Leave::Branch(yes, no) => smallvec![yes.to, no.to],
            Leave::Dispatch(_, entries) => entries.iter().copied().collect(),
        }
    }

    fn redirect(&mut self, entries: &[bool], header: u32) {
        let change = |edge: &mut Edge| {
            if entries[edge.to as usize] {
                *edge = Edge { to: header, entry: Some(edge.to) };
            }
        };
        match self {
            Leave::Goto(edge) => change(edge),
            Leave::Branch(yes, no) => {
                change(yes);
                change(no);
            }
            Leave::Return | Leave::Dispatch(..) => {}
        }
    }
}

#[derive(Clone, Copy)]
struct Loop {
    header: u32,
    parent: Option<usize>,
}

/// The graph with its loops.
struct Loops {
    leave: Vec<Leave>,
    loops: Vec<Loop>,
    /// The innermost loop of each node; a header is in its own.
    of: Vec<Option<usize>>,
    /// Where the program begins.
    entry: u32,
    states: u32,
    scratch: Vec<Visit>,
}

/// What the search for components knows of a node.
#[derive(Clone, Copy, Default)]
struct Visit {
    /// Whether it is one of the nodes that are searched.
    among: bool,
    /// Order of the visit, from 1.
    order: u32,
    low: u32,
    /// Number of its component, from 1; 0 while it is open.
    part: u32,
}

/// Makes structured code of a graph that is entered at node 0. `ends[n]` says that node `n` does nothing but end the program, so
/// that it may stand in many places. Nodes that cannot be reached are left out.
pub(crate) fn structure(exits: &[Exit], ends: &[bool]) -> Structure {
    let mut leave = vec![Leave::Return; exits.len()];
    let mut reached = vec![false; exits.len()];
    let mut nodes = Vec::new();
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        let at = node as usize;
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        nodes.push(node);
        let edge = |to| Edge { to, entry: None };
        leave[at] = match exits[at] {
            Exit::Return => Leave::Return,
            Exit::Goto(to) => Leave::Goto(edge(to)),
            Exit::Branch(yes, no) if yes == no => Leave::Goto(edge(yes)),
            Exit::Branch(yes, no) => Leave::Branch(edge(yes), edge(no)),
        };
        open.extend(leave[at].edges());
    }
    let of = vec![None; leave.len()];
    let mut graph = Loops { leave, loops: Vec::new(), of, entry: 0, states: TARGET + 1, scratch: Vec::new() };
    graph.find(nodes);
    let mut placer = Placer::new(&graph, ends);
    let mut steps = Vec::new();
    placer.run(graph.entry, Place { within: None, depth: 1 }, &mut steps);
    prune(&mut steps, &placer.tested);
    Structure { steps, states: graph.states }
}

/// Takes away the settings of the target that nothing asks for.
fn prune(steps: &mut Vec<Step>, tested: &[bool]) {
    steps.retain(|step| !matches!(step, Step::Set(TARGET, to) if !tested[*to as usize]));
    for step in steps {
        match step {
            Step::If(yes, no) => {
                prune(yes, tested);
                prune(no, tested);
            }
            Step::Loop(body) | Step::When(_, _, body) => prune(body, tested),
            _ => {}
        }
    }
}

impl Loops {
    /// Finds the loops among `nodes` and makes each have one entry.
    fn find(&mut self, nodes: Vec<u32>) {
        let mut open: Vec<(Vec<u32>, Option<usize>, usize)> = vec![(nodes, None, 0)];
        while let Some((nodes, parent, depth)) = open.pop() {
            let parts = self.components(&nodes);
            let mut entries: Vec<Vec<u32>> = vec![Vec::new(); parts.len()];
            // Edges into a loop besides those from its own nodes come to its header, so that only the loop around has to be asked.
            let around = parent.map(|l: usize| self.loops[l].header);
            let mut is_entry = vec![false; self.leave.len()];
            is_entry[self.entry as usize] = true;
            for &from in nodes.iter().chain(&around) {
                for to in self.leave[from as usize].edges() {
                    let [a, b] = [from, to].map(|node| self.scratch[node as usize]);
                    is_entry[to as usize] |= b.among && (!a.among || a.part != b.part);
                }
            }
            for (part, entries) in parts.iter().zip(&mut entries) {
                // From some depth on every node is an entry: without the header nothing in it goes round.
                entries.extend(part.iter().filter(|&&node| is_entry[node as usize] || depth >= MAX_LOOPS));
            }
            for (mut part, entries) in parts.into_iter().zip(entries) {
                let number = self.loops.len();
                part.iter().for_each(|&node| self.of[node as usize] = Some(number));
                let header = match entries[..] {
                    [header] => {
                        part.retain(|&node| node != header);
                        header
                    }
                    _ => self.dispatch(entries, number),
                };
                self.loops.push(Loop { header, parent });
                open.push((part, Some(number), depth + 1));
            }
        }
    }

    /// A node that goes to one of `entries`, with every edge to those going to it instead.
    fn dispatch(&mut self, entries: Vec<u32>, of: usize) -> u32 {
        let header = self.leave.len() as u32;
        let mut marked = vec![false; self.leave.len()];
        entries.iter().for_each(|&node| marked[node as usize] = true);
        self.leave.iter_mut().for_each(|leave| leave.redirect(&marked, header));
        // State variables start as 0, the number of the node that the program begins with.
        if marked[self.entry as usize] {
            self.entry = header;
        }
        self.leave.push(Leave::Dispatch(self.states, entries));
        self.of.push(Some(of));
        self.states += 1;
        header
    }

    /// The strongly connected components among `nodes` in which one can go round (Tarjan's algorithm).
    fn components(&mut self, nodes: &[u32]) -> Vec<Vec<u32>> {
        self.scratch.clear();
        self.scratch.resize(self.leave.len(), Visit::default());
        nodes.iter().for_each(|&node| self.scratch[node as usize].among = true);
        let (mut order, mut number) = (0, 0);
        let mut found = Vec::new();
        let mut stack = Vec::new();
        let mut path: Vec<(u32, SmallVec<[u32; 2]>)> = Vec::new();
        for &root in nodes {
            let mut enter = Some(root).filter(|&root| self.scratch[root as usize].order == 0);
            loop {
                if let Some(node) = enter.take() {
                    order += 1;
                    let visit = &mut self.scratch[node as usize];
                    (visit.order, visit.low) = (order, order);
                    stack.push(node);
                    path.push((node, self.leave[node as usize].edges()));
                }
                let Some((node, edges)) = path.last_mut() else { break };
                let node = *node;
                if let Some(to) = edges.pop() {
                    let target = self.scratch[to as usize];
                    if !target.among || target.part != 0 {
                        continue;
                    }
                    if target.order == 0 {
                        enter = Some(to);
                    } else {
                        let visit = &mut self.scratch[node as usize];
                        visit.low = visit.low.min(target.order);
                    }
                    continue;
                }
                path.pop();
                let visit = self.scratch[node as usize];
                if let Some(&(from, _)) = path.last() {
                    let from = &mut self.scratch[from as usize];
                    from.low = from.low.min(visit.low);
                }
                if visit.low == visit.order {
                    number += 1;
                    let first = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                    let part = stack.split_off(first);
                    part.iter().for_each(|&n| self.scratch[n as usize].part = number);
                    if part.len() > 1 || self.leave[node as usize].edges().contains(&node) {
                        found.push(part);
                    }
                }
            }
        }
        found
    }

    /// The loop in which a node's code stands: that around it, of a header.
    fn stands_in(&self, node: u32) -> Option<usize> {
        let inner = self.of[node as usize]?;
        if self.loops[inner].header == node { self.loops[inner].parent } else { Some(inner) }
    }

    /// Whether loop `inner` is `outer` or in it.
    fn is_in(&self, inner: Option<usize>, outer: Option<usize>) -> bool {
        let mut at = inner;
        while at != outer {
            match at {
                Some(number) => at = self.loops[number].parent,
                None => return false,
            }
        }
        true
    }

    /// The loop whose header the node is.
    fn headed_by(&self, node: u32) -> Option<usize> {
        self.of[node as usize].filter(|&number| self.loops[number].header == node)
    }
}

/// Targets that code can go on to, by rising number.
type Targets = Vec<u32>;

fn join(a: Targets, b: &Targets) -> Targets {
    if a == *b || b.is_empty() {
        return a;
    }
    let mut all = a;
    all.extend(b);
    all.sort_unstable();
    all.dedup();
    all
}

/// Nodes by their place in the order, earliest first.
type Group = BinaryHeap<Reverse<(u32, u32)>>;

/// Code that is still to be put behind what stands in a list of steps.
#[derive(Default)]
struct Rest {
    /// The last group first.
    groups: Vec<Group>,
    /// It goes to the end of the loop's body instead, because code that goes on to it went there.
    moved: bool,
}

/// Where code is put.
#[derive(Clone, Copy)]
struct Place {
    /// Innermost loop.
    within: Option<usize>,
    /// Levels of regions around.
    depth: usize,
}

impl Place {
    fn deeper(self) -> Place {
        Place { depth: self.depth + 1, ..self }
    }
}

/// Puts code in its place.
struct Placer<'a> {
    graph: &'a Loops,
    ends: &'a [bool],
    /// Place of each node in a reverse postorder.
    order: Vec<u32>,
    /// Edges to each node, without those from the inside of the loop that it heads.
    entered: Vec<u32>,
    /// Nodes that stand behind the code of this one, in its loop.
    behind: Vec<Vec<u32>>,
    /// Nodes that stand behind each loop.
    behind_loop: Vec<Vec<u32>>,
    /// What goes behind each list of steps that is open.
    rests: Vec<Rest>,
    /// Index in `rests` of each open loop body and of the whole program, with the depth from which on arms do not nest.
    roots: Vec<(usize, usize)>,
    /// Targets out of each loop.
    exits: Vec<Targets>,
    /// Targets that the variable is asked for, or may have when it is.
    tested: Vec<bool>,
}

impl<'a> Placer<'a> {
    fn new(graph: &'a Loops, ends: &'a [bool]) -> Placer<'a> {
        let count = graph.leave.len();
        let (sequence, order) = reverse_postorder(graph);
        let mut before: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); count];
        let (mut entered, mut dispatched) = (vec![0; count], vec![false; count]);
        for &from in &sequence {
            let leave = &graph.leave[from as usize];
            for to in leave.edges() {
                before[to as usize].push(from);
                entered[to as usize] += u32::from(order[from as usize] < order[to as usize]);
                dispatched[to as usize] |= matches!(leave, Leave::Dispatch(..));
            }
        }
        let dominators = dominators(&sequence, &order, &before);
        let (mut behind, mut behind_loop) = (vec![Vec::new(); count], vec![Vec::new(); graph.loops.len()]);
        for &node in sequence.iter().skip(1) {
            let ends = ends.get(node as usize).is_some_and(|&ends| ends);
            if ends || dispatched[node as usize] {
                continue;
            }
            let dominator = dominators[node as usize];
            let stands_in = graph.stands_in(node);
            let (mut around, mut left) = (graph.of[dominator as usize], None);
            while !graph.is_in(stands_in, around) {
                left = around;
                around = around.and_then(|number| graph.loops[number].parent);
            }
            match left {
                Some(number) => behind_loop[number].push(node),
                // What only an arm goes to stands in the arm.
                None if entered[node as usize] == 1 => {}
                None => behind[dominator as usize].push(node),
            }
        }
        let (rests, roots) = (Vec::new(), Vec::new());
        let exits = vec![Targets::new(); graph.loops.len()];
        let tested = vec![false; count];
        Placer { graph, ends, order, entered, behind, behind_loop, rests, roots, exits, tested }
    }

    /// Puts a node and all that stands behind it at the end of `steps`. Returns the targets for which the end is reached.
    fn run(&mut self, first: u32, place: Place, steps: &mut Vec<Step>) -> Targets {
        let at = self.rests.len();
        self.rests.push(Rest::default());
        if self.roots.is_empty() {
            self.roots.push((at, MAX_NESTING));
        }
        let (mut here, mut next) = (Targets::new(), Some(first));
        loop {
            if let Some(node) = next {
                (here, next) = self.node(node, place, steps);
                continue;
            }
            let &(root, deepest) = self.roots.last().unwrap_or(&(at, MAX_NESTING));
            if self.rests[at].moved {
                let nodes = self.rests.pop().into_iter().flat_map(|rest| rest.groups).flatten();
                nodes.for_each(|node| self.put(root, node));
                return here;
            }
            let groups = &mut self.rests[at].groups;
            let Some(group) = groups.last_mut() else { break };
            let Some(key @ Reverse((_, node))) = group.pop() else {
                groups.pop();
                continue;
            };
            if here == [node] {
                next = Some(node);
            } else if place.depth > deepest && at != root {
                group.push(key);
                self.rests[root + 1..].iter_mut().for_each(|rest| rest.moved = true);
            } else {
                let mut code = Vec::new();
                let to = self.run(node, place.deeper(), &mut code);
                self.test(&here);
                steps.push(Step::When(TARGET, node, code));
                here.retain(|&target| target != node);
                here = join(here, &to);
            }
        }
        self.rests.pop();
        here
    }

    fn key(&self, node: u32) -> Reverse<(u32, u32)> {
        Reverse((self.order[node as usize], node))
    }

    /// Puts a node into the last group of a rest.
    fn put(&mut self, rest: usize, node: Reverse<(u32, u32)>) {
        let groups = &mut self.rests[rest].groups;
        match groups.last_mut() {
            Some(group) => group.push(node),
            None => groups.push([node].into()),
        }
    }

    /// What stands behind a node or loop becomes a group of the innermost rest.
    fn group(&mut self, nodes: &[u32]) {
        let group = nodes.iter().map(|&node| self.key(node)).collect();
        if let Some(rest) = self.rests.last_mut() {
            rest.groups.push(group);
        }
    }

    /// Puts the code of a node, or the loop that it heads. Returns the targets for which the end is reached, and the node that
    /// is to follow there.
    fn node(&mut self, node: u32, place: Place, steps: &mut Vec<Step>) -> (Targets, Option<u32>) {
        let graph = self.graph;
        if let Some(number) = graph.headed_by(node)
            && place.within != Some(number)
        {
            return (self.loop_(node, number, place, steps), None);
        }
        let behind = std::mem::take(&mut self.behind[node as usize]);
        self.group(&behind);
        match &graph.leave[node as usize] {
            Leave::Return => {
                steps.extend([Step::Block(node), Step::Return]);
                (Targets::new(), None)
            }
            &Leave::Goto(edge) => {
                steps.push(Step::Block(node));
                self.edge(edge, place, steps)
            }
            &Leave::Branch(yes, no) => {
                steps.push(Step::Block(node));
                let mut ends = Targets::new();
                let arms = [yes, no].map(|edge| {
                    let mut arm = Vec::new();
                    let (mut here, next) = self.edge(edge, place.deeper(), &mut arm);
                    if let Some(next) = next {
                        here = self.run(next, place.deeper(), &mut arm);
                    }
                    ends = join(std::mem::take(&mut ends), &here);
                    arm
                });
                let [yes, no] = arms;
                steps.push(Step::If(yes, no));
                (ends, None)
            }
            Leave::Dispatch(state, entries) => {
                let mut ends = Targets::new();
                for &entry in entries {
                    let mut code = Vec::new();
                    let here = self.run(entry, place.deeper(), &mut code);
                    ends = join(ends, &here);
                    steps.push(Step::When(*state, entry, code));
                }
                (ends, None)
            }
        }
    }

    fn loop_(&mut self, header: u32, number: usize, place: Place, steps: &mut Vec<Step>) -> Targets {
        let mut body = Vec::new();
        self.roots.push((self.rests.len(), MAX_NESTING.max(place.depth + LOOP_NESTING)));
        self.run(header, Place { within: Some(number), depth: place.depth + 1 }, &mut body);
        self.roots.pop();
        steps.push(Step::Loop(body));
        let exits = std::mem::take(&mut self.exits[number]);
        let mut here = Targets::new();
        for &to in &exits {
            match self.jump(to, place.within) {
                None => here.push(to),
                Some(jump) if exits.len() == 1 => steps.push(jump),
                Some(jump) => {
                    self.test(&exits);
                    steps.push(Step::When(TARGET, to, vec![jump]));
                }
            }
        }
        let behind = std::mem::take(&mut self.behind_loop[number]);
        self.group(&behind);
        here
    }

    fn test(&mut self, targets: &Targets) {
        targets.iter().for_each(|&target| self.tested[target as usize] = true);
    }

    /// Follows an edge: the targets for which the end is reached, or the node that is to follow there.
    fn edge(&mut self, edge: Edge, place: Place, steps: &mut Vec<Step>) -> (Targets, Option<u32>) {
        let to = edge.to;
        if let (Some(entry), Leave::Dispatch(state, _)) = (edge.entry, &self.graph.leave[to as usize]) {
            steps.push(Step::Set(*state, entry));
        }
        if self.ends.get(to as usize).is_some_and(|&ends| ends) {
            steps.push(Step::Return);
            return (Targets::new(), None);
        }
        let back = self.graph.headed_by(to).is_some_and(|number| self.graph.is_in(place.within, Some(number)));
        if !back && self.entered[to as usize] == 1 && self.graph.stands_in(to) == place.within {
            let &(root, deepest) = self.roots.last().unwrap_or(&(0, MAX_NESTING));
            if place.depth <= deepest {
                return (Targets::new(), Some(to));
            }
            let node = self.key(to);
            self.put(root, node);
            self.rests[root + 1..].iter_mut().for_each(|rest| rest.moved = true);
        }
        let jump = self.jump(to, place.within);
        if jump != Some(Step::Continue) {
            steps.push(Step::Set(TARGET, to));
        }
        let here = if jump.is_none() { vec![to] } else { Targets::new() };
        steps.extend(jump);
        (here, None)
    }

    /// How one goes to a node whose code stands elsewhere; none is by going on.
    fn jump(&mut self, to: u32, within: Option<usize>) -> Option<Step> {
        let number = within.filter(|_| self.graph.stands_in(to) != within)?;
        if self.graph.loops[number].header == to {
            return Some(Step::Continue);
        }
        let exits = &mut self.exits[number];
        if let Err(at) = exits.binary_search(&to) {
            exits.insert(at, to);
        }
        Some(Step::Break)
    }
}

/// Nodes in reverse postorder, and the place of each in it. Every edge that does not go back to the header of a loop goes forwards.
fn reverse_postorder(graph: &Loops) -> (Vec<u32>, Vec<u32>) {
    let mut seen = vec![false; graph.leave.len()];
    let mut sequence = Vec::new();
    let mut path = vec![(graph.entry, graph.leave[graph.entry as usize].edges())];
    seen[graph.entry as usize] = true;
    while let Some((node, edges)) = path.last_mut() {
        match edges.pop() {
            Some(to) if !std::mem::replace(&mut seen[to as usize], true) => {
                path.push((to, graph.leave[to as usize].edges()));
            }
            Some(_) => {}
            None => {
                sequence.push(*node);
                path.pop();
            }
        }
    }
    sequence.reverse();
    let mut order = vec![u32::MAX; graph.leave.len()];
    sequence.iter().enumerate().for_each(|(at, &node)| order[node as usize] = at as u32);
    (sequence, order)
}

/// The immediate dominator of each node; the first node's is itself. (Cooper, Harvey, Kennedy: "A simple, fast dominance
/// algorithm". One round does, because the graph is reducible.)
fn dominators(sequence: &[u32], order: &[u32], before: &[SmallVec<[u32; 2]>]) -> Vec<u32> {
    let mut dominator = vec![u32::MAX; order.len()];
    let Some(&first) = sequence.first() else { return dominator };
    dominator[first as usize] = first;
    for &node in &sequence[1..] {
        let mut common = None;
        for &from in before[node as usize].iter().filter(|&&from| order[from as usize] < order[node as usize]) {
            common = Some(match common {
                None => from,
                Some(other) => {
                    let [mut a, mut b] = [from, other];
                    while a != b {
                        if order[a as usize] > order[b as usize] {
                            a = dominator[a as usize];
                        } else {
                            b = dominator[b as usize];
                        }
                    }
                    a
                }
            });
        }
        dominator[node as usize] = common.unwrap_or(first);
    }
    dominator
}

#[cfg(test)]
mod tests;
