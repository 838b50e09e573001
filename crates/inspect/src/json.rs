//! Packets and values for programs.

use afterimage_shader::Language;
use afterimage_stream::Packet;
use afterimage_stream::describe::{self, Field, Value};
use serde_json::{Map, json};

/// Every field of a packet; the stream does not know the names of shader languages, which are added here.
#[must_use]
pub fn fields(packet: &Packet<'_>) -> Vec<Field> {
    let mut fields = describe::fields(packet);
    if let Packet::CreateShader(body) = packet
        && let Some(language) = Language::from_number(body.language)
        && let Some(field) = fields.iter_mut().find(|field| field.name == "language")
    {
        field.value = Value::Word(language.name().to_owned());
    }
    fields
}

/// Fields as an object.
#[must_use]
pub fn fields_json(fields: &[Field]) -> serde_json::Value {
    let entries = fields.iter().map(|field| (field.name.clone(), value_json(&field.value)));
    serde_json::Value::Object(entries.collect::<Map<_, _>>())
}

/// A value. Ids are text such as `Texture#3`, none is null; floats that JSON has no form of are text.
#[must_use]
pub fn value_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => match (u64::try_from(*number), i64::try_from(*number)) {
            (Ok(number), _) => json!(number),
            (_, Ok(number)) => json!(number),
            _ => json!(number.to_string()),
        },
        Value::Bits(bits) => json!(bits),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) => json!(number.to_string()),
        Value::Bool(yes) => json!(yes),
        Value::Word(word) => json!(word),
        Value::Flags(flags) => json!(flags),
        Value::Id(id) if id.is_none() => serde_json::Value::Null,
        Value::Id(id) => json!(id.to_string()),
        Value::Text(text) => json!(text),
        Value::List(values) => serde_json::Value::Array(values.iter().map(value_json).collect()),
        Value::Fields(fields) => fields_json(fields),
    }
}
