//! Words, numbers and strings: the grammar below the brackets.

use super::{Scan, Step};

impl Scan<'_> {
    pub(super) fn word(&mut self, word: &str) -> Step<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err("not JSON");
        }
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> Step<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return Err("not a JSON number");
        }
        Ok(())
    }

    pub(super) fn number(&mut self) -> Step<()> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        let exponent = matches!(self.peek(), Some(b'e' | b'E'));
        if exponent {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        // A number no float can hold would stop the reader of the params; as an id it is only text.
        let id = self.open.len() == 1 && self.member == "id";
        let raw = &self.text[start..self.at];
        if (exponent || raw.len() > 300)
            && !id
            && !raw.parse::<f64>().is_ok_and(|number| number.is_finite())
        {
            self.refuse("number out of range");
        }
        Ok(())
    }

    /// Passes over a string and says whether it holds escapes.
    pub(super) fn string(&mut self) -> Step<bool> {
        self.at += 1;
        let mut escaped = false;
        loop {
            match self.peek() {
                None => return Err("line ends early"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(0..0x20) => return Err("control character in a string"),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Step<()> {
        self.at += 1;
        let byte = self.peek().ok_or("line ends early")?;
        self.at += 1;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => return Ok(()),
            b'u' => {}
            _ => return Err("not a JSON escape"),
        }
        let unit = self.hex().ok_or("not a JSON escape")?;
        let mut lone = (0xDC00..0xE000).contains(&unit);
        if (0xD800..0xDC00).contains(&unit) {
            let rest = self.at;
            lone = true;
            if self.text.as_bytes()[rest..].starts_with(b"\\u") {
                self.at += 2;
                lone = !self
                    .hex()
                    .is_some_and(|low| (0xDC00..0xE000).contains(&low));
            }
            if lone {
                self.at = rest;
            }
        }
        if lone {
            self.refuse("lone surrogate");
        }
        Ok(())
    }

    fn hex(&mut self) -> Option<u32> {
        let four = self.text.as_bytes().get(self.at..self.at + 4)?;
        let mut unit = 0;
        for byte in four {
            unit = unit * 16 + char::from(*byte).to_digit(16)?;
        }
        self.at += 4;
        Some(unit)
    }
}
