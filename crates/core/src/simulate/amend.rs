//! The way back: the operation that leaves exactly the person's bytes on disk.

use super::{Operation, Replace, Text, Tool, Unsure, apply, as_read, text::Ending};

/// Why a text cannot be sent. In the words of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CannotSend {
    #[error(transparent)]
    Unsure(#[from] Unsure),
    #[error("Your version is not text in the file's encoding.")]
    Encoding,
    #[error("The agent's tool ends every line of this file with CRLF; your version does not.")]
    LineEndings,
    #[error("The agent's tool would not write your version byte for byte.")]
    Inexact,
}

/// Amends `original` so that it leaves `wanted`; proved by simulation, or refused.
///
/// An edit becomes one that replaces the whole file: only that fails safely when the file has moved on.
///
/// # Errors
/// When the tool cannot be brought to write these bytes.
pub fn amend(
    tool: Tool,
    before: Option<&[u8]>,
    original: &Operation,
    wanted: &[u8],
) -> Result<Operation, CannotSend> {
    let text = Text::read(wanted).map_err(|_| CannotSend::Encoding)?;
    let amended = match original {
        Operation::Write(_) => Operation::Write(text.text().to_owned()),
        Operation::Edit(_) => {
            let file = Text::read(before.unwrap_or_default())?;
            let after = match Ending::of(file.text()) {
                Ending::Crlf => text.text().replace("\r\n", "\n"),
                Ending::Lf => text.text().to_owned(),
            };
            Operation::Edit(vec![Replace {
                before: as_read(&file),
                after,
                all: false,
            }])
        }
    };
    let written = apply(tool, before, &amended)?;
    if written == wanted {
        return Ok(amended);
    }
    let written = Text::read(&written)?;
    Err(
        if as_read(&written) == as_read(&text) && written.text() != text.text() {
            CannotSend::LineEndings
        } else if written.text() == text.text() {
            CannotSend::Encoding
        } else {
            CannotSend::Inexact
        },
    )
}
