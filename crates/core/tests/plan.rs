//! A plan is read whole: whatever it holds, nothing panics, and every word of it is in the tree.

use doorward_core::plan::{Block, Span, blocks};
use proptest::prelude::*;

fn spans(spans: &[Span], out: &mut String) {
    for span in spans {
        out.push_str(&span.text);
        if let Some(target) = &span.target {
            out.push(' ');
            out.push_str(target);
            out.push(' ');
        }
    }
    out.push('\n');
}

/// Everything the tree says, in its order.
fn text(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Heading { spans: inside, .. } | Block::Paragraph { spans: inside } => {
                spans(inside, &mut out)
            }
            Block::List { items, .. } => items
                .iter()
                .for_each(|item| out.push_str(&text(&item.blocks))),
            Block::Code { lang, text } => {
                out.push_str(lang.as_deref().unwrap_or_default());
                out.push('\n');
                out.push_str(text);
                out.push('\n');
            }
            Block::Quote { blocks } => out.push_str(&text(blocks)),
            Block::Table { header, rows } => {
                header
                    .iter()
                    .chain(rows.iter().flatten())
                    .for_each(|cell| spans(cell, &mut out));
            }
            Block::Rule => {}
        }
    }
    out
}

fn depth(blocks: &[Block]) -> usize {
    let inside = |block: &Block| match block {
        Block::List { items, .. } => {
            1 + items
                .iter()
                .map(|item| 1 + depth(&item.blocks))
                .max()
                .unwrap_or(0)
        }
        Block::Quote { blocks } => 1 + depth(blocks),
        _ => 0,
    };
    blocks.iter().map(inside).max().unwrap_or(0)
}

/// Pieces of Markdown; `§` stands for a word.
const PIECES: &[&str] = &[
    "§ § §\n\n",
    "# §\n",
    "###### § §\n\n",
    "§\n===\n",
    "- §\n",
    "- §\n  - §\n    - §\n",
    "1. §\n2. §\n",
    "7) §\n",
    "- [ ] §\n- [x] §\n",
    "> §\n",
    "> > - §\n",
    "```§\n§\n§\n```\n",
    "~~~\n§\n~~~\n",
    "    §\n",
    "**§** *§* ~~§~~ `§`\n",
    "[§](https://§/§)\n",
    "![§](§.png)\n",
    "<§>\n",
    "<b>§</b>\n",
    "<div>\n§\n</div>\n\n",
    "<!-- § -->\n\n",
    "<script>§</script>\n",
    "| § | § |\n|---|---|\n| § | § |\n\n",
    "| §\n|-\n| §\n\n",
    "§\\\n§\n",
    "§  \n§\n",
    "---\n",
    "* * *\n",
    "§&amp;§\n",
    "&lt;§&gt;\n",
    "\\*§\\*\n",
    "<https://§.example>\n",
    "\t§\n",
    "**§",
    "`§",
    "[§",
    "](§)",
    "\n",
    "\n\n",
    "  ",
    "- ",
    "> ",
    "§[^1]\n",
    "[§][§]\n",
    "$§$ $$§$$\n",
    "H~§~ ^§^\n",
    ":::§\n",
];

/// What Markdown keeps to itself is not in the tree yet; a person finds it in the plan as text. What is shown must
/// leave this list.
const WANTING: &[&str] = &[
    "```rust §\nx\n```\n",
    "[a]: https://§.example\n",
    "[a](b \"§\")\n",
    "| a |\n|---|\n| b | § |\n",
];

#[test]
fn what_the_tree_does_not_show_yet() {
    for piece in WANTING {
        let shown = text(&blocks(&piece.replace('§', "word")));
        assert!(!shown.contains("word"), "{piece:?} is shown");
    }
}

/// Markdown, and the words in it.
fn plan() -> impl Strategy<Value = (String, Vec<String>)> {
    prop::collection::vec(proptest::sample::select(PIECES), 0..14).prop_map(|pieces| {
        let mut words = Vec::new();
        let mut markdown = String::new();
        for (number, part) in pieces.concat().split('§').enumerate() {
            if number > 0 {
                let word = format!("word{number}w");
                markdown.push_str(&word);
                words.push(word);
            }
            markdown.push_str(part);
        }
        (markdown, words)
    })
}

/// How many cases; `PROPTEST_CASES` asks for more.
fn cases(least: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    let wanted = std::env::var_os("PROPTEST_CASES").map_or(least, |_| asked.cases);
    ProptestConfig {
        cases: wanted.max(least),
        failure_persistence: None,
        ..asked
    }
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn every_word_is_there((markdown, words) in plan()) {
        let tree = blocks(&markdown);
        let shown = text(&tree);
        for word in &words {
            prop_assert!(shown.contains(word.as_str()), "{} is lost in {:?}", word, tree);
        }
    }

    #[test]
    fn no_text_panics(markdown in any::<String>()) {
        let _ = blocks(&markdown);
    }

    #[test]
    fn no_mixture_of_signs_panics(signs in prop::collection::vec(proptest::sample::select("#*_`~|>-+[](){}<>!&;:\\\"' \t\n\r0123456789abc.=$^".chars().collect::<Vec<_>>()), 0..200)) {
        let markdown: String = signs.into_iter().collect();
        let _ = blocks(&markdown);
    }

    #[test]
    fn nesting_is_bounded(quotes in 0..200usize, items in 0..60usize) {
        let markdown = format!("{}{}word", "> ".repeat(quotes), "- ".repeat(items));
        let tree = blocks(&markdown);
        prop_assert!(depth(&tree) <= 16);
        prop_assert!(text(&tree).contains("word"));
    }
}
