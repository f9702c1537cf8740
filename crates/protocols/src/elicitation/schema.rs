//! A restricted JSON schema as a form. Whatever is not known to be drawn makes the whole of it none.

use crate::{said, text};
use doorward_core::question::*;
use serde_json::{Map, Number, Value};

/// More than this is no form for a person.
const FIELDS: usize = 100;
const OFFERS: usize = 500;

/// Members that say nothing of the values: they may be read or left.
const SILENT: &[&str] = &["$schema", "$id", "$comment", "examples", "deprecated"];

pub fn form(message: &str, schema: &Value) -> Option<Question> {
    let known = [
        "type",
        "title",
        "description",
        "properties",
        "required",
        "additionalProperties",
    ];
    let members = only(schema, &known)?;
    if members.get("type").is_some_and(|kind| kind != "object") {
        return None;
    }
    let none = Map::new();
    let properties = match members.get("properties") {
        None => &none,
        Some(properties) => properties.as_object()?,
    };
    let required = match members.get("required") {
        None | Some(Value::Null) => vec![],
        Some(ids) => texts(ids)?,
    };
    if properties.len() > FIELDS || !required.iter().all(|id| properties.contains_key(*id)) {
        return None;
    }
    let mut fields: Vec<Field> = Vec::new();
    let mut own_answers = 0;
    for (id, property) in properties {
        let needed = required.contains(&id.as_str());
        let field = field(id, property, needed)?;
        match joins(&field, property, fields.last()) {
            Some(own) => {
                own_answers += usize::from(own);
                add_other(fields.last_mut()?, field);
            }
            None => fields.push(field),
        }
    }
    // Claude asks with a text of one's own beside each choice, and takes an empty form for no answer.
    let claude = own_answers > 0 && own_answers == fields.len();
    let mut message = message.to_owned();
    if claude {
        entitle(&mut fields, &mut message);
    }
    Some(Question {
        message,
        fields,
        needs_one: claude,
    })
}

/// The members, if every one of them is known.
fn only<'a>(value: &'a Value, known: &[&str]) -> Option<&'a Map<String, Value>> {
    let members = value.as_object()?;
    let drawn = |key: &str| known.contains(&key) || SILENT.contains(&key) || key.starts_with('_');
    members.keys().all(|key| drawn(key)).then_some(members)
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

fn field(id: &str, property: &Value, required: bool) -> Option<Field> {
    let kind = kind(property)?;
    let default = property.get("default").filter(|value| kind.holds(value));
    Some(Field {
        id: id.to_owned(),
        title: said(property, "title").unwrap_or(id).to_owned(),
        tag: None,
        description: said(property, "description").map(str::to_owned),
        default: default.cloned(),
        kind,
        required,
    })
}

const COMMON: [&str; 4] = ["type", "title", "description", "default"];

fn kind(property: &Value) -> Option<Kind> {
    let only = |more: &[&str]| only(property, &[&COMMON, more].concat());
    let enumerated = ["enum", "oneOf"]
        .iter()
        .any(|key| property.get(key).is_some());
    let kind = match property.get("type") {
        None if enumerated => "string",
        kind => kind?.as_str()?,
    };
    match kind {
        "string" if enumerated => {
            only(&["enum", "enumNames", "oneOf"])?;
            Some(Kind::Choice(Choices {
                options: offers(property, "oneOf")?,
                ..Choices::default()
            }))
        }
        "string" => {
            only(&["minLength", "maxLength", "pattern", "format", "writeOnly"])?;
            Some(Kind::Text(of_text(property)?))
        }
        "number" | "integer" => {
            only(&["minimum", "maximum"])?;
            Some(Kind::Number {
                integer: kind == "integer",
                min: number(property, "minimum")?,
                max: number(property, "maximum")?,
            })
        }
        "boolean" => only(&[]).map(|_| Kind::Boolean),
        "array" => {
            only(&["items", "minItems", "maxItems", "uniqueItems"])?;
            let items = property.get("items")?;
            self::only(items, &["type", "enum", "enumNames", "anyOf"])?;
            if items.get("type").is_some_and(|kind| kind != "string") {
                return None;
            }
            Some(Kind::Choice(Choices {
                options: offers(items, "anyOf")?,
                multiple: true,
                least: count(property, "minItems")?,
                most: count(property, "maxItems")?,
                other: None,
            }))
        }
        _ => None,
    }
}

fn of_text(property: &Value) -> Option<Text> {
    let pattern = match property.get("pattern") {
        None | Some(Value::Null) => None,
        Some(pattern) => Some(Pattern::new(pattern.as_str()?)?),
    };
    let secret = property.pointer("/_meta/codex/isSecret") == Some(&Value::Bool(true))
        || property.get("writeOnly") == Some(&Value::Bool(true))
        || text(property, "format") == Some("password");
    let format = text(property, "format").filter(|format| *format != "password");
    Some(Text {
        format: format.map(Format::parse),
        min_length: count(property, "minLength")?,
        max_length: count(property, "maxLength")?,
        pattern,
        secret,
    })
}

/// `Some(None)` where it is not given.
fn count(value: &Value, key: &str) -> Option<Option<u64>> {
    match value.get(key) {
        None | Some(Value::Null) => Some(None),
        Some(count) => count.as_u64().map(Some),
    }
}

fn number(value: &Value, key: &str) -> Option<Option<Number>> {
    match value.get(key) {
        None | Some(Value::Null) => Some(None),
        Some(Value::Number(number)) => Some(Some(number.clone())),
        Some(_) => None,
    }
}

/// The offers, titled or bare; each value once.
fn offers(schema: &Value, titled: &str) -> Option<Vec<Offer>> {
    let offers: Vec<Offer> = match (schema.get("enum"), schema.get(titled)) {
        (Some(values), None) => bare(values, schema.get("enumNames"))?,
        (None, Some(items)) => items.as_array()?.iter().map(offer).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut values: Vec<&str> = offers.iter().map(|offer| offer.value.as_str()).collect();
    values.sort_unstable();
    let unique = values.windows(2).all(|pair| pair[0] != pair[1]);
    (unique && !offers.is_empty() && offers.len() <= OFFERS).then_some(offers)
}

fn bare(values: &Value, names: Option<&Value>) -> Option<Vec<Offer>> {
    let values = texts(values)?;
    let names = match names {
        None => values.clone(),
        Some(names) => texts(names).filter(|names| names.len() == values.len())?,
    };
    let offer = |(value, title): (&&str, &str)| Offer {
        value: (*value).to_owned(),
        title: title.to_owned(),
        description: None,
        preview: None,
    };
    Some(values.iter().zip(names).map(offer).collect())
}

fn offer(item: &Value) -> Option<Offer> {
    only(item, &["const", "title", "description", "type"])?;
    let value = text(item, "const")?;
    let preview = item
        .pointer("/_meta/_claude~1askUserQuestionOption/preview")
        .and_then(Value::as_str);
    Some(Offer {
        value: value.to_owned(),
        title: said(item, "title").unwrap_or(value).to_owned(),
        description: said(item, "description").map(str::to_owned),
        preview: preview.map(str::to_owned),
    })
}

/// Whether a text belongs to the choice before it; and if so, whether it may stand in its place.
fn joins(field: &Field, property: &Value, before: Option<&Field>) -> Option<bool> {
    let before = before?;
    let (Kind::Choice(choices), Kind::Text(text)) = (&before.kind, &field.kind) else {
        return None;
    };
    let plain = Text {
        secret: text.secret,
        ..Text::default()
    };
    if choices.other.is_some() || *text != plain || field.required || field.default.is_some() {
        return None;
    }
    let note = property.pointer("/_meta/codex").is_some_and(|codex| {
        let of = |key, value: &str| codex.get(key).and_then(Value::as_str) == Some(value);
        of("role", "user_note") && of("questionId", &before.id)
    });
    if note {
        return Some(false);
    }
    (field.id == format!("{}_custom", before.id)).then_some(true)
}

fn add_other(choice: &mut Field, field: Field) {
    if let (Kind::Choice(choices), Kind::Text(text)) = (&mut choice.kind, field.kind) {
        choices.other = Some(Other {
            id: field.id,
            title: field.title,
            description: field.description,
            secret: text.secret,
        });
    }
}

/// Claude's question stands in the description, or in the message where there is but one; the title is short.
fn entitle(fields: &mut [Field], message: &mut String) {
    if let [field] = fields
        && field.description.is_none()
        && !message.trim().is_empty()
    {
        field.description = Some(std::mem::take(message));
    }
    for field in fields {
        if let Some(question) = field.description.take() {
            let title = std::mem::replace(&mut field.title, question);
            field.tag = (title != field.id).then_some(title);
        }
    }
}
