//! All states of one user in a single field of numbers.

use crate::Group;
use crate::groups::united;
use std::fmt;
use std::marker::PhantomData;

/// All states of one user. Implemented by [`states!`](crate::states!), or by hand for a register file, whose state numbers are
/// those of its words.
pub trait Space: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// Its groups.
    type Group: Group;
    /// For each state the bits of the groups whose apply functions read it.
    const READERS: &'static [u64];
    /// For each state the bits that a change of it marks: [`Space::READERS`], closed over what they require.
    const MARKS: &'static [u64];
    /// Kinds of states that have instances (see [`Kind`]).
    const KINDS: usize;

    /// What a state is called, e.g. `sampler 3 D3DSAMP_MINFILTER`.
    fn name(state: State<Self>) -> String;

    /// A number that states of one row of the table share: instances of a kind, elements of an array of registers. Any of
    /// them, such as the lowest state of the row.
    fn row(state: State<Self>) -> u32 {
        state.number
    }
}

/// A state's place in the field of all states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State<S> {
    /// Index into [`Space::MARKS`].
    pub number: u32,
    /// Kind and instance, for sets of instances; 0, 0 in spaces without kinds.
    pub(crate) kind: u8,
    pub(crate) instance: u8,
    space: PhantomData<S>,
}

impl<S: Space> State<S> {
    /// The state with a number in a space without kinds.
    #[must_use]
    #[inline]
    pub const fn of(number: u32) -> Self {
        Self { number, kind: 0, instance: 0, space: PhantomData }
    }

    /// The state `further` numbers on in the same instance.
    #[must_use]
    #[inline]
    pub const fn plus(self, further: u32) -> Self {
        Self { number: self.number.saturating_add(further), ..self }
    }
}

impl<S: Space> fmt::Debug for State<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&S::name(*self))
    }
}

/// A kind of states, e.g. those of samplers: so many instances of so many states each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind<S> {
    /// Index among the kinds of its space.
    pub index: u8,
    /// First of its states.
    pub base: u32,
    /// Instances.
    pub instances: u32,
    /// States of an instance.
    pub states: u32,
    space: PhantomData<S>,
}

impl<S: Space> Kind<S> {
    /// State 0 of an instance.
    #[must_use]
    #[inline]
    pub const fn at(self, instance: u32) -> State<S> {
        State {
            number: self.base + instance * self.states,
            kind: self.index,
            instance: instance as u8,
            space: PhantomData,
        }
    }

    /// The only state of a kind that has one.
    #[must_use]
    #[inline]
    pub const fn only(self) -> State<S> {
        self.at(0)
    }

    /// Instance and number in it, if a state is of this kind.
    #[must_use]
    pub fn place(self, state: State<S>) -> Option<(u32, u32)> {
        let index = state.number.checked_sub(self.base).filter(|index| *index < self.instances * self.states)?;
        Some((index / self.states, index % self.states))
    }

    /// Whether a state is of this kind.
    #[must_use]
    pub fn contains(self, state: State<S>) -> bool {
        self.place(state).is_some()
    }
}

/// A row of [`states!`](crate::states!).
#[derive(Clone, Copy, Debug)]
pub struct KindRow {
    /// What the field calls such a state.
    pub label: &'static str,
    /// Instances.
    pub instances: u32,
    /// Readers of each state of an instance.
    pub readers: &'static [u64],
    /// Names of states of an instance that have names.
    pub rows: &'static [crate::Row],
}

/// Declares all states of one user, kind by kind: `NAME [instances] "label" : Table;` for states of a
/// [`state_table!`](crate::state_table!), `NAME [instances] "label" => Group, ...;` for others, with the groups that read them.
///
/// ```
/// use afterimage_state::{Space, Tracker, groups, state_table, states};
/// groups! { enum Group { Blend, Viewport } }
/// state_table! { table RenderStates of Group { 27 ALPHABLENDENABLE = 0 => Blend; } }
/// states! {
///     /// A device's.
///     space Device of Group {
///         RENDER [1] "render state": RenderStates;
///         VIEWPORT [1] "viewport" => Viewport;
///         TEXTURE [8] "texture";
///     }
/// }
/// let state = Device::RENDER.only().plus(RenderStates::ALPHABLENDENABLE);
/// assert_eq!(Device::name(state), "ALPHABLENDENABLE");
/// assert_eq!(Device::name(Device::TEXTURE.at(3)), "texture 3");
/// assert!(Device::RENDER.contains(state) && !Device::VIEWPORT.contains(state));
/// let mut tracker = Tracker::<Device>::new();
/// tracker.take();
/// tracker.changed(state);
/// assert_eq!(tracker.dirty().iter().collect::<Vec<_>>(), [Group::Blend]);
/// ```
#[macro_export]
macro_rules! states {
    ($(#[$doc:meta])* $vis:vis space $name:ident of $group:ident {
        $( $(#[$kdoc:meta])* $kind:ident [$instances:expr] $label:literal $(: $table:ty)? $(=> $($in:ident),+)? ; )*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis struct $name;

        const _: () = {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Kinds { $( $kind ),* }
            const ROWS: &[$crate::KindRow] = &[ $( $crate::KindRow {
                label: $label,
                instances: $instances as u32,
                readers: $crate::states!(@readers $group $($table)?; $( $($in)+ )?),
                rows: $crate::states!(@rows $($table)?),
            } ),* ];
            const COUNT: usize = $crate::count_states(ROWS);
            const READERS: [u64; COUNT] = $crate::flatten(ROWS);

            #[allow(dead_code)]
            impl $name {
                $( $(#[$kdoc])* $vis const $kind: $crate::Kind<Self> = $crate::kind_of(ROWS, Kinds::$kind as usize); )*
            }

            impl $crate::Space for $name {
                type Group = $group;
                const READERS: &'static [u64] = &READERS;
                const MARKS: &'static [u64] = &$crate::close_marks(READERS, <$group as $crate::Group>::CLOSURE);
                const KINDS: usize = ROWS.len();
                fn name(state: $crate::State<Self>) -> String { $crate::name_in(ROWS, state.number) }
                fn row(state: $crate::State<Self>) -> u32 { $crate::row_in(ROWS, state.number) }
            }
        };
    };
    (@readers $group:ident $table:ty;) => { <$table as $crate::Table>::READERS };
    (@readers $group:ident; $($in:ident)*) => { &[0 $(| 1u64 << $group::$in as u8)*] };
    (@rows $table:ty) => { <$table as $crate::Table>::ROWS };
    (@rows) => { &[] };
}

/// States of all kinds. Used by [`states!`](crate::states!) at compile time.
#[must_use]
pub const fn count_states(kinds: &[KindRow]) -> usize {
    let mut count = 0;
    let mut kind = 0;
    while kind < kinds.len() {
        count += kinds[kind].instances as usize * kinds[kind].readers.len();
        kind += 1;
    }
    count
}

/// A kind by its index. Used by [`states!`](crate::states!) at compile time.
#[must_use]
pub const fn kind_of<S>(kinds: &[KindRow], index: usize) -> Kind<S> {
    let (mut base, mut kind) = (0, 0);
    while kind < index {
        base += kinds[kind].instances * kinds[kind].readers.len() as u32;
        kind += 1;
    }
    let KindRow { instances, readers, .. } = kinds[index];
    Kind { index: index as u8, base, instances, states: readers.len() as u32, space: PhantomData }
}

/// Readers of every state. Used by [`states!`](crate::states!) at compile time.
#[must_use]
pub const fn flatten<const N: usize>(kinds: &[KindRow]) -> [u64; N] {
    let mut all = [0; N];
    let (mut at, mut kind) = (0, 0);
    while kind < kinds.len() {
        let readers = kinds[kind].readers;
        let mut state = 0;
        while state < readers.len() * kinds[kind].instances as usize {
            all[at] = readers[state % readers.len()];
            at += 1;
            state += 1;
        }
        kind += 1;
    }
    all
}

/// What a change of each state marks: its readers, and what they require. For implementations of [`Space::MARKS`].
#[must_use]
pub const fn close_marks<const N: usize>(readers: [u64; N], closure: &[u64]) -> [u64; N] {
    let mut marks = [0; N];
    let mut state = 0;
    while state < N {
        // Neighbours are often alike.
        marks[state] = if state > 0 && readers[state] == readers[state - 1] {
            marks[state - 1]
        } else {
            united(readers[state], closure)
        };
        state += 1;
    }
    marks
}

/// Kind and index in it of a state's number.
fn find(kinds: &[KindRow], number: u32) -> Option<(&KindRow, u32, u32)> {
    let mut index = number;
    for kind in kinds {
        let states = kind.readers.len() as u32;
        if index < kind.instances * states {
            return Some((kind, index / states, index % states));
        }
        index -= kind.instances * states;
    }
    None
}

/// A state's name. Used by [`states!`](crate::states!).
#[must_use]
pub fn name_in(kinds: &[KindRow], number: u32) -> String {
    let Some((kind, instance, state)) = find(kinds, number) else { return format!("state {number}") };
    let row = kind.rows.iter().find(|row| u32::from(row.number) == state);
    match (row, kind.instances) {
        (Some(row), 1) => row.name.to_owned(),
        (Some(row), _) => format!("{} {instance} {}", kind.label, row.name),
        (None, 1) if kind.readers.len() == 1 => kind.label.to_owned(),
        (None, 1) => format!("{} {state}", kind.label),
        (None, _) if kind.readers.len() == 1 => format!("{} {instance}", kind.label),
        (None, _) => format!("{} {instance} {state}", kind.label),
    }
}

/// The lowest state of a state's row. Used by [`states!`](crate::states!).
#[must_use]
pub fn row_in(kinds: &[KindRow], number: u32) -> u32 {
    find(kinds, number).map_or(number, |(kind, instance, _)| number - instance * kind.readers.len() as u32)
}
