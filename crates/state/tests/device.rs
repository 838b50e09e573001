//! A small device, tracked: what the edges miss is noticed by reads, by results, and by the pictures of random streams.

use afterimage_state::Group as _;
use afterimage_state::*;
use proptest::prelude::*;

groups! {
    enum Group {
        Targets requires [Viewport],
        Viewport,
        Fog requires [Vertex],
        Vertex changes [Shaders],
        Pixel changes [Shaders],
        Shaders,
    }
}

state_table! {
    table RenderStates of Group {
        1 FOGENABLE = 0 => Fog;
        2 FOGSTART = 0 => Fog;
        5 LIGHTING = 1 => Vertex;
        6 TEXTUREFACTOR = 7 => Pixel;
        9 WRAP = 0;
    }
}

states! {
    space Device of Group {
        RENDER [1] "render state": RenderStates;
        TARGET [2] "target" => Targets;
        VIEWPORT [1] "viewport" => Viewport;
    }
}

type RS = RenderStates;

/// What the host has: a result of each group.
#[derive(Clone, Debug, Default, PartialEq)]
struct Host {
    viewport: u32,
    fog: u32,
    vertex: u32,
    pixel: u32,
    shaders: u32,
}

struct User {
    tracker: Tracker<Device>,
    render: States<RenderStates, Device>,
    targets: TrackedArray<u32, Device, 2>,
    viewport: Tracked<u32, Device>,
    host: Host,
    applied: Vec<Group>,
}

impl User {
    fn new() -> Self {
        Self {
            tracker: Tracker::new(),
            render: States::new(Device::RENDER.only()),
            targets: TrackedArray::new(Device::TARGET, [10, 0]),
            viewport: Tracked::new(Device::VIEWPORT.only(), 5),
            host: Host::default(),
            applied: Vec::new(),
        }
    }

    fn without(edge: Edge<Device>) -> Self {
        let mut user = Self::new();
        user.tracker.follow(Edges::without(edge));
        user
    }

    /// A group's result and where it is kept.
    fn compute(&mut self, group: Group) -> (u32, &mut u32) {
        let on = |state| self.render.get(state);
        match group {
            Group::Targets => (0, Box::leak(Box::new(0))),
            Group::Viewport => ((*self.viewport.get()).min(self.targets.all()[0]), &mut self.host.viewport),
            Group::Fog => (if on(RS::FOGENABLE) != 0 { 1 + on(RS::FOGSTART) } else { 0 }, &mut self.host.fog),
            Group::Vertex => (on(RS::LIGHTING) * 2 + on(RS::FOGENABLE), &mut self.host.vertex),
            Group::Pixel => (on(RS::TEXTUREFACTOR), &mut self.host.pixel),
            Group::Shaders => {
                trace::read_result::<Device>(Group::Vertex);
                trace::read_result::<Device>(Group::Pixel);
                (self.host.vertex * 1000 + self.host.pixel, &mut self.host.shaders)
            }
        }
    }

    fn run(&mut self, ops: &[Op], check: bool) -> Vec<Host> {
        let mut hosts = Vec::new();
        for op in ops {
            match *op {
                Op::Render(state, value) => {
                    self.render.set(state, value, &mut self.tracker);
                }
                Op::Target(index, value) => {
                    self.targets.set(index, value, &mut self.tracker);
                }
                Op::Viewport(value) => {
                    self.viewport.set(value, &mut self.tracker);
                }
                Op::Draw => {
                    self.applied.clear();
                    self.tracker.drawn();
                    let _ = apply_dirty(self, Dirty::all());
                    if check {
                        check_clean(self, Dirty::all());
                    }
                    hosts.push(self.host.clone());
                }
            }
        }
        hosts
    }
}

impl Apply<Device> for User {
    type Error = std::convert::Infallible;

    fn tracker(&mut self) -> &mut Tracker<Device> {
        &mut self.tracker
    }

    fn apply(&mut self, group: Group) -> Result<Effect, Self::Error> {
        self.applied.push(group);
        let (result, kept) = self.compute(group);
        Ok(Effect::of(std::mem::replace(kept, result) != result))
    }

    fn recompute(&mut self, group: Group) -> Option<String> {
        let (result, kept) = self.compute(group);
        (*kept != result).then(|| format!("{result} instead of {kept}"))
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Render(u32, u32),
    Target(usize, u32),
    Viewport(u32),
    Draw,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let render = prop_oneof![Just(1u32), Just(2), Just(5), Just(6), Just(9), Just(4)];
    let op = prop_oneof![
        (render, 0..4u32).prop_map(|(state, value)| Op::Render(state, value)),
        (0..2usize, 0..12u32).prop_map(|(index, value)| Op::Target(index, value)),
        (0..12u32).prop_map(Op::Viewport),
        Just(Op::Draw),
    ];
    proptest::collection::vec(op, 1..60)
}

proptest! {
    /// Tracked against everything dirty at each draw.
    #[test]
    fn what_is_tracked_is_what_is_computed(ops in ops()) {
        let tracked = User::new().run(&ops, true);
        let mut all = User::new();
        let mut hosts = Vec::new();
        for op in &ops {
            if matches!(op, Op::Draw) {
                all.tracker.mark_all();
            }
            hosts.extend(all.run(&[*op], false));
        }
        prop_assert_eq!(tracked, hosts);
    }
}

/// Sets everything to something else, one by one, with a draw behind each.
fn walk() -> Vec<Op> {
    let mut walk = vec![Op::Render(RS::FOGENABLE, 1), Op::Draw];
    let sets = [
        Op::Render(RS::FOGSTART, 3),
        Op::Render(RS::LIGHTING, 0),
        Op::Render(RS::TEXTUREFACTOR, 1),
        Op::Target(0, 2),
        Op::Target(1, 2),
        Op::Viewport(1),
        Op::Render(RS::FOGENABLE, 0),
    ];
    walk.extend(sets.into_iter().flat_map(|set| [set, Op::Draw]));
    walk
}

#[test]
fn a_draw_applies_what_changed_and_each_group_once() {
    let mut user = User::new();
    user.run(&[Op::Draw], true);
    assert_eq!(user.applied, Group::ALL);
    user.run(&[Op::Draw], true);
    assert_eq!(user.applied, []);
    user.run(&[Op::Render(RS::FOGENABLE, 1), Op::Render(RS::FOGSTART, 3), Op::Draw], true);
    assert_eq!(user.applied, [Group::Fog, Group::Vertex, Group::Shaders]);
    // Lighting is on already: a write that changes nothing marks nothing.
    user.run(&[Op::Render(RS::LIGHTING, 1), Op::Draw], true);
    assert_eq!(user.applied, []);
    // Vertex shading is the same with this start, so the shaders stay.
    user.run(&[Op::Render(RS::FOGSTART, 4), Op::Draw], true);
    assert_eq!(user.applied, [Group::Fog, Group::Vertex]);
    let figures = user.tracker.take_figures();
    assert_eq!((figures.draws, figures.filtered, figures.marked, figures.applied), (5, 1, 3, 11));
    assert_eq!(user.tracker.instances(Device::TARGET), u64::MAX);
}

#[test]
#[cfg(debug_assertions)]
fn every_edge_is_missed_by_somebody() {
    let ((), missed) = collect_missed(|| drop(User::new().run(&walk(), true)));
    assert_eq!(missed, []);
    let edges = Edge::<Device>::all();
    assert_eq!(edges.len(), 6 + 2 + 2);
    for edge in edges {
        let (_, missed) = collect_missed(|| User::without(edge).run(&walk(), true));
        assert!(!missed.is_empty(), "{edge:?}");
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_missing_edge_is_named() {
    let edge = Edge::Reads { row: Device::RENDER.only().plus(RS::FOGSTART).number, group: Group::Fog };
    assert_eq!(format!("{edge:?}"), "FOGSTART => Fog");
    let (_, missed) = collect_missed(|| User::without(edge).run(&walk(), true));
    let told: Vec<_> = missed.iter().map(ToString::to_string).collect();
    assert!(told.contains(&"group Fog reads FOGSTART, which does not mark it".to_owned()), "{told:?}");
    let stale = "group Fog was clean, but its result is another: 4 instead of 1; changed since: FOGSTART";
    assert!(told.contains(&stale.to_owned()), "{told:?}");
    let edge = Edge::Changes(Group::Vertex, Group::Shaders);
    let (_, missed) = collect_missed(|| User::without(edge).run(&walk(), true));
    assert!(missed[0].to_string().contains("reads the result of Vertex"), "{missed:?}");
}

#[test]
fn a_parked_group_waits_to_be_woken() {
    let mut tracker = Tracker::<Device>::new();
    tracker.take();
    tracker.park(Group::Fog);
    assert!(tracker.is_clean());
    tracker.wake(Dirty::of_bits(1 << Group::Fog as u64 | 1 << Group::Pixel as u64));
    assert_eq!(tracker.dirty().iter().collect::<Vec<_>>(), [Group::Fog]);
    assert_eq!(tracker.parked(), Dirty::none());
    assert!(!Dirty::<Group>::all().without(Group::Fog).contains(Group::Fog));
}

#[test]
fn a_group_that_is_applied_waits_no_more() {
    let mut user = User::new();
    user.tracker.park(Group::Fog);
    user.run(&[Op::Draw], true);
    assert_eq!(user.tracker.parked(), Dirty::none());
}

#[test]
fn states_are_found_by_kind_and_index_and_back() {
    let state = Device::TARGET.at(1);
    assert_eq!((Device::TARGET.place(state), Device::RENDER.place(state)), (Some((1, 0)), None));
    assert_eq!(Device::RENDER.place(Device::RENDER.only().plus(RS::LIGHTING)), Some((0, RS::LIGHTING)));
    assert_eq!(format!("{:?}", [state, Device::VIEWPORT.only()]), "[target 1, viewport]");
    assert_eq!(Device::MARKS[Device::TARGET.at(0).number as usize], 0b11);
}
