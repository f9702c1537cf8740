//! A random word per question, by which the broker knows it again after a lost
//! connection. It proves nothing; it only has to be unlike all others.

use std::io::Read;
use std::time::{SystemTime, UNIX_EPOCH};

#[must_use]
pub fn nonce() -> String {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanos = now.map_or(0, |now| now.as_nanos());
        return format!("{}-{nanos}", std::process::id());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
