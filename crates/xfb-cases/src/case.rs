//! Cases and answers, and their JSON.

use std::fmt;

use serde_json::{Map, Value, json};

/// What memory holds before feedback.
pub const FILL: u32 = 0xDEAD_BEEF;
/// Buffers that feedback may have.
pub const BUFFERS: usize = 4;

/// Vertices of all instances and repetitions that a case may have: each is run by one invocation or more.
const MOST_VERTICES: u64 = 1 << 24;
/// Bytes of a bound range, and of what lies before it.
const MOST_BYTES: u64 = 64 << 20;
/// Repetitions, each of which is a draw.
const MOST_REPS: u64 = 4096;
/// Indices.
const MOST_INDICES: usize = 1 << 22;
/// Bytes of a captured vertex: Vulkan's least limit.
const MOST_STRIDE: u64 = 512;
/// Captures of a shader: one for each word there is room for.
const MOST_CAPTURES: usize = BUFFERS * MOST_STRIDE as usize / 4;
/// Outputs of a shader: Vulkan's least limit of locations, less what a position may need.
const MOST_OUTPUTS: usize = 12;

/// Why there are no cases in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// The file is not JSON.
    #[error("no JSON: {0}")]
    Json(String),
    /// The file is JSON of another form.
    #[error("no list `cases`: the file must be {{\"cases\": [...]}}")]
    NoCases,
    /// A case is not an object.
    #[error("cases[{at}]: not an object")]
    NoObject {
        /// Its place.
        at: usize,
    },
    /// A field is wrong.
    #[error("cases[{at}] (id {id}), field `{field}`: {why}")]
    Field {
        /// Place of the case.
        at: usize,
        /// Its `id`, as the file has it.
        id: String,
        /// The field.
        field: String,
        /// What is wrong with it.
        why: String,
    },
}

/// How a draw gets its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// In the command.
    Draw = 0,
    /// In the command, with indices.
    Indexed = 1,
    /// In a buffer.
    Indirect = 2,
    /// In a buffer, with indices.
    IndexedIndirect = 3,
    /// The vertices that a counter's bytes are.
    ByteCount = 4,
}

impl Kind {
    /// Every kind, by number.
    pub const ALL: [Self; 5] = [Self::Draw, Self::Indexed, Self::Indirect, Self::IndexedIndirect, Self::ByteCount];

    /// Whether there are indices.
    pub fn is_indexed(self) -> bool {
        matches!(self, Self::Indexed | Self::IndexedIndirect)
    }
}

/// The type of indices, by the format's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum IndexType {
    /// 16 bits.
    U16 = 0,
    /// 32 bits.
    U32 = 1,
    /// 8 bits.
    U8 = 2,
}

impl IndexType {
    /// Every type, by number.
    pub const ALL: [Self; 3] = [Self::U16, Self::U32, Self::U8];

    /// Bytes of an index.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U16 => 2,
            Self::U32 => 4,
            Self::U8 => 1,
        }
    }

    /// All ones: the restart index.
    pub fn most(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes())
    }
}

/// The kinds of components of an output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    /// `f32`.
    Float,
    /// `i32`.
    Int,
    /// 64 bits: pairs of words, so one or two of them are two or four lanes.
    Wide,
}

impl Component {
    /// By name.
    pub const ALL: [(&'static str, Self); 3] = [("f32", Self::Float), ("i32", Self::Int), ("b64", Self::Wide)];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}

/// A value that the shader gives, at locations of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Output {
    /// Of what it is made.
    pub component: Component,
    /// Words of an element, 1 to 4.
    pub lanes: u32,
    /// Elements of an array, each at a location: 1 for what is none.
    pub elements: u32,
}

/// What goes where in a captured vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Capture {
    /// The location, counted through all outputs and elements.
    pub location: u32,
    /// First word of the value.
    pub component: u32,
    /// Words.
    pub lanes: u32,
    /// Buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
}

/// What a shader captures, where a case does not have the format's own shader. An extension of the format.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    /// The values.
    pub outputs: Vec<Output>,
    /// Which of them are captured, and where to.
    pub captures: Vec<Capture>,
    /// Bytes of a vertex in each buffer; 0 for those that are not written.
    pub strides: [u32; BUFFERS],
}

impl Layout {
    /// The output of each location.
    pub fn locations(&self) -> impl Iterator<Item = Output> + '_ {
        self.outputs.iter().flat_map(|output| std::iter::repeat_n(*output, output.elements as usize))
    }
}

/// Where a buffer is bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Range {
    /// Bytes of the range.
    pub bytes: u32,
    /// Bytes before it, a multiple of 4.
    pub offset: u32,
}

/// Feedback: a draw, what is drawn, and where it goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Comes back as it is.
    pub id: Value,
    /// The number of Vulkan's topology, 0 to 9.
    pub topology: u32,
    /// Whether the last vertex provokes.
    pub last: bool,
    /// How the draw gets its numbers.
    pub kind: Kind,
    /// First vertex; what is added to indices; the byte-count draw's offset.
    pub first: u32,
    /// Vertices; the counter's value of a byte-count draw. With indices, as many as there are.
    pub count: u32,
    /// Instances.
    pub instances: u32,
    /// The first one.
    pub first_instance: u32,
    /// Indices.
    pub indices: Vec<u32>,
    /// Their type.
    pub index_type: IndexType,
    /// Whether the greatest index begins a new run.
    pub restart: bool,
    /// The bound ranges. The first is that of the format.
    pub ranges: [Range; BUFFERS],
    /// How often the draw is made.
    pub reps: u32,
    /// Whether the feedback is ended and begun again between draws.
    pub resume: bool,
    /// Where it comes from; only 0 is run.
    pub stage: u64,
    /// What is captured, if that is not the format's `gl_VertexIndex, gl_InstanceIndex`.
    pub layout: Option<Layout>,
}

/// Bytes of a vertex of the format's shader.
pub const STRIDE: u32 = 8;

impl Case {
    /// A plain draw of the format's shader, with room for everything.
    pub fn new(topology: u32, last: bool, count: u32, instances: u32) -> Self {
        let mut case = Self {
            id: Value::from(0),
            topology,
            last,
            kind: Kind::Draw,
            first: 0,
            count,
            instances,
            first_instance: 0,
            indices: Vec::new(),
            index_type: IndexType::U16,
            restart: false,
            ranges: [Range::default(); BUFFERS],
            reps: 1,
            resume: false,
            stage: 0,
            layout: None,
        };
        case.ranges[0].bytes = case.whole() * STRIDE;
        case
    }

    /// At least as many vertices as are captured.
    pub fn whole(&self) -> u32 {
        3 * self.vertices() * self.instances * self.reps
    }

    /// Vertices, or indices, of an instance.
    pub fn vertices(&self) -> u32 {
        match self.kind {
            Kind::Indexed | Kind::IndexedIndirect => self.indices.len() as u32,
            Kind::Draw | Kind::Indirect => self.count,
            Kind::ByteCount => self.count.saturating_sub(self.first) / STRIDE,
        }
    }

    /// Bytes of all its buffers.
    pub fn memory(&self) -> u64 {
        let strides = self.strides();
        (0..BUFFERS).filter(|&n| strides[n] != 0).map(|n| 4 * u64::from(memory_words(self.ranges[n]))).sum()
    }

    /// Bytes of a vertex in each buffer.
    pub fn strides(&self) -> [u32; BUFFERS] {
        self.layout.as_ref().map_or([STRIDE, 0, 0, 0], |layout| layout.strides)
    }

    /// The cases in the text of a file.
    ///
    /// # Errors
    /// What is wrong with the first case of which something is.
    pub fn all_of(text: &str) -> Result<Vec<Self>, CaseError> {
        let file: Value = serde_json::from_str(text).map_err(|error| CaseError::Json(error.to_string()))?;
        let cases = file.get("cases").and_then(Value::as_array).ok_or(CaseError::NoCases)?;
        cases.iter().enumerate().map(|(at, case)| Self::of(at, case)).collect()
    }

    fn of(at: usize, case: &Value) -> Result<Self, CaseError> {
        let map = case.as_object().ok_or(CaseError::NoObject { at })?;
        let id = map.get("id").map_or_else(|| "missing".to_owned(), Value::to_string);
        let f = Fields { map, at, id, within: String::new() };
        let id = map.get("id").filter(|id| id.is_number()).cloned();
        let id = id.ok_or_else(|| f.wrong("id", "a number is needed"))?;
        let stage = f.number("stage", 0, Some(0), u64::MAX)?;
        let mut case = Self { id, stage, ..Self::new(0, false, 0, 1) };
        if stage != 0 {
            return Ok(case);
        }
        case.topology = f.number("topo", 0, None, 9)? as u32;
        case.last = f.flag("pv")?;
        case.kind = Kind::ALL[f.number("kind", 0, None, 4)? as usize];
        case.instances = f.word("inst", Some(1))?;
        case.first_instance = f.word("finst", Some(0))?;
        case.index_type = IndexType::ALL[f.number("it", 0, Some(0), 2)? as usize];
        case.restart = f.flag("rst")?;
        case.reps = f.number("reps", 1, Some(1), MOST_REPS)? as u32;
        case.resume = f.flag("resume")?;
        if case.kind.is_indexed() {
            case.first = f.signed("first")? as u32;
            case.indices = f.indices(case.index_type)?;
        } else {
            case.first = f.word("first", Some(0))?;
            case.count = f.word("cnt", None)?;
        }
        case.ranges[0] = f.range()?;
        if map.contains_key("captures") {
            case.layout = Some(f.layout()?);
            let more = if map.contains_key("buffers") { f.list("buffers", BUFFERS - 1)? } else { &[] };
            for (n, (range, value)) in case.ranges[1..].iter_mut().zip(more).enumerate() {
                *range = f.object("buffers", n, value)?.range()?;
            }
        }
        // One instance at least, so that what is drawn of none is limited too: a driver may look at its vertices.
        let work = u128::from(case.vertices()) * u128::from(case.instances.max(1)) * u128::from(case.reps);
        if work > u128::from(MOST_VERTICES) {
            let field = if case.kind.is_indexed() { "inst" } else { "cnt" };
            let why = format!("{work} vertices of all instances and repetitions: at most {MOST_VERTICES} are drawn");
            return Err(f.wrong(field, why));
        }
        if u128::from(case.instances) * u128::from(case.reps) > u128::from(MOST_VERTICES) {
            return Err(f.wrong("inst", format!("{} instances: at most {MOST_VERTICES} are drawn", case.instances)));
        }
        Ok(case)
    }

    /// The case as an object of a file.
    pub fn to_json(&self) -> Value {
        let first = if self.kind.is_indexed() { json!(self.first as i32) } else { json!(self.first) };
        let mut case = json!({
            "id": self.id, "topo": self.topology, "pv": u8::from(self.last), "kind": self.kind as u8,
            "first": first, "cnt": self.count, "inst": self.instances, "finst": self.first_instance,
            "idx": self.indices, "it": self.index_type as u8, "rst": u8::from(self.restart),
            "bytes": self.ranges[0].bytes, "boff": self.ranges[0].offset, "reps": self.reps,
            "resume": u8::from(self.resume), "stage": self.stage,
        });
        if let Some(layout) = &self.layout {
            let output = |o: &Output| json!({ "type": o.component.name(), "words": o.lanes, "elements": o.elements });
            case["outputs"] = layout.outputs.iter().map(output).collect();
            let capture = |c: &Capture| json!({ "location": c.location, "component": c.component, "words": c.lanes, "buffer": c.buffer, "offset": c.offset });
            case["captures"] = layout.captures.iter().map(capture).collect();
            case["strides"] = json!(layout.strides);
            let range = |r: &Range| json!({ "bytes": r.bytes, "boff": r.offset });
            case["buffers"] = self.ranges[1..].iter().map(range).collect();
        }
        case
    }

    /// A file of cases.
    pub fn file(cases: &[Self]) -> String {
        let lines: Vec<String> = cases.iter().map(|case| case.to_json().to_string()).collect();
        format!("{{\"cases\": [\n{}\n]}}\n", lines.join(",\n"))
    }
}

/// The fields of a case, or of an object in one of its lists.
struct Fields<'a> {
    map: &'a Map<String, Value>,
    at: usize,
    id: String,
    /// What names of fields begin with: the list, and the place in it.
    within: String,
}

impl Fields<'_> {
    fn wrong(&self, field: impl fmt::Display, why: impl fmt::Display) -> CaseError {
        let field = format!("{}{field}", self.within);
        CaseError::Field { at: self.at, id: self.id.clone(), field, why: why.to_string() }
    }

    /// An object in a list.
    fn object<'b>(&self, field: &str, n: usize, value: &'b Value) -> Result<Fields<'b>, CaseError> {
        let map = value.as_object().ok_or_else(|| self.wrong(format!("{field}[{n}]"), "an object is needed"))?;
        Ok(Fields { map, at: self.at, id: self.id.clone(), within: format!("{field}[{n}].") })
    }

    fn number(&self, field: &str, least: u64, default: Option<u64>, most: u64) -> Result<u64, CaseError> {
        let Some(value) = self.map.get(field) else {
            return default.ok_or_else(|| self.wrong(field, "it is missing"));
        };
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(field, format!("{value}: a whole number from {least} to {most} is needed")))
    }

    fn word(&self, field: &str, default: Option<u64>) -> Result<u32, CaseError> {
        self.number(field, 0, default, u32::MAX.into()).map(|number| number as u32)
    }

    fn flag(&self, field: &str) -> Result<bool, CaseError> {
        self.number(field, 0, Some(0), 1).map(|number| number == 1)
    }

    /// A word with or without a sign.
    fn signed(&self, field: &str) -> Result<i64, CaseError> {
        let Some(value) = self.map.get(field) else { return Ok(0) };
        let number = value.as_i64().filter(|number| (i32::MIN.into()..=u32::MAX.into()).contains(number));
        number.ok_or_else(|| self.wrong(field, format!("{value}: a whole number of 32 bits is needed")))
    }

    fn list(&self, field: &str, most: usize) -> Result<&[Value], CaseError> {
        let list =
            self.map.get(field).and_then(Value::as_array).ok_or_else(|| self.wrong(field, "a list is needed"))?;
        match list.len() {
            length if length > most => Err(self.wrong(field, format!("{length} of them: at most {most} are taken"))),
            _ => Ok(list),
        }
    }

    fn indices(&self, ty: IndexType) -> Result<Vec<u32>, CaseError> {
        let list = self.list("idx", MOST_INDICES)?;
        let index = |(n, value): (usize, &Value)| {
            let index = value.as_u64().filter(|index| *index <= ty.most().into());
            let why = || format!("{value}: a whole number from 0 to {} is needed with this `it`", ty.most());
            index.map(|index| index as u32).ok_or_else(|| self.wrong(format!("idx[{n}]"), why()))
        };
        list.iter().enumerate().map(index).collect()
    }

    /// `bytes` and `boff`.
    fn range(&self) -> Result<Range, CaseError> {
        let bytes = self.number("bytes", 0, None, MOST_BYTES)? as u32;
        let offset = self.number("boff", 0, Some(0), MOST_BYTES)? as u32;
        if !offset.is_multiple_of(4) {
            return Err(self.wrong("boff", format!("{offset}: a multiple of 4 is needed (Vulkan's own rule)")));
        }
        Ok(Range { bytes, offset })
    }

    fn layout(&self) -> Result<Layout, CaseError> {
        let mut layout = Layout::default();
        for (n, value) in self.list("outputs", MOST_OUTPUTS)?.iter().enumerate() {
            let f = self.object("outputs", n, value)?;
            let name = f.map.get("type").and_then(Value::as_str).unwrap_or_default();
            let names = || Component::ALL.map(|row| row.0).join(", ");
            let component = Component::ALL.iter().find(|row| row.0 == name).map(|row| row.1);
            let component = component.ok_or_else(|| f.wrong("type", format!("one of {}", names())))?;
            let lanes = f.number("words", 1, None, 4)? as u32;
            if component == Component::Wide && !lanes.is_multiple_of(2) {
                return Err(f.wrong("words", "numbers of 64 bits are 2 or 4 words"));
            }
            let elements = f.number("elements", 1, Some(1), MOST_OUTPUTS as u64)? as u32;
            layout.outputs.push(Output { component, lanes, elements });
        }
        let locations: Vec<Output> = layout.locations().take(MOST_OUTPUTS + 1).collect();
        if locations.len() > MOST_OUTPUTS {
            return Err(self.wrong("outputs", format!("more than {MOST_OUTPUTS} locations")));
        }
        let strides = self.list("strides", BUFFERS)?;
        for (n, (stride, value)) in layout.strides.iter_mut().zip(strides).enumerate() {
            let number = value.as_u64().filter(|number| number % 4 == 0 && *number <= MOST_STRIDE);
            let why = || format!("{value}: a multiple of 4 up to {MOST_STRIDE} is needed");
            *stride = number.ok_or_else(|| self.wrong(format!("strides[{n}]"), why()))? as u32;
        }
        let mut taken: [Vec<bool>; BUFFERS] = layout.strides.map(|stride| vec![false; stride as usize / 4]);
        for (n, value) in self.list("captures", MOST_CAPTURES)?.iter().enumerate() {
            let f = self.object("captures", n, value)?;
            let location = f.number("location", 0, None, MOST_OUTPUTS as u64)? as u32;
            let component = f.number("component", 0, Some(0), 3)? as u32;
            let lanes = f.number("words", 1, None, 4)? as u32;
            let buffer = f.number("buffer", 0, Some(0), BUFFERS as u64 - 1)? as u32;
            let offset = f.number("offset", 0, None, MOST_STRIDE)? as u32;
            let output = locations.get(location as usize).filter(|output| component + lanes <= output.lanes);
            if output.is_none() {
                return Err(self.wrong(format!("captures[{n}]"), "there are no such words at this location"));
            }
            let place = taken[buffer as usize].get_mut(offset as usize / 4..(offset / 4 + lanes) as usize);
            let free = place.filter(|place| offset.is_multiple_of(4) && !place.contains(&true));
            free.ok_or_else(|| f.wrong("offset", "it is not free, or beyond the stride"))?.fill(true);
            layout.captures.push(Capture { location, component, lanes, buffer, offset });
        }
        if let Some(n) = (0..BUFFERS).find(|&n| (layout.strides[n] != 0) != taken[n].contains(&true)) {
            return Err(
                self.wrong(format!("strides[{n}]"), "0 is the stride of buffers without feedback, and of no other")
            );
        }
        if layout.captures.is_empty() {
            return Err(self.wrong("captures", "there are none"));
        }
        Ok(layout)
    }
}

/// What feedback leaves behind: all of it, whether it is reported or not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ran {
    /// Primitives that there were, by the query.
    pub needed: u64,
    /// Primitives that were captured, by the query.
    pub written: u64,
    /// Bytes from the start of each bound range, as the counter buffers say at the end; 0 for buffers that are not written.
    pub counters: [u32; BUFFERS],
    /// Each buffer: what lies before the bound range, the range, and [`GUARD`] words behind it. Empty for those not written.
    pub memory: [Vec<u32>; BUFFERS],
}

/// Words behind a bound range that are looked at too.
pub const GUARD: u32 = 8;

/// Words of the memory around a bound range.
pub fn memory_words(range: Range) -> u32 {
    range.offset / 4 + range.bytes.div_ceil(4) + GUARD
}

impl Ran {
    /// The words behind the offset of a buffer that were captured.
    pub fn words(&self, case: &Case, buffer: usize) -> &[u32] {
        let first = case.ranges[buffer].offset as usize / 4;
        let memory = self.memory[buffer].get(first..).unwrap_or_default();
        &memory[..memory.len().min(self.counters[buffer] as usize / 4)]
    }

    /// Whether anything but the captured words has changed.
    pub fn clobbered(&self, case: &Case) -> bool {
        (0..BUFFERS).any(|n| {
            let first = case.ranges[n].offset as usize / 4;
            let end = first + self.words(case, n).len();
            self.memory[n].iter().enumerate().any(|(at, word)| !(first..end).contains(&at) && *word != FILL)
        })
    }

    /// The answer to a case.
    pub fn answer(&self, case: &Case) -> Value {
        let mut answer = json!({
            "id": case.id, "words": self.words(case, 0), "needed": self.needed, "written": self.written,
            "counter": self.counters[0],
        });
        if case.layout.is_some() {
            answer["buffers"] = (0..BUFFERS).map(|n| json!(self.words(case, n))).collect();
            answer["counters"] = json!(self.counters);
        }
        if self.clobbered(case) {
            answer["clobbered"] = json!(true);
        }
        answer
    }

    /// In which way two differ, in words; nothing if they do not.
    pub fn difference(&self, other: &Self, names: [&str; 2]) -> Option<String> {
        let [a, b] = names;
        if (self.needed, self.written) != (other.needed, other.written) {
            let pair = |ran: &Self| format!("needed {} written {}", ran.needed, ran.written);
            return Some(format!("queries: {a} {}, {b} {}", pair(self), pair(other)));
        }
        if self.counters != other.counters {
            return Some(format!("counters: {a} {:?}, {b} {:?}", self.counters, other.counters));
        }
        let buffer = (0..BUFFERS).find(|&n| self.memory[n] != other.memory[n])?;
        let (mine, its) = (&self.memory[buffer], &other.memory[buffer]);
        let at = mine.iter().zip(its).position(|(mine, its)| mine != its).unwrap_or(mine.len().min(its.len()));
        let word = |memory: &[u32]| memory.get(at).map_or_else(|| "nothing".to_owned(), |word| format!("{word:#x}"));
        Some(format!("buffer {buffer}, word {at}: {a} {}, {b} {}", word(mine), word(its)))
    }
}

/// The answer to a case that is not run.
pub fn skipped(case: &Case) -> Value {
    json!({ "id": case.id, "skipped": true })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"id": 7.5, "topo": 3, "pv": 0, "kind": 0, "first": 0, "cnt": 3, "inst": 1, "finst": 0, "idx": [],
        "it": 0, "rst": 0, "bytes": 24, "boff": 0, "reps": 1, "resume": 0, "stage": 0, "what nobody knows": [{}]}"#;

    fn with(field: &str, value: Value) -> Result<Vec<Case>, String> {
        let mut case: Value = serde_json::from_str(GOOD).expect("JSON");
        case[field] = value;
        Case::all_of(&json!({ "cases": [case] }).to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn ids_come_back_and_other_stages_are_skipped() {
        let case = &with("stage", json!(0)).expect("a right case")[0];
        assert_eq!(crate::model::run(case).answer(case)["id"], json!(7.5));
        // Whatever else such a case says.
        let mut case: Value = serde_json::from_str(GOOD).expect("JSON");
        (case["stage"], case["topo"], case["cnt"]) = (json!(1), json!(99), json!("many"));
        let cases = Case::all_of(&json!({ "cases": [case] }).to_string()).expect("a case of another stage");
        assert_eq!(skipped(&cases[0]), json!({ "id": 7.5, "skipped": true }));
    }

    #[test]
    fn errors_name_the_case_and_the_field() {
        let wrong = |field: &str, value: Value, part: &str| match with(field, value) {
            Ok(_) => panic!("{field} is taken"),
            Err(error) => {
                assert!(error.contains("cases[0] (id ") && error.contains(field) && error.contains(part), "{error}");
            }
        };
        wrong("id", json!("seven"), "a number");
        wrong("topo", json!(10), "from 0 to 9");
        wrong("topo", json!(-1), "from 0 to 9");
        wrong("pv", json!(2), "from 0 to 1");
        wrong("kind", json!(5), "from 0 to 4");
        wrong("cnt", json!(4_294_967_296_u64), "4294967295");
        wrong("cnt", json!(4_294_967_295_u64), "at most 16777216 are drawn");
        wrong("inst", json!(4_000_000_000_u64), "at most");
        wrong("reps", json!(0), "from 1");
        wrong("reps", json!(1e9), "from 1");
        wrong("boff", json!(6), "multiple of 4");
        wrong("bytes", json!(1_u64 << 40), "67108864");
        wrong("bytes", Value::Null, "null");
        let indexed = |idx: Value, it: u32| {
            let mut case: Value = serde_json::from_str(GOOD).expect("JSON");
            (case["kind"], case["idx"], case["it"]) = (json!(1), idx, json!(it));
            Case::all_of(&json!({ "cases": [case] }).to_string()).map_err(|error| error.to_string())
        };
        assert!(indexed(json!([1, 255]), 2).is_ok());
        assert!(indexed(json!([1, 256]), 2).is_err_and(|error| error.contains("idx[1]") && error.contains("255")));
        assert!(indexed(json!("0 1 2"), 2).is_err_and(|error| error.contains("`idx`: a list")));
        assert_eq!(Case::all_of("[]").map_err(|error| error.to_string()).unwrap_err(), CaseError::NoCases.to_string());
        assert!(matches!(Case::all_of("{\"cases\": [3]}"), Err(CaseError::NoObject { at: 0 })));
        assert!(matches!(Case::all_of("{\"cases\": "), Err(CaseError::Json(_))));
    }

    #[test]
    fn a_counter_below_the_offset_draws_nothing() {
        let mut case = Case::new(0, false, 4, 1);
        (case.kind, case.first) = (Kind::ByteCount, 100);
        assert_eq!((case.vertices(), crate::model::run(&case).needed), (0, 0));
    }

    #[test]
    fn layouts_are_checked() {
        let layout = |captures: Value, strides: Value| {
            let mut case: Value = serde_json::from_str(GOOD).expect("JSON");
            case["outputs"] = json!([{ "type": "f32", "words": 4 }, { "type": "b64", "words": 2, "elements": 2 }]);
            (case["captures"], case["strides"]) = (captures, strides);
            Case::all_of(&json!({ "cases": [case] }).to_string()).map_err(|error| error.to_string())
        };
        let capture =
            |location: u32, words: u32, offset: u32| json!({ "location": location, "words": words, "offset": offset });
        assert!(layout(json!([capture(0, 4, 0), capture(2, 2, 16)]), json!([24, 0, 0, 0])).is_ok());
        let wrong = |captures, strides, part: &str| {
            let error = layout(captures, strides).expect_err(part);
            assert!(error.contains(part), "{error}");
        };
        wrong(json!([capture(3, 2, 0)]), json!([8]), "no such words");
        wrong(json!([capture(13, 2, 0)]), json!([8]), "`captures[0].location`: 13");
        wrong(
            json!([capture(0, 4, 0), { "location": 1, "offset": 0 }]),
            json!([16]),
            "`captures[1].words`: it is missing",
        );
        wrong(json!([capture(0, 4, 0), 7]), json!([16]), "`captures[1]`: an object");
        wrong(json!([capture(0, 4, 0)]), json!([16, 0, 0, 0, 4]), "`strides`: 5 of them");
        wrong(json!([capture(1, 3, 0)]), json!([16]), "no such words");
        wrong(json!([capture(0, 4, 4)]), json!([16]), "beyond the stride");
        wrong(json!([capture(0, 4, 0), capture(1, 2, 12)]), json!([32]), "not free");
        wrong(json!([capture(0, 4, 0)]), json!([16, 8]), "strides[1]");
        wrong(json!([]), json!([0]), "there are none");
        wrong(json!([capture(0, 4, 0)]), json!([100_000]), "up to 512");
    }
}
