//! A question: a form that the agent wants filled. It is answered, declined or handed back, never yes or no.
//!
//! Fields keep the order they came in. Only what can be drawn whole becomes a `Question`; the protocols
//! hand the rest back.

mod check;
mod view;

pub use view::{FieldView, KindView, OfferView, OtherView, QuestionView};

use serde::Serialize;
use serde_json::{Map, Number, Value};

/// Values by the id of their field, in the order of the form.
pub type Answers = Map<String, Value>;

/// The ids of a question's options: they are ours, whatever the source.
pub const ANSWER: &str = "answer";
pub const DECLINE: &str = "decline";

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The agent's words over the form; empty where a field says the same.
    pub message: String,
    pub fields: Vec<Field>,
    /// An answer with nothing in it would say that nobody answered.
    pub needs_one: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub id: String,
    pub title: String,
    /// A short name besides the title.
    pub tag: Option<String>,
    pub description: Option<String>,
    pub kind: Kind,
    pub required: bool,
    /// As received; always a value that the kind can hold.
    pub default: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Text(Text),
    Number {
        integer: bool,
        min: Option<Number>,
        max: Option<Number>,
    },
    Boolean,
    Choice(Choices),
}

/// Lengths count Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Text {
    pub format: Option<Format>,
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    pub pattern: Option<Pattern>,
    /// Drawn masked, and kept in no draft.
    pub secret: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    Email,
    Uri,
    Date,
    DateTime,
    /// Shown; nothing is known to check.
    Other(String),
}

impl Format {
    pub fn parse(name: &str) -> Self {
        match name {
            "email" => Self::Email,
            "uri" => Self::Uri,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            other => Self::Other(other.to_owned()),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Other(other) => other,
        }
    }
}

/// A regular expression that finds its match anywhere in the text.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    regex: regex::Regex,
}

impl Pattern {
    /// None for what cannot be checked here.
    pub fn new(text: &str) -> Option<Self> {
        let built = regex::RegexBuilder::new(text).size_limit(1 << 20).build();
        Some(Self {
            text: text.to_owned(),
            regex: built.ok()?,
        })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choices {
    pub options: Vec<Offer>,
    pub multiple: bool,
    /// How many are to be chosen at least and at most, where `multiple`.
    pub least: Option<u64>,
    pub most: Option<u64>,
    pub other: Option<Other>,
}

/// `value` goes back as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub value: String,
    pub title: String,
    pub description: Option<String>,
    pub preview: Option<String>,
}

/// A text beside the offers of a choice: an answer of one's own, or a note. It has an id of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
    pub secret: bool,
}

/// Why a field cannot go back as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FieldError {
    /// Empty where it is about the form as a whole.
    pub field: String,
    /// Nothing was answered, where something has to be.
    pub missing: bool,
    pub words: String,
}

impl FieldError {
    fn new(field: &str, words: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            missing: false,
            words: words.into(),
        }
    }

    fn missing(field: &str, words: &str) -> Self {
        Self {
            missing: true,
            ..Self::new(field, words)
        }
    }
}

impl Question {
    /// The answers as they go back, in the order of the form and without what was left empty.
    ///
    /// A number may come as text, so that no digit is lost on the way.
    ///
    /// # Errors
    /// What is wrong, field by field, in words.
    pub fn validate(&self, answers: &Answers) -> Result<Answers, Vec<FieldError>> {
        let mut right = Answers::new();
        let mut wrong = Vec::new();
        for field in &self.fields {
            field.validate(answers, &mut right, &mut wrong);
        }
        let known = |id: &str| self.fields.iter().any(|field| field.holds(id));
        let strangers = answers.keys().filter(|id| !known(id));
        wrong.extend(strangers.map(|id| FieldError::new(id, "The form has no such field.")));
        if self.needs_one && wrong.is_empty() && right.is_empty() {
            wrong.push(FieldError::missing("", "Nothing is answered."));
        }
        if wrong.is_empty() {
            Ok(right)
        } else {
            Err(wrong)
        }
    }

    /// Whether the answer under this id is not to be kept.
    pub fn secret(&self, id: &str) -> bool {
        self.fields.iter().any(|field| match &field.kind {
            Kind::Text(text) => field.id == id && text.secret,
            Kind::Choice(choices) => {
                let other = choices.other.as_ref();
                other.is_some_and(|other| other.id == id && other.secret)
            }
            Kind::Number { .. } | Kind::Boolean => false,
        })
    }

    /// A draft, `{"answers": {…}, …}`, as it may be kept; none for what is no such thing.
    pub fn draft(&self, text: &str) -> Option<String> {
        let mut draft: Value = serde_json::from_str(text).ok()?;
        let answers = draft.get_mut("answers")?.as_object_mut()?;
        answers.retain(|id, _| !self.secret(id));
        Some(draft.to_string())
    }

    /// Every text of it that a person reads.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts = vec![self.message.as_str()];
        for field in &self.fields {
            texts.push(&field.title);
            texts.extend(field.tag.as_deref());
            texts.extend(field.description.as_deref());
            texts.extend(field.default.as_ref().and_then(Value::as_str));
            if let Kind::Choice(choices) = &field.kind {
                for offer in &choices.options {
                    texts.extend([offer.value.as_str(), offer.title.as_str()]);
                    texts.extend(offer.description.as_deref());
                    texts.extend(offer.preview.as_deref());
                }
                if let Some(other) = &choices.other {
                    texts.push(&other.title);
                    texts.extend(other.description.as_deref());
                }
            }
        }
        texts
    }
}

impl Field {
    fn holds(&self, id: &str) -> bool {
        let other = match &self.kind {
            Kind::Choice(choices) => choices.other.as_ref(),
            Kind::Text(_) | Kind::Number { .. } | Kind::Boolean => None,
        };
        self.id == id || other.is_some_and(|other| other.id == id)
    }

    fn validate(&self, answers: &Answers, right: &mut Answers, wrong: &mut Vec<FieldError>) {
        match answers.get(&self.id).filter(|value| !empty(value)) {
            None if self.required => wrong.push(FieldError::missing(&self.id, "Required.")),
            None => {}
            Some(value) => match self.kind.check(value) {
                Ok(value) => drop(right.insert(self.id.clone(), value)),
                Err(words) => wrong.push(FieldError::new(&self.id, words)),
            },
        }
        let Kind::Choice(Choices {
            other: Some(other), ..
        }) = &self.kind
        else {
            return;
        };
        match answers.get(&other.id) {
            Some(Value::String(text)) if text.trim().is_empty() => {}
            Some(Value::String(text)) => drop(right.insert(other.id.clone(), text.trim().into())),
            None | Some(Value::Null) => {}
            Some(_) => wrong.push(FieldError::new(&other.id, "Not a text.")),
        }
    }
}

/// Left empty, as a person sees it.
fn empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests;
