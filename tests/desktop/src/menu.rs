//! A tray menu as a host draws it.

use std::collections::HashMap;

use zbus::Message;
use zbus::zvariant::{OwnedValue, Value};

#[derive(Clone, Debug, Default)]
pub struct Menu {
    pub id: i32,
    pub label: String,
    pub enabled: bool,
    pub entries: Vec<Menu>,
}

impl Menu {
    pub(crate) fn read(reply: &Message) -> Self {
        type Node = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);
        let body = reply.body();
        let (_, (id, properties, children)): (u32, Node) = body.deserialize().expect("a layout");
        Self {
            id,
            label: label(properties.get("label").map(|value| &**value)),
            enabled: true,
            entries: children.iter().map(|child| node(child)).collect(),
        }
    }

    pub fn labels(&self) -> Vec<&str> {
        self.entries
            .iter()
            .map(|entry| entry.label.as_str())
            .collect()
    }

    pub fn find(&self, label: &str) -> Option<&Menu> {
        self.entries.iter().find(|entry| entry.label == label)
    }

    /// The entries that stand for requests: those with entries of their own.
    pub fn requests(&self) -> Vec<&Menu> {
        self.entries
            .iter()
            .filter(|entry| !entry.entries.is_empty())
            .collect()
    }

    /// The submenu of the request whose label ends so.
    pub fn request(&self, end: &str) -> Option<&Menu> {
        self.requests()
            .into_iter()
            .find(|entry| entry.label.ends_with(end))
    }
}

fn node(value: &Value<'_>) -> Menu {
    let value = match value {
        Value::Value(inner) => inner,
        other => other,
    };
    let Value::Structure(entry) = value else {
        panic!("no menu entry: {value:?}");
    };
    let [
        Value::I32(id),
        Value::Dict(properties),
        Value::Array(children),
    ] = entry.fields()
    else {
        panic!("no menu entry: {value:?}");
    };
    let property = |name: &str| {
        let name = Value::from(name);
        let found = properties.iter().find(|(key, _)| **key == name)?.1;
        Some(match found {
            Value::Value(inner) => &**inner,
            other => other,
        })
    };
    Menu {
        id: *id,
        label: label(property("label")),
        enabled: !matches!(property("enabled"), Some(Value::Bool(false))),
        entries: children.iter().map(node).collect(),
    }
}

/// A single `_` marks the key of an entry and is not drawn; `__` is an underscore.
fn label(value: Option<&Value<'_>>) -> String {
    let Some(Value::Str(text)) = value else {
        return String::new();
    };
    let mut drawn = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        drawn.extend(if c == '_' { characters.next() } else { Some(c) });
    }
    drawn
}
