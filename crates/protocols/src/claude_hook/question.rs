//! Claude Code's AskUserQuestion as a form, and the answers as its tool takes them.
//!
//! Measured with 2.1.328: an allow without `updatedInput` is ignored; the answers stand under the questions'
//! own texts; a multiple choice is one text, and what holds the separator in it is quoted as JSON.

use crate::{said, text};
use doorward_core::question::*;
use serde_json::{Map, Value, json};

const DECLINED: &str = "The user declined to answer.";
const ADD: &str = "Your own answer, added to the chosen ones.";
const OR_NOTE: &str = "Your own answer, or a note to the chosen one.";

/// None unless every question can be drawn, and answered under a text of its own.
pub fn form(input: &Value) -> Option<Question> {
    let items = input.get("questions")?.as_array()?;
    let fields: Option<Vec<Field>> = items.iter().enumerate().map(field).collect();
    let fields = fields.filter(|fields| !fields.is_empty())?;
    let mut texts: Vec<&str> = fields.iter().map(|field| field.title.as_str()).collect();
    texts.sort_unstable();
    if texts.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    Some(Question {
        message: String::new(),
        fields,
        needs_one: true,
    })
}

fn field((at, item): (usize, &Value)) -> Option<Field> {
    let id = format!("question_{at}");
    let kind = match text(item, "kind") {
        Some("text") => Kind::Text(Text::default()),
        None | Some("choice") => Kind::Choice(choices(item, &id)?),
        Some(_) => return None,
    };
    Some(Field {
        id,
        title: said(item, "question")?.to_owned(),
        tag: said(item, "header").map(str::to_owned),
        description: said(item, "description").map(str::to_owned),
        kind,
        required: false,
        default: None,
    })
}

fn choices(item: &Value, id: &str) -> Option<Choices> {
    let offers = item.get("options")?.as_array()?;
    let offer = |offer: &Value| {
        let label = said(offer, "label")?.to_owned();
        Some(Offer {
            value: label.clone(),
            title: label,
            description: said(offer, "description").map(str::to_owned),
            preview: said(offer, "preview").map(str::to_owned),
        })
    };
    let multiple = multiple(item);
    let help = if multiple { ADD } else { OR_NOTE };
    Some(Choices {
        options: offers.iter().map(offer).collect::<Option<_>>()?,
        multiple,
        other: Some(Other {
            id: other(id),
            title: "Other".into(),
            description: Some(help.into()),
            secret: false,
        }),
        ..Choices::default()
    })
}

fn other(id: &str) -> String {
    format!("{id}_custom")
}

/// The hook's decision. An answer without answers is none.
pub fn selected(
    option: &str,
    input: &Value,
    feedback: Option<&str>,
    answers: Option<&Answers>,
) -> Option<Value> {
    match option {
        ANSWER => Some(json!({"behavior": "allow", "updatedInput": filled(input, answers?)?})),
        DECLINE => Some(json!({"behavior": "deny", "message": feedback.unwrap_or(DECLINED)})),
        _ => None,
    }
}

/// The tool's input with the answers in it.
fn filled(input: &Value, given: &Answers) -> Option<Value> {
    let mut answers = Map::new();
    let mut notes = Map::new();
    for (at, item) in input.get("questions")?.as_array()?.iter().enumerate() {
        let id = format!("question_{at}");
        let question = text(item, "question")?.to_owned();
        let own = given.get(&other(&id)).and_then(Value::as_str);
        match (given.get(&id), own) {
            (Some(Value::Array(chosen)), own) => {
                let chosen = chosen.iter().filter_map(Value::as_str);
                answers.insert(question, joined(chosen.chain(own)).into());
            }
            (Some(Value::String(chosen)), own) => {
                let beside = beside(item, chosen, own);
                if !beside.is_empty() {
                    notes.insert(question.clone(), beside.into());
                }
                answers.insert(question, chosen.as_str().into());
            }
            (None, Some(own)) if multiple(item) => {
                answers.insert(question, joined([own].into_iter()).into());
            }
            (None, Some(own)) => drop(answers.insert(question, own.into())),
            _ => {}
        }
    }
    let mut filled = input.as_object()?.clone();
    filled.insert("answers".into(), answers.into());
    if !notes.is_empty() {
        filled.insert("annotations".into(), notes.into());
    }
    Some(filled.into())
}

/// What the terminal's own form sends beside a chosen answer: its preview, and a note.
fn beside(item: &Value, chosen: &str, note: Option<&str>) -> Map<String, Value> {
    let offers = item.get("options").and_then(Value::as_array);
    let offer = offers
        .into_iter()
        .flatten()
        .find(|offer| text(offer, "label") == Some(chosen));
    let preview = offer.and_then(|offer| said(offer, "preview"));
    let members = [("preview", preview), ("notes", note)];
    let given = members
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    given
        .map(|(key, value)| (key.to_owned(), value.into()))
        .collect()
}

fn multiple(item: &Value) -> bool {
    item.get("multiSelect").and_then(Value::as_bool) == Some(true)
}

fn joined<'a>(items: impl Iterator<Item = &'a str>) -> String {
    let quoted = |item: &str| match item.contains(", ") || item.contains('"') {
        true => Value::from(item).to_string(),
        false => item.to_owned(),
    };
    items.map(quoted).collect::<Vec<_>>().join(", ")
}
