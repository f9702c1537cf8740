use super::*;
use serde_json::json;

fn field(id: &str, kind: Kind, required: bool) -> Field {
    Field {
        id: id.into(),
        title: id.into(),
        tag: None,
        description: None,
        kind,
        required,
        default: None,
    }
}

fn of(kind: Kind) -> Question {
    Question {
        message: String::new(),
        fields: vec![field("f", kind, true)],
        needs_one: false,
    }
}

fn text(set: impl FnOnce(&mut Text)) -> Kind {
    let mut text = Text::default();
    set(&mut text);
    Kind::Text(text)
}

fn choice(multiple: bool) -> Choices {
    let offer = |value: &str| Offer {
        value: value.into(),
        title: value.to_uppercase(),
        description: None,
        preview: None,
    };
    Choices {
        options: vec![offer("a"), offer("b"), offer("c")],
        multiple,
        ..Choices::default()
    }
}

fn answers(value: Value) -> Answers {
    value.as_object().expect("an object").clone()
}

/// What becomes of one answer: the value, or the words.
fn checked(kind: &Kind, value: Value) -> Result<Value, String> {
    let given = answers(json!({ "f": value }));
    match of(kind.clone()).validate(&given) {
        Ok(mut right) => Ok(right.remove("f").expect("a required answer")),
        Err(wrong) => Err(wrong[0].words.clone()),
    }
}

#[test]
fn each_kind_takes_its_values_and_says_what_is_wrong_with_others() {
    let plain = text(|_| {});
    let short = text(|text| (text.min_length, text.max_length) = (Some(2), Some(3)));
    let table = [
        (&plain, json!("é\n"), Ok(json!("é\n"))),
        (&plain, json!(1), Err("Not a text.")),
        (&plain, json!(""), Err("Required.")),
        (&plain, Value::Null, Err("Required.")),
        (&short, json!("é"), Err("At least 2 characters.")),
        (&short, json!("éöü"), Ok(json!("éöü"))),
        (&short, json!("éöüß"), Err("At most 3 characters.")),
        (&Kind::Boolean, json!(false), Ok(json!(false))),
        (&Kind::Boolean, json!("yes"), Err("Neither yes nor no.")),
    ];
    for (kind, value, expected) in table {
        assert_eq!(
            checked(kind, value.clone()),
            expected.map_err(str::to_owned),
            "{kind:?} {value}"
        );
    }
}

#[test]
fn formats_are_checked() {
    let right = [
        ("email", "a.b+c@example.com"),
        ("email", "ü@bücher.example"),
        ("uri", "https://example.com/a?b=c#d"),
        ("uri", "mailto:a@b"),
        ("date", "2024-02-29"),
        ("date", "2000-02-29"),
        ("date-time", "2026-12-31T23:59:60Z"),
        ("date-time", "2026-01-01t00:00:00.125+05:30"),
        ("ipv4", "whatever it may be"),
    ];
    let wrong = [
        ("email", "a"),
        ("email", "@b"),
        ("email", "a@"),
        ("email", "a b@c"),
        ("email", "a@b..c"),
        ("email", "a@b\n"),
        ("uri", "example.com"),
        ("uri", "https://"),
        ("uri", "https://a b"),
        ("uri", "1https://a"),
        ("uri", "https://exämple.com"),
        ("date", "2026-02-29"),
        ("date", "1900-02-29"),
        ("date", "2026-13-01"),
        ("date", "2026-04-31"),
        ("date", "2026-1-1"),
        ("date", "2026-01-00"),
        ("date", "2026-01-01T00:00:00Z"),
        ("date-time", "2026-01-01"),
        ("date-time", "2026-01-01T00:00:00"),
        ("date-time", "2026-01-01T24:00:00Z"),
        ("date-time", "2026-01-01T00:00Z"),
        ("date-time", "2026-01-01T00:00:00.Z"),
        ("date-time", "2026-01-01T00:00:00+5:30"),
        ("date-time", "2026-01-01T00:00:00Zx"),
    ];
    let kind = |name| text(|text| text.format = Some(Format::parse(name)));
    for (name, value) in right {
        assert!(checked(&kind(name), json!(value)).is_ok(), "{name} {value}");
    }
    for (name, value) in wrong {
        assert!(
            checked(&kind(name), json!(value)).is_err(),
            "{name} {value}"
        );
    }
}

#[test]
fn a_pattern_is_found_anywhere_unless_it_is_anchored() {
    let kind = |pattern| text(|text| text.pattern = Some(Pattern::new(pattern).expect("one")));
    assert!(checked(&kind("b+"), json!("abbc")).is_ok());
    assert_eq!(
        checked(&kind("^b+$"), json!("abbc")),
        Err("Does not match the pattern ^b+$".into())
    );
    for unknown in ["(?=a)", r"(a)\1", "(", "(x{1000}){1000}"] {
        assert!(Pattern::new(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn numbers_keep_every_digit() {
    let number = |integer, min: Option<i64>, max: Option<i64>| Kind::Number {
        integer,
        min: min.map(Number::from),
        max: max.map(Number::from),
    };
    let (any, whole) = (number(false, None, None), number(true, Some(1), Some(9)));
    assert_eq!(checked(&any, json!("0.5")), Ok(json!(0.5)));
    assert_eq!(checked(&any, json!(" -1e3 ")), Ok(json!(-1000.0)));
    let large = "18446744073709551615";
    assert_eq!(checked(&any, json!(large)), Ok(json!(u64::MAX)));
    for odd in [
        json!("x"),
        json!("1,5"),
        json!("NaN"),
        json!("0x10"),
        json!([1]),
    ] {
        assert_eq!(
            checked(&any, odd),
            Err("Not a number, such as 12 or -0.5.".into())
        );
    }
    assert_eq!(checked(&whole, json!(9)), Ok(json!(9)));
    for (odd, words) in [
        (json!("1.0"), "Not a whole number, such as 12 or -3."),
        (json!(0), "At least 1."),
        (json!("10"), "At most 9."),
    ] {
        assert_eq!(checked(&whole, odd), Err(words.into()));
    }
    let most = number(true, None, Some(9_007_199_254_740_993));
    assert!(checked(&most, json!(9_007_199_254_740_993_i64)).is_ok());
    assert!(checked(&most, json!(9_007_199_254_740_994_i64)).is_err());
}

#[test]
fn choices_go_back_as_offered() {
    let one = Kind::Choice(choice(false));
    assert_eq!(checked(&one, json!("b")), Ok(json!("b")));
    for stranger in ["B", "b ", "d"] {
        assert_eq!(
            checked(&one, json!(stranger)),
            Err("Not one of the options.".into())
        );
    }
    assert!(checked(&one, json!(["b"])).is_err());
    let several = Kind::Choice(Choices {
        least: Some(2),
        most: Some(2),
        ..choice(true)
    });
    assert_eq!(checked(&several, json!(["c", "a"])), Ok(json!(["a", "c"])));
    for (given, words) in [
        (json!(["a"]), "Choose at least 2."),
        (json!(["a", "a"]), "Choose at least 2."),
        (json!(["a", "b", "c"]), "Choose at most 2."),
        (json!(["a", "d"]), "Not one of the options."),
        (json!("a"), "Not a list."),
        (json!([]), "Required."),
    ] {
        assert_eq!(checked(&several, given), Err(words.into()));
    }
}

#[test]
fn the_other_answer_has_an_id_of_its_own() {
    let mut choices = choice(false);
    choices.other = Some(Other {
        id: "f_custom".into(),
        title: "Other".into(),
        description: None,
        secret: false,
    });
    let mut question = of(Kind::Choice(choices));
    question.fields[0].required = false;
    question.needs_one = true;
    let validate = |given: Value| question.validate(&answers(given));
    let both = json!({"f_custom": " a note ", "f": "a"});
    let right = validate(both).expect("valid");
    assert_eq!(
        Value::Object(right).to_string(),
        r#"{"f":"a","f_custom":"a note"}"#
    );
    assert!(validate(json!({"f_custom": "mine"})).is_ok());
    for nothing in [json!({}), json!({"f_custom": "  ", "f": null})] {
        let wrong = validate(nothing).expect_err("nothing is answered");
        assert_eq!((wrong[0].field.as_str(), wrong[0].missing), ("", true));
    }
    assert!(validate(json!({"f_custom": 1})).is_err());
}

#[test]
fn answers_go_back_in_the_order_of_the_form_and_strangers_not_at_all() {
    let kinds = ["z", "a", "m"].map(|id| field(id, text(|_| {}), false));
    let question = Question {
        message: String::new(),
        fields: kinds.to_vec(),
        needs_one: false,
    };
    let right = question.validate(&answers(json!({"m": "3", "a": "", "z": "1"})));
    assert_eq!(
        Value::Object(right.expect("valid")).to_string(),
        r#"{"z":"1","m":"3"}"#
    );
    assert_eq!(question.validate(&Answers::new()), Ok(Answers::new()));
    let wrong = question.validate(&answers(json!({"q": "1"})));
    assert_eq!(wrong.expect_err("a stranger")[0].field, "q");
}

#[test]
fn a_draft_holds_no_secret() {
    let mut question = of(text(|text| text.secret = true));
    question.fields.push(field("g", text(|_| {}), false));
    let draft = question.draft(r#"{"answers":{"g":"kept","f":"hunter2"},"feedback":"no"}"#);
    assert_eq!(
        draft.as_deref(),
        Some(r#"{"answers":{"g":"kept"},"feedback":"no"}"#)
    );
    for odd in ["hunter2", "{}", r#"{"answers":["hunter2"]}"#, "7"] {
        assert_eq!(question.draft(odd), None, "{odd}");
    }
}
