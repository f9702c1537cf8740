//! `doorward ask`: one question from a script.
//!
//! The exit code says what happened, so that a shell needs no JSON: 0 selected,
//! 3 cancelled, 4 nobody answered, 2 not a question.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::asking::Asking;

const BAD_INPUT: u8 = 2;
const CANCELLED: u8 = 3;
const HANDED_BACK: u8 = 4;

/// No deadline is asked for; a year is none.
const FOREVER: Duration = Duration::from_secs(365 * 86_400);

pub fn run(socket: Option<&Path>, timeout: Option<u64>) -> ExitCode {
    let started = Instant::now();
    let mut input = String::new();
    if io::stdin().read_to_string(&mut input).is_err() || !is_question(&input) {
        eprintln!("doorward: standard input must be one ACP permission request");
        return ExitCode::from(BAD_INPUT);
    }
    let wanted = timeout.map_or(FOREVER, Duration::from_secs).min(FOREVER);
    let asking = Asking {
        socket,
        program: "ask",
        method: "session/request_permission",
        params: &input,
        deadline: started + wanted,
        timed: timeout.is_some(),
        retry: FOREVER,
        pulse: None,
        askers: &[],
    };
    let mut code = HANDED_BACK;
    let printed = asking.ask(|result| {
        let outcome: Value = serde_json::from_str(result).unwrap_or_default();
        let said = match outcome["outcome"]["outcome"].as_str() {
            Some("selected") => 0,
            Some("cancelled") => CANCELLED,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        writeln!(io::stdout(), "{result}")?;
        code = said;
        Ok(())
    });
    // What was not printed whole was not answered.
    ExitCode::from(if printed.is_ok() { code } else { HANDED_BACK })
}

fn is_question(input: &str) -> bool {
    let Ok(params) = serde_json::from_str::<Value>(input) else {
        return false;
    };
    let options = params["options"].as_array();
    params["toolCall"].is_object()
        && options.is_some_and(|options| {
            !options.is_empty() && options.iter().all(|option| option["optionId"].is_string())
        })
}
