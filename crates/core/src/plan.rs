//! Markdown of a plan as a tree of plain values.
//!
//! The surface builds elements from these and sets text, so nothing an agent writes becomes markup there: raw HTML
//! is text, an image is its description and address, a link carries its full target beside its words. Every text
//! has passed `visible`. Nesting is bounded; deeper containers give their content to the one around them.

use serde::Serialize;

mod build;

/// A block of the plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Block {
    Heading {
        level: u8,
        spans: Vec<Span>,
    },
    Paragraph {
        spans: Vec<Span>,
    },
    List {
        ordered: bool,
        start: Option<u64>,
        items: Vec<Item>,
    },
    Code {
        lang: Option<String>,
        text: String,
    },
    Quote {
        blocks: Vec<Block>,
    },
    Table {
        header: Vec<Vec<Span>>,
        rows: Vec<Vec<Vec<Span>>>,
    },
    Rule,
}

/// A list item; `checked` is set for task lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Item {
    pub checked: Option<bool>,
    pub blocks: Vec<Block>,
}

/// Text in one style.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Span {
    pub text: String,
    pub style: Style,
    /// Where a link leads.
    pub target: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Style {
    Plain,
    Strong,
    Emphasis,
    Code,
    Strike,
    Link,
}

/// Reads a plan.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<Block> {
    build::blocks(markdown)
}

#[cfg(test)]
mod tests;
