//! What a render encoder has at each draw, of a list of calls.

use afterimage_metal_calls::Stage;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Bytes of a buffer that are looked at.
const SEEN: usize = 256;

/// What was set.
#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    /// A buffer's bytes, from an offset on, as they are when something is drawn.
    Bytes(Arc<Mutex<Vec<u8>>>, u64),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Bytes(bytes, offset) => {
                let bytes = bytes.lock().unwrap();
                let seen = bytes.get(*offset as usize..).unwrap_or_default();
                format!("{:?}", &seen[..seen.len().min(SEEN)])
            }
        }
    }
}

/// What an encoder has, and had at draws.
#[derive(Debug, Default)]
pub struct Watched {
    /// Whether each draw takes what was set since the last one.
    pub forgets: bool,
    pub state: BTreeMap<String, Value>,
    pub draws: Vec<BTreeMap<String, String>>,
}

impl Watched {
    fn place(stage: Stage, index: u32) -> String {
        format!("{stage:?} buffer {index}")
    }

    /// Notes a call that sets something.
    pub fn called(&mut self, name: &str, arguments: &[String]) {
        let (key, value) = match (name, arguments) {
            // Where samples are counted is another place each time.
            ("set_visibility", [mode, ..]) => (name.to_owned(), mode.clone()),
            ("set_texture" | "set_sampler", [stage, index, value]) => {
                (format!("{name} {stage} {index}"), value.clone())
            }
            (name, _) if name.starts_with("set_") => (name.to_owned(), arguments.join(", ")),
            _ => return,
        };
        self.state.insert(key, Value::Text(value));
    }

    pub fn bind(&mut self, stage: Stage, index: u32, value: Value) {
        self.state.insert(Self::place(stage, index), value);
    }

    pub fn move_to(&mut self, stage: Stage, index: u32, offset: u64) {
        match self.state.get_mut(&Self::place(stage, index)) {
            Some(Value::Bytes(_, at)) => *at = offset,
            other => panic!("an offset of {other:?}"),
        }
    }

    pub fn drawn(&mut self, what: &str) {
        let mut all: BTreeMap<_, _> = self.state.iter().map(|(key, value)| (key.clone(), value.text())).collect();
        all.insert("draw".to_owned(), what.to_owned());
        self.draws.push(all);
        if self.forgets {
            self.state.clear();
        }
    }
}
