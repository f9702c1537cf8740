//! A text file as bytes: its encoding and its byte-order mark are kept aside.

use super::Unsure;

/// A tool looks at this many UTF-16 units to tell the line ending of a file.
const SAMPLE: usize = 4096;
/// Where a NUL makes a file binary.
const HEAD: usize = 8 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8 {
        mark: bool,
    },
    /// Little-endian, always with its mark.
    Utf16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    encoding: Encoding,
    text: String,
}

impl Text {
    /// # Errors
    /// `NotText` for bytes that are neither UTF-8 nor UTF-16LE behind a mark, and for binary ones.
    pub fn read(bytes: &[u8]) -> Result<Self, Unsure> {
        let (encoding, text) = match bytes {
            [0xff, 0xfe, units @ ..] if units.len().is_multiple_of(2) => {
                let units: Vec<u16> = units
                    .chunks_exact(2)
                    .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                    .collect();
                let text = String::from_utf16(&units).map_err(|_| Unsure::NotText)?;
                (Encoding::Utf16, text)
            }
            [0xef, 0xbb, 0xbf, rest @ ..] => (Encoding::Utf8 { mark: true }, utf8(rest)?),
            bytes => (Encoding::Utf8 { mark: false }, utf8(bytes)?),
        };
        Ok(Self { encoding, text })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same file with another text.
    #[must_use]
    pub fn with(&self, text: String) -> Self {
        Self {
            encoding: self.encoding,
            text,
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 { mark: false } => self.text.clone().into_bytes(),
            Encoding::Utf8 { mark: true } => [&[0xef, 0xbb, 0xbf], self.text.as_bytes()].concat(),
            Encoding::Utf16 => {
                let units = self.text.encode_utf16().flat_map(u16::to_le_bytes);
                [0xff, 0xfe].into_iter().chain(units).collect()
            }
        }
    }

    /// What a person should be told when the encoding does not stay.
    pub fn change_to(&self, after: &Self) -> Option<&'static str> {
        use Encoding::{Utf8, Utf16};
        match (self.encoding, after.encoding) {
            (Utf8 { mark: true }, Utf8 { mark: false }) => Some("The byte-order mark goes."),
            (Utf8 { mark: false }, Utf8 { mark: true }) => Some("A byte-order mark is added."),
            (Utf16, Utf8 { .. }) => Some("The encoding changes from UTF-16 to UTF-8."),
            (Utf8 { .. }, Utf16) => Some("The encoding changes from UTF-8 to UTF-16."),
            (Utf8 { .. }, Utf8 { .. }) | (Utf16, Utf16) => None,
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<String, Unsure> {
    if bytes[..bytes.len().min(HEAD)].contains(&0) {
        return Err(Unsure::NotText);
    }
    String::from_utf8(bytes.to_vec()).map_err(|_| Unsure::NotText)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Lf,
    Crlf,
}

impl Ending {
    /// The ending that most lines have at the beginning; LF when there are as many of both.
    pub fn of(text: &str) -> Self {
        let (mut units, mut lf, mut crlf) = (0, 0, 0);
        let mut last = '\0';
        for character in text.chars() {
            units += character.len_utf16();
            if units > SAMPLE {
                break;
            }
            match (last, character) {
                ('\r', '\n') => crlf += 1,
                (_, '\n') => lf += 1,
                _ => {}
            }
            last = character;
        }
        if crlf > lf { Self::Crlf } else { Self::Lf }
    }
}
