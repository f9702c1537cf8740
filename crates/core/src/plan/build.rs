//! Builds the tree from the parser's events, with a stack of open containers.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{Block, Item, Span, Style};
use crate::visible::visible;

/// Containers inside each other.
const DEPTH: usize = 16;

enum Open {
    Quote(Vec<Block>),
    List(Option<u64>, Vec<Item>),
    Item(Item),
    /// Too deep: what is inside goes to the container around it.
    Passed,
}

#[derive(Default)]
struct Build {
    top: Vec<Block>,
    open: Vec<Open>,
    /// Inline text of the block that is being read.
    spans: Vec<Span>,
    styles: Vec<(Style, Option<String>)>,
    images: Vec<String>,
    code: Option<(Option<String>, String)>,
    header: Vec<Vec<Span>>,
    rows: Vec<Vec<Vec<Span>>>,
    row: Vec<Vec<Span>>,
}

pub(super) fn blocks(markdown: &str) -> Vec<Block> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut build = Build::default();
    for event in Parser::new_ext(markdown, options) {
        build.event(event);
    }
    build.flush();
    build.top
}

fn seen(text: &str) -> String {
    visible(text).text
}

impl Build {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => {
                self.styles.push((Style::Code, None));
                self.text(&text);
                self.styles.pop();
            }
            Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::FootnoteReference(text) => self.text(&text),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.text("\n"),
            Event::Rule => {
                self.flush();
                self.add(Block::Rule);
            }
            Event::TaskListMarker(checked) => {
                if let Some(Open::Item(item)) = self.open.last_mut() {
                    item.checked = Some(checked);
                } else {
                    self.text(if checked { "[x] " } else { "[ ] " });
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => self.styles.push((Style::Emphasis, None)),
            Tag::Strong => self.styles.push((Style::Strong, None)),
            Tag::Strikethrough => self.styles.push((Style::Strike, None)),
            Tag::Link { dest_url, .. } => {
                self.styles
                    .push((Style::Link, Some(dest_url.into_string())));
            }
            Tag::Image { dest_url, .. } => {
                self.text("[image: ");
                self.images.push(dest_url.into_string());
            }
            Tag::Superscript | Tag::Subscript => {}
            Tag::TableHead | Tag::TableRow => self.row.clear(),
            Tag::TableCell => self.spans.clear(),
            Tag::CodeBlock(kind) => {
                self.flush();
                let lang = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().map(seen),
                    CodeBlockKind::Indented => None,
                };
                self.code = Some((lang, String::new()));
            }
            Tag::BlockQuote(_) => self.open(Open::Quote(Vec::new())),
            Tag::List(start) => self.open(Open::List(start, Vec::new())),
            Tag::Item => {
                let (checked, blocks) = (None, Vec::new());
                self.open(Open::Item(Item { checked, blocks }));
            }
            _ => self.flush(),
        }
    }

    fn open(&mut self, container: Open) {
        self.flush();
        // A list is opened only where its items still fit.
        let limit = match container {
            Open::Item(_) => DEPTH,
            _ => DEPTH - 1,
        };
        let inside = !matches!(self.open.last(), Some(Open::Passed));
        let fits = inside && self.open.len() < limit;
        self.open.push(if fits { container } else { Open::Passed });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {
                self.styles.pop();
            }
            TagEnd::Image => {
                let target = self.images.pop().unwrap_or_default();
                self.text(&format!(" ({target})]"));
            }
            TagEnd::Superscript | TagEnd::Subscript => {}
            TagEnd::Heading(level) => {
                let spans = self.take();
                let level = match level {
                    HeadingLevel::H1 => 1,
                    HeadingLevel::H2 => 2,
                    HeadingLevel::H3 => 3,
                    HeadingLevel::H4 => 4,
                    HeadingLevel::H5 => 5,
                    HeadingLevel::H6 => 6,
                };
                self.add(Block::Heading { level, spans });
            }
            TagEnd::CodeBlock => {
                if let Some((lang, text)) = self.code.take() {
                    let text = seen(text.strip_suffix('\n').unwrap_or(&text));
                    self.add(Block::Code { lang, text });
                }
            }
            TagEnd::TableCell => {
                let cell = self.take();
                self.row.push(cell);
            }
            TagEnd::TableHead => self.header = std::mem::take(&mut self.row),
            TagEnd::TableRow => self.rows.push(std::mem::take(&mut self.row)),
            TagEnd::Table => {
                let header = std::mem::take(&mut self.header);
                let rows = std::mem::take(&mut self.rows);
                self.add(Block::Table { header, rows });
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item => self.close(),
            _ => self.flush(),
        }
    }

    fn close(&mut self) {
        self.flush();
        match self.open.pop() {
            Some(Open::Quote(blocks)) => self.add(Block::Quote { blocks }),
            Some(Open::List(start, items)) => {
                let ordered = start.is_some();
                self.add(Block::List {
                    ordered,
                    start,
                    items,
                });
            }
            Some(Open::Item(item)) => match self.open.last_mut() {
                Some(Open::List(_, items)) => items.push(item),
                _ => item.blocks.into_iter().for_each(|block| self.add(block)),
            },
            Some(Open::Passed) | None => {}
        }
    }

    fn add(&mut self, block: Block) {
        for container in self.open.iter_mut().rev() {
            if let Open::Quote(blocks) | Open::Item(Item { blocks, .. }) = container {
                blocks.push(block);
                return;
            }
        }
        self.top.push(block);
    }

    /// A link outranks other styles, since its target must stay with its words.
    fn text(&mut self, text: &str) {
        let link = self
            .styles
            .iter()
            .rev()
            .find(|(_, target)| target.is_some());
        let (style, target) = link
            .or(self.styles.last())
            .cloned()
            .unwrap_or((Style::Plain, None));
        match self.spans.last_mut() {
            Some(last) if last.style == style && last.target == target => {
                last.text.push_str(text);
            }
            _ => self.spans.push(Span {
                text: text.to_owned(),
                style,
                target,
            }),
        }
    }

    fn take(&mut self) -> Vec<Span> {
        let mut spans = std::mem::take(&mut self.spans);
        for span in &mut spans {
            span.text = seen(&span.text);
            span.target = span.target.as_deref().map(seen);
        }
        spans
    }

    /// Text that stands in a container without a block of its own is a paragraph.
    fn flush(&mut self) {
        let spans = self.take();
        if spans.iter().any(|span| !span.text.trim().is_empty()) {
            self.add(Block::Paragraph { spans });
        }
    }
}
