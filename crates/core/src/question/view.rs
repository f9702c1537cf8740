//! What a person sees of a form. Strings have passed `visible()`, except ids and values.

use super::{Field, Kind, Offer, Other, Question};
use crate::shown::show;
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct QuestionView {
    /// The agent's words over the form.
    pub message: String,
    pub fields: Vec<FieldView>,
    /// An answer with nothing in it is refused.
    pub needs_one: bool,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct FieldView {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub kind: KindView,
    pub required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(
    tag = "type",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum KindView {
    Text {
        format: Option<String>,
        min_length: Option<u64>,
        max_length: Option<u64>,
        pattern: Option<String>,
        secret: bool,
    },
    Number {
        integer: bool,
        /// As a number is written: it may be larger than the page can hold.
        min: Option<String>,
        max: Option<String>,
    },
    Boolean,
    Choice {
        options: Vec<OfferView>,
        multiple: bool,
        least: Option<u64>,
        most: Option<u64>,
        other: Option<OtherView>,
    },
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct OfferView {
    pub value: String,
    pub title: String,
    /// The value, where it says something else than the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sends: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(optional_fields = nullable))]
pub struct OtherView {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub secret: bool,
}

impl From<&Question> for QuestionView {
    fn from(question: &Question) -> Self {
        Self {
            message: show(&question.message),
            fields: question.fields.iter().map(FieldView::from).collect(),
            needs_one: question.needs_one,
        }
    }
}

impl From<&Field> for FieldView {
    fn from(field: &Field) -> Self {
        Self {
            id: field.id.clone(),
            title: show(&field.title),
            tag: field.tag.as_deref().map(show),
            description: field.description.as_deref().map(show),
            kind: KindView::from(&field.kind),
            required: field.required,
            default: field.default.clone(),
        }
    }
}

impl From<&Kind> for KindView {
    fn from(kind: &Kind) -> Self {
        match kind {
            Kind::Text(text) => Self::Text {
                format: text.format.as_ref().map(|format| show(format.as_str())),
                min_length: text.min_length,
                max_length: text.max_length,
                pattern: text.pattern.as_ref().map(|pattern| show(pattern.as_str())),
                secret: text.secret,
            },
            Kind::Number { integer, min, max } => Self::Number {
                integer: *integer,
                min: min.as_ref().map(ToString::to_string),
                max: max.as_ref().map(ToString::to_string),
            },
            Kind::Boolean => Self::Boolean,
            Kind::Choice(choices) => Self::Choice {
                options: choices.options.iter().map(OfferView::from).collect(),
                multiple: choices.multiple,
                least: choices.least,
                most: choices.most,
                other: choices.other.as_ref().map(OtherView::from),
            },
        }
    }
}

impl From<&Offer> for OfferView {
    fn from(offer: &Offer) -> Self {
        Self {
            value: offer.value.clone(),
            title: show(&offer.title),
            sends: (offer.value != offer.title).then(|| show(&offer.value)),
            description: offer.description.as_deref().map(show),
            preview: offer.preview.as_deref().map(show),
        }
    }
}

impl From<&Other> for OtherView {
    fn from(other: &Other) -> Self {
        Self {
            id: other.id.clone(),
            title: show(&other.title),
            description: other.description.as_deref().map(show),
            secret: other.secret,
        }
    }
}
