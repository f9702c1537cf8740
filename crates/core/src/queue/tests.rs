use super::*;
use crate::request::{Change, FileChange, Found};
use crate::simulate::{Operation, Replace, Tool};
use crate::view::tests::request;

fn decision(option: &str, revision: u32) -> Decision {
    Decision {
        id: RequestId(1),
        revision,
        option: option.into(),
        feedback: None,
        amendment: None,
        answers: None,
    }
}

fn prepared(command: &str) -> Box<Prepared> {
    Box::new(Prepared::new(request(command)))
}

/// The refusal of a choice at the window; none when it settled.
fn at_window(queue: &mut Queue, option: &str, revision: u32, now: Millis) -> Option<Refusal> {
    let chosen = Event::Chosen(decision(option, revision), Surface::Window);
    match queue.apply(chosen, now).first() {
        Some(Effect::Refuse(_, refusal, _)) => Some(*refusal),
        _ => None,
    }
}

fn arrived() -> Queue {
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(prepared("ls")), 0);
    queue
}

#[test]
fn a_request_settles_exactly_once() {
    let mut queue = arrived();
    let first = queue.apply(Event::Chosen(decision("a", 1), Surface::Harness), 0);
    assert!(
        matches!(&first[0], Effect::Settle { outcome: Outcome::Selected(id), .. } if id == "a")
    );
    for event in [
        Event::Chosen(decision("r", 1), Surface::Tray),
        Event::HandedBack(RequestId(1), Why::ShuttingDown),
        Event::Withdrawn(RequestId(1), Why::Cancelled),
    ] {
        let effects = queue.apply(event, 0);
        assert!(
            !effects
                .iter()
                .any(|effect| matches!(effect, Effect::Settle { .. }))
        );
    }
}

#[test]
fn what_was_not_offered_or_not_shown_is_refused() {
    let table = [
        ("x", 1, 9_999, Refusal::NotOffered),
        ("a", 2, 9_999, Refusal::Stale),
        ("a", 1, 599, Refusal::TooSoon),
    ];
    for (option, revision, now, refusal) in table {
        let mut queue = arrived();
        queue.apply(Event::Painted(RequestId(1), 1), 100);
        assert_eq!(at_window(&mut queue, option, revision, now), Some(refusal));
    }
}

#[test]
fn the_window_decides_only_what_it_has_shown_undisturbed() {
    let mut queue = arrived();
    assert_eq!(at_window(&mut queue, "a", 1, 9_999), Some(Refusal::TooSoon));
    queue.apply(Event::Painted(RequestId(1), 2), 10_000);
    assert_eq!(
        at_window(&mut queue, "a", 1, 20_000),
        Some(Refusal::TooSoon)
    );
    queue.apply(Event::Painted(RequestId(1), 1), 20_000);
    queue.apply(Event::Disturbed, 20_400);
    assert_eq!(
        at_window(&mut queue, "a", 1, 20_600),
        Some(Refusal::TooSoon)
    );
    queue.apply(Event::WindowStarted, 21_000);
    assert_eq!(
        at_window(&mut queue, "a", 1, 30_000),
        Some(Refusal::TooSoon)
    );
    queue.apply(Event::Painted(RequestId(1), 1), 30_000);
    queue.apply(Event::Updated(RequestId(1), prepared("ls -l")), 30_100);
    assert_eq!(
        at_window(&mut queue, "a", 2, 40_000),
        Some(Refusal::TooSoon)
    );
    queue.apply(Event::Painted(RequestId(1), 2), 40_000);
    assert_eq!(at_window(&mut queue, "a", 2, 40_500), None);
}

#[test]
fn an_allow_is_locked_until_every_fold_was_opened() {
    let long = "ls\n".repeat(99);
    for surface in [Surface::Tray, Surface::Notification, Surface::Window] {
        let mut queue = Queue::default();
        queue.apply(Event::Arrived(prepared(&long)), 0);
        queue.apply(Event::Painted(RequestId(1), 1), 0);
        let locked = [Effect::Refuse(RequestId(1), Refusal::Locked, surface)];
        let allow = || Event::Chosen(decision("a", 1), surface);
        assert_eq!(queue.apply(allow(), 9_999), locked);
        for (revision, fold) in [(2, "fact"), (1, "file-0")] {
            queue.apply(Event::Opened(RequestId(1), revision, fold.into()), 9_999);
            assert_eq!(queue.apply(allow(), 19_999), locked);
        }
        let mut refusing = queue.clone();
        let effects = refusing.apply(Event::Chosen(decision("r", 1), surface), 19_999);
        assert!(
            matches!(effects[0], Effect::Settle { .. }),
            "no fold locks a reject"
        );
        queue.apply(Event::Opened(RequestId(1), 1, "fact".into()), 20_000);
        let effects = queue.apply(allow(), 29_999);
        assert!(matches!(effects[0], Effect::Settle { .. }));
    }
}

#[test]
fn what_was_opened_and_typed_outlives_the_window_but_folds_not_a_change() {
    let long = "ls\n".repeat(99);
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(prepared(&long)), 0);
    queue.apply(Event::Opened(RequestId(1), 1, "fact".into()), 0);
    queue.apply(Event::Drafted(RequestId(1), "use make".into()), 0);
    queue.apply(Event::WindowStarted, 0);
    let entry = queue.entry(RequestId(1)).expect("it waits");
    assert!(entry.opened.contains("fact"));
    queue.apply(
        Event::Updated(RequestId(1), prepared(&format!("{long}rm x"))),
        0,
    );
    let entry = queue.entry(RequestId(1)).expect("it waits");
    assert!(entry.opened.is_empty());
    assert_eq!(entry.draft.as_deref(), Some("use make"));
}

#[test]
fn a_changed_request_asks_again() {
    let mut queue = arrived();
    let effects = queue.apply(Event::Updated(RequestId(1), prepared("ls -l")), 5);
    assert_eq!(effects, [Effect::Changed(RequestId(1), 2)]);
    let effects = queue.apply(Event::Chosen(decision("a", 1), Surface::Harness), 6);
    assert_eq!(
        effects,
        [Effect::Refuse(
            RequestId(1),
            Refusal::Stale,
            Surface::Harness
        )]
    );
}

fn edit_of(disk: &[u8]) -> Box<Prepared> {
    let mut asked = request("");
    asked.affordances.amend = true;
    let change = Change::Operation(Operation::Edit(vec![Replace {
        before: "b".into(),
        after: "c".into(),
        all: false,
    }]));
    asked.files = vec![FileChange {
        found: Some(Found::Bytes(disk.into())),
        ..FileChange::new("/w/acme/a.txt".into(), Tool::Claude, change)
    }];
    Box::new(Prepared::new(asked))
}

fn amended(text: &str, option: &str) -> Decision {
    Decision {
        amendment: Some(text.into()),
        ..decision(option, 1)
    }
}

#[test]
fn an_amendment_goes_back_as_the_operation_that_writes_it() {
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(edit_of(b"a\r\nb\r\n")), 0);
    let effects = queue.apply(
        Event::Chosen(amended("a\r\nz\r\n", "a"), Surface::Harness),
        0,
    );
    let Effect::Settle { carried, .. } = &effects[0] else {
        panic!("it settles: {effects:?}");
    };
    let edit = Replace {
        before: "a\nb\n".into(),
        after: "a\nz\n".into(),
        all: false,
    };
    assert_eq!(carried.amendment, Some(Operation::Edit(vec![edit])));
}

#[test]
fn what_cannot_go_back_amended_is_refused() {
    let refused = |queue: &mut Queue, decision| {
        let effects = queue.apply(Event::Chosen(decision, Surface::Harness), 0);
        matches!(
            effects[..],
            [Effect::Refuse(_, Refusal::NotAmendable, Surface::Harness)]
        )
    };
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(edit_of(b"a\r\nb\r\n")), 0);
    assert!(
        refused(&mut queue, amended("a\nz\r\n", "a")),
        "the tool writes CRLF only"
    );
    assert!(
        refused(&mut queue, amended("a\r\nz\r\n", "r")),
        "a reject carries no text"
    );
    assert!(
        refused(&mut arrived(), amended("z", "a")),
        "nothing to amend"
    );
}

#[test]
fn a_version_is_a_new_revision_and_outlives_a_changed_file() {
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(edit_of(b"a\nb\n")), 0);
    let version = |bytes: &[u8]| Event::Versioned(RequestId(1), Some(bytes.to_vec()));
    let effects = queue.apply(version(b"a\nz\n"), 1);
    assert_eq!(effects, [Effect::Changed(RequestId(1), 2)]);
    assert_eq!(
        queue.apply(version(b"a\nz\n"), 2),
        [],
        "the same text is no change"
    );
    queue.apply(Event::Updated(RequestId(1), edit_of(b"x\nb\n")), 3);
    let entry = queue.entry(RequestId(1)).expect("it waits");
    let version = entry.version.as_ref().expect("it was kept");
    let rows: Vec<_> = version.file.hunks[0]
        .rows
        .iter()
        .map(|row| row.op)
        .collect();
    assert_eq!(rows, ['-', '-', '+', '+'], "from the file as it is now");
    assert_eq!(version.cannot_send, None);
    queue.apply(Event::Versioned(RequestId(1), None), 4);
    assert_eq!(queue.entry(RequestId(1)).expect("it waits").version, None);
}

#[test]
fn a_plan_is_compared_with_the_one_before_in_its_session() {
    let plan = |session: &str, text: &str| {
        let mut asked = request("");
        asked.session.id = session.into();
        asked.plan = Some(text.into());
        Event::Arrived(Box::new(Prepared::new(asked)))
    };
    let mut queue = Queue::default();
    for (session, text) in [
        ("s", "1. a\n"),
        ("other", "9. z\n"),
        ("s", "1. a\n2. b\n"),
        ("s", "1. a\n2. b\n"),
    ] {
        queue.apply(plan(session, text), 0);
    }
    let change =
        |id| crate::view::detail(queue.entry(RequestId(id)).expect("it waits")).plan_change;
    assert_eq!((change(1), change(2)), (None, None));
    let rows: Vec<_> = change(3).expect("a change")[0]
        .rows
        .iter()
        .map(|row| (row.op, row.text.clone()))
        .collect();
    assert_eq!(rows, [(' ', "1. a".into()), ('+', "2. b".into())]);
    assert_eq!(change(4), Some(vec![]));
}

/// A question with a secret and a required field.
fn asked() -> Queue {
    use crate::question::*;
    let field = |id: &str, secret, required| Field {
        id: id.into(),
        title: id.into(),
        tag: None,
        description: None,
        kind: Kind::Text(Text {
            secret,
            ..Text::default()
        }),
        required,
        default: None,
    };
    let mut request = request("");
    request.question = Some(Question {
        message: String::new(),
        fields: vec![field("key", true, false), field("name", false, true)],
        needs_one: false,
    });
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(Box::new(Prepared::new(request))), 0);
    queue.apply(Event::Painted(RequestId(1), 1), 0);
    queue
}

fn answered(option: &str, answers: serde_json::Value) -> Decision {
    Decision {
        answers: answers.as_object().cloned(),
        ..decision(option, 1)
    }
}

#[test]
fn a_question_is_decided_nowhere_but_where_its_form_is_shown() {
    use serde_json::json;
    let mut queue = asked();
    for surface in [Surface::Tray, Surface::Notification] {
        for decision in [
            answered("a", json!({"name": "x"})),
            answered("r", json!(null)),
        ] {
            let refused = Effect::Refuse(RequestId(1), Refusal::Locked, surface);
            assert_eq!(
                queue.apply(Event::Chosen(decision, surface), 9_999),
                [refused]
            );
        }
    }
    let window = |answers| Event::Chosen(answered("a", answers), Surface::Window);
    for wrong in [
        json!(null),
        json!({}),
        json!({"name": ""}),
        json!({"name": 1}),
    ] {
        let refused = Effect::Refuse(RequestId(1), Refusal::Incomplete, Surface::Window);
        assert_eq!(queue.apply(window(wrong), 9_999), [refused]);
    }
    let early = Effect::Refuse(RequestId(1), Refusal::TooSoon, Surface::Window);
    assert_eq!(queue.apply(window(json!({"name": "x"})), 1), [early]);
    let effects = queue.apply(window(json!({"name": "x", "key": "k"})), 9_999);
    let Effect::Settle { carried, .. } = &effects[0] else {
        panic!("settled: {effects:?}")
    };
    assert_eq!(json!(carried.answers), json!({"key": "k", "name": "x"}));
    // What was answered stays nowhere.
    assert!(!format!("{:?}", queue.entry(RequestId(1))).contains("\"k\""));
}

#[test]
fn a_declined_question_carries_no_answers() {
    let mut queue = asked();
    let decision = answered("r", serde_json::json!({"name": "x", "key": 7}));
    let effects = queue.apply(Event::Chosen(decision, Surface::Window), 9_999);
    let Effect::Settle { carried, .. } = &effects[0] else {
        panic!("settled: {effects:?}")
    };
    assert_eq!(carried.answers, None);
}

#[test]
fn a_questions_draft_is_kept_whole_and_without_secrets() {
    let mut queue = asked();
    let mut draft = |text: String| {
        queue.apply(Event::Drafted(RequestId(1), text), 0);
        queue
            .entry(RequestId(1))
            .expect("it is there")
            .draft
            .clone()
    };
    let kept = Some(r#"{"answers":{"name":"x"}}"#.to_owned());
    assert_eq!(
        draft(r#"{"answers":{"key":"hunter2","name":"x"}}"#.into()),
        kept
    );
    assert_eq!(draft("hunter2".into()), kept);
    let long = format!(r#"{{"answers":{{"name":"{}"}}}}"#, "x".repeat(70_000));
    assert_eq!(draft(long), kept);
}
