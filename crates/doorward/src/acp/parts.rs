//! A stream in the parts that are passed on: whole lines, and pieces of a line
//! that is too long to be looked at.
//!
//! Without that bound one line could take all memory. The bound lies above
//! what the socket accepts: what is longer could not be offered anyway.

use std::io::{self, Read};

use doorward_socket::limits::Limits;

const CHUNK: usize = 64 << 10;

#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// One or more whole lines; the last of the stream may lack its newline.
    Lines(&'a [u8]),
    /// A long line begins.
    Start(&'a [u8]),
    /// It goes on.
    Middle(&'a [u8]),
    /// It ends, with its newline.
    End(&'a [u8]),
}

impl<'a> Part<'a> {
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Lines(bytes) | Self::Start(bytes) | Self::Middle(bytes) | Self::End(bytes) => {
                bytes
            }
        }
    }

    /// Whether a line ends here.
    #[must_use]
    pub fn ends(&self) -> bool {
        matches!(self, Self::Lines(_) | Self::End(_))
    }
}

pub struct Parts<R> {
    from: R,
    chunk: Vec<u8>,
    have: Vec<u8>,
    /// How much of `have` was handed out.
    handed: usize,
    /// How much of `have` is known to hold no newline.
    searched: usize,
    inside: bool,
    longest: usize,
}

impl<R: Read> Parts<R> {
    pub fn new(from: R) -> Self {
        Self {
            from,
            chunk: vec![0; CHUNK],
            have: Vec::new(),
            handed: 0,
            searched: 0,
            inside: false,
            longest: Limits::default().frame + (1 << 20),
        }
    }

    /// The next part; none at the end, or when the stream cannot be read.
    pub fn part(&mut self) -> Option<Part<'_>> {
        self.have.drain(..self.handed);
        self.handed = 0;
        if self.have.len() <= CHUNK {
            self.have.shrink_to(4 * CHUNK);
        }
        loop {
            if self.inside && !self.have.is_empty() {
                return Some(self.inside());
            }
            let new = &self.have[self.searched..];
            if let Some(last) = new.iter().rposition(|byte| *byte == b'\n') {
                self.handed = self.searched + last + 1;
                self.searched = 0;
                return Some(Part::Lines(&self.have[..self.handed]));
            }
            self.searched = self.have.len();
            if self.have.len() > self.longest {
                self.inside = true;
                self.searched = 0;
                self.handed = self.have.len();
                return Some(Part::Start(&self.have));
            }
            if !self.read() {
                let rest = !self.have.is_empty();
                self.handed = self.have.len();
                self.searched = 0;
                return rest.then_some(Part::Lines(&self.have));
            }
        }
    }

    fn inside(&mut self) -> Part<'_> {
        match self.have.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.inside = false;
                self.handed = end + 1;
                Part::End(&self.have[..=end])
            }
            None => {
                self.handed = self.have.len();
                Part::Middle(&self.have)
            }
        }
    }

    fn read(&mut self) -> bool {
        loop {
            match self.from.read(&mut self.chunk) {
                Ok(0) => return false,
                Ok(count) => {
                    self.have.extend_from_slice(&self.chunk[..count]);
                    return true;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(bytes: &[u8], longest: usize, chunk: usize) -> Vec<(char, Vec<u8>)> {
        let mut parts = Parts::new(bytes);
        parts.longest = longest;
        parts.chunk = vec![0; chunk];
        let mut all = Vec::new();
        while let Some(part) = parts.part() {
            all.push(match part {
                Part::Lines(bytes) => ('l', bytes.to_vec()),
                Part::Start(bytes) => ('s', bytes.to_vec()),
                Part::Middle(bytes) => ('m', bytes.to_vec()),
                Part::End(bytes) => ('e', bytes.to_vec()),
            });
        }
        all
    }

    #[test]
    fn nothing_is_lost_whatever_the_lengths() {
        let bytes = b"\na\n\r\nabcdefghijklm\nb\n\xff\xfe\nabcdefghijklmnopqrstuvwxyz\n\nlast";
        for longest in 1..30 {
            for chunk in 1..40 {
                let parts = parts(bytes, longest, chunk);
                let joined: Vec<u8> = parts.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
                assert_eq!(joined, bytes, "{longest} {chunk}");
                for (kind, bytes) in &parts[..parts.len() - 1] {
                    let whole = bytes.ends_with(b"\n");
                    assert_eq!(whole, matches!(kind, 'l' | 'e'), "{longest} {chunk}");
                }
            }
        }
    }

    #[test]
    fn a_long_line_without_an_end_is_passed() {
        let all = parts(b"abcdef", 2, 3);
        let expected = [('s', b"abc".to_vec()), ('m', b"def".to_vec())];
        assert_eq!(all, expected);
    }
}
