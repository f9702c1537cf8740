//! Whether a value is one that its field can take.

use super::{Choices, Format, Kind, Text};
use serde_json::{Number, Value};

impl Kind {
    /// The value as it goes back, or what is wrong with it.
    pub(super) fn check(&self, value: &Value) -> Result<Value, String> {
        match self {
            Self::Text(text) => text.check(value.as_str().ok_or("Not a text.")?),
            Self::Number { integer, min, max } => {
                number(value, *integer, min.as_ref(), max.as_ref())
            }
            Self::Boolean => match value {
                Value::Bool(_) => Ok(value.clone()),
                _ => Err("Neither yes nor no.".to_owned()),
            },
            Self::Choice(choices) if choices.multiple => choices.several(value),
            Self::Choice(choices) => choices.one(value),
        }
    }

    /// Whether the field can be drawn with this value in it.
    pub fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Text(_) => value.is_string(),
            Self::Number { .. } => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Choice(choices) if choices.multiple => value
                .as_array()
                .is_some_and(|values| values.iter().all(|value| choices.offers(value))),
            Self::Choice(choices) => choices.offers(value),
        }
    }
}

impl Text {
    fn check(&self, text: &str) -> Result<Value, String> {
        let length = text.chars().count() as u64;
        if let Some(least) = self.min_length.filter(|least| length < *least) {
            return Err(format!("At least {}.", counted(least, "character")));
        }
        if let Some(most) = self.max_length.filter(|most| length > *most) {
            return Err(format!("At most {}.", counted(most, "character")));
        }
        if let Some(format) = &self.format {
            format.check(text)?;
        }
        match &self.pattern {
            Some(pattern) if !pattern.regex.is_match(text) => {
                Err(format!("Does not match the pattern {}", pattern.as_str()))
            }
            _ => Ok(text.into()),
        }
    }
}

impl Choices {
    fn offers(&self, value: &Value) -> bool {
        self.options
            .iter()
            .any(|offer| value.as_str() == Some(&offer.value))
    }

    fn one(&self, value: &Value) -> Result<Value, String> {
        if self.offers(value) {
            Ok(value.clone())
        } else {
            Err("Not one of the options.".to_owned())
        }
    }

    /// The chosen ones in the order of the offers.
    fn several(&self, value: &Value) -> Result<Value, String> {
        let chosen = value.as_array().ok_or("Not a list.")?;
        if let Some(stranger) = chosen.iter().find(|value| !self.offers(value)) {
            return self.one(stranger);
        }
        let offered = self.options.iter().map(|offer| &offer.value);
        let picked: Vec<Value> = offered
            .map(|value| Value::from(value.as_str()))
            .filter(|value| chosen.contains(value))
            .collect();
        let count = picked.len() as u64;
        if let Some(least) = self.least.filter(|least| count < *least) {
            return Err(format!("Choose at least {least}."));
        }
        if let Some(most) = self.most.filter(|most| count > *most) {
            return Err(format!("Choose at most {most}."));
        }
        Ok(picked.into())
    }
}

fn number(
    value: &Value,
    integer: bool,
    min: Option<&Number>,
    max: Option<&Number>,
) -> Result<Value, String> {
    let read = match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => serde_json::from_str(text.trim()).ok(),
        _ => None,
    };
    let whole = |number: &Number| number.is_i64() || number.is_u64();
    let number = read
        .filter(|number| !integer || whole(number))
        .ok_or(if integer {
            "Not a whole number, such as 12 or -3."
        } else {
            "Not a number, such as 12 or -0.5."
        })?;
    if let Some(min) = min.filter(|min| less(&number, min)) {
        return Err(format!("At least {min}."));
    }
    if let Some(max) = max.filter(|max| less(max, &number)) {
        return Err(format!("At most {max}."));
    }
    Ok(Value::Number(number))
}

/// Whole numbers exactly, others as far as a float tells them apart.
fn less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

impl Format {
    fn check(&self, text: &str) -> Result<(), String> {
        let (right, words) = match self {
            Self::Email => (email(text), "Not an email address."),
            Self::Uri => (uri(text), "Not an address such as https://example.com/."),
            Self::Date => (date(text), "Not a date such as 2026-12-31."),
            Self::DateTime => (
                date_time(text),
                "Not a date and time such as 2026-12-31T18:00:00Z.",
            ),
            Self::Other(_) => (true, ""),
        };
        if right { Ok(()) } else { Err(words.to_owned()) }
    }
}

fn email(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.contains("..")
            && !part
                .contains(|c: char| c.is_whitespace() || c.is_control() || "@<>(),;:".contains(c))
    };
    text.rsplit_once('@')
        .is_some_and(|(local, host)| plain(local) && plain(host))
}

/// RFC 3986 as far as it matters here: a scheme, something after it, and no character that an address lacks.
fn uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let others = letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let foreign = |c: char| !c.is_ascii_graphic() || "<>\"{}|\\^`".contains(c);
    first && others && !rest.is_empty() && rest != "//" && !rest.contains(foreign)
}

/// A number of exactly so many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

fn date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let mut part = |count| digits(parts.next()?, count);
    let (Some(year), Some(month), Some(day)) = (part(4), part(2), part(2)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339.
fn date_time(text: &str) -> bool {
    let Some((day, rest)) = text.split_once(['T', 't', ' ']) else {
        return false;
    };
    let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let zone = match zone.strip_prefix(['+', '-']) {
        Some(offset) => clock(offset, 2),
        None => matches!(zone, "Z" | "z"),
    };
    date(day) && clock(time, 3) && fraction && zone
}

/// So many of hours, minutes and seconds. A leap second is one.
fn clock(text: &str, parts: usize) -> bool {
    let most = [23, 59, 60];
    let found: Vec<&str> = text.split(':').collect();
    found.len() == parts
        && found
            .iter()
            .zip(most)
            .all(|(part, most)| digits(part, 2).is_some_and(|value| value <= most))
}

fn counted(count: u64, what: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {what}{end}")
}
