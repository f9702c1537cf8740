//! Whatever happens in whatever order: a request settles at most once, only by an option it offers, and never as an
//! allow once it was handed back, withdrawn or refused.

use doorward_core::queue::*;
use doorward_core::request::*;
use doorward_core::shown::Prepared;
use proptest::prelude::*;
use std::collections::HashMap;

/// An event in terms of what is there: the nth request, the nth option, an offset to the revision.
#[derive(Debug, Clone)]
enum Step {
    Arrive(u8),
    Update(usize, u8),
    Choose {
        request: usize,
        option: usize,
        revision: i8,
        amended: bool,
        surface: Surface,
    },
    HandBack(usize, Why),
    Withdraw(usize, Why),
    Deliver(usize, Delivered),
    LoseRace(usize),
    Apply(usize, bool),
    Paint(usize, i8),
    Open(usize, i8),
    Draft(usize),
    Version(usize),
    Disturb,
    StartWindow,
}

fn why() -> impl Strategy<Value = Why> {
    use Why::*;
    proptest::sample::select(vec![
        Person,
        Deadline,
        Paused,
        ShuttingDown,
        NoSurface,
        Cancelled,
        Elsewhere,
        ConnectionLost,
        TurnEnded,
        Retired,
    ])
}

fn step() -> impl Strategy<Value = Step> {
    let surfaces = vec![
        Surface::Tray,
        Surface::Notification,
        Surface::Window,
        Surface::Harness,
        Surface::Harness,
    ];
    let surface = proptest::sample::select(surfaces);
    let delivered =
        proptest::sample::select(vec![Delivered::Pending, Delivered::Yes, Delivered::No]);
    let revision = prop_oneof![4 => Just(0i8), 1 => -2i8..3];
    let choose = (
        0..4usize,
        0..6usize,
        revision,
        proptest::bool::weighted(0.05),
        surface,
    );
    let choose = choose.prop_map(
        |(request, option, revision, amended, surface)| Step::Choose {
            request,
            option,
            revision,
            amended,
            surface,
        },
    );
    let nearly = || prop_oneof![4 => Just(0i8), 1 => -2i8..3];
    prop_oneof![
        3 => (0..4usize, nearly()).prop_map(|(request, revision)| Step::Paint(request, revision)),
        2 => (0..4usize, nearly()).prop_map(|(request, revision)| Step::Open(request, revision)),
        1 => (0..4usize).prop_map(Step::Draft),
        1 => (0..4usize).prop_map(Step::Version),
        1 => Just(Step::Disturb),
        1 => Just(Step::StartWindow),
        3 => (0..6u8).prop_map(Step::Arrive),
        2 => (0..4usize, 0..6u8).prop_map(|(request, shape)| Step::Update(request, shape)),
        6 => choose,
        1 => (0..4usize, why()).prop_map(|(request, why)| Step::HandBack(request, why)),
        1 => (0..4usize, why()).prop_map(|(request, why)| Step::Withdraw(request, why)),
        1 => (0..4usize, delivered).prop_map(|(request, delivered)| Step::Deliver(request, delivered)),
        1 => (0..4usize).prop_map(Step::LoseRace),
        1 => (0..4usize, any::<bool>()).prop_map(|(request, applied)| Step::Apply(request, applied)),
    ]
}

/// Ids that are easy to take for one another.
const IDS: [&str; 6] = ["", "allow", "Allow", "allow ", "e\u{301}", "\u{e9}"];

fn allows(id: &str) -> bool {
    id.is_ascii()
}

/// A request that offers all ids but one, so that each shape lacks another.
fn request(shape: u8) -> PermissionRequest {
    let choice = |id: &str| Choice {
        id: id.into(),
        name: id.into(),
        kind: if allows(id) {
            OptionKind::AllowOnce
        } else {
            OptionKind::RejectOnce
        },
        description: None,
        effect: None,
        lasts: false,
        elevates: false,
    };
    let offered = IDS
        .iter()
        .enumerate()
        .filter(|(at, _)| *at != usize::from(shape));
    PermissionRequest {
        source: Source::Acp,
        origin: Origin::Local,
        agent: Agent {
            name: "Agent".into(),
            version: None,
        },
        session: Session {
            id: "s".into(),
            ..Session::default()
        },
        tool_call: ToolCall {
            title: format!("call {shape}"),
            kind: "execute".into(),
            // The longest is more than is shown at once.
            command: Some(format!("ls {}", "x\n".repeat(usize::from(shape) * 100))),
            ..ToolCall::default()
        },
        files: vec![],
        plan: None,
        question: None,
        heading: None,
        words: vec![],
        warnings: vec![],
        options: Options::new(offered.map(|(_, id)| choice(id)).collect()).expect("different ids"),
        affordances: Affordances::default(),
        not_shown: 0,
        join_failed: false,
        changed: false,
        patience: None,
        raw: String::new(),
    }
}

/// What the test saw of a request.
#[derive(Default)]
struct Seen {
    settled: Option<Outcome>,
    ended: Option<Ended>,
    revision: u32,
    /// Since when a window shows this revision, and the folds that were opened in it.
    painted: Option<Millis>,
    opened: Vec<String>,
}

#[derive(Default)]
struct Model {
    queue: Queue,
    seen: HashMap<RequestId, Seen>,
}

impl Model {
    fn step(&mut self, step: &Step, now: Millis) -> Result<(), TestCaseError> {
        let ids: Vec<RequestId> = self.queue.entries().map(|(id, _)| id).collect();
        // Also ids that were never given.
        let id = |nth: usize| ids.get(nth).copied().unwrap_or(RequestId(900 + nth as u32));
        let event = match step {
            Step::Arrive(shape) => Event::Arrived(Box::new(Prepared::new(request(*shape)))),
            Step::Update(nth, shape) => {
                Event::Updated(id(*nth), Box::new(Prepared::new(request(*shape))))
            }
            Step::Choose {
                request,
                option,
                revision,
                amended,
                ..
            } => {
                let shown = self
                    .queue
                    .entry(id(*request))
                    .map_or(1, |entry| entry.revision);
                let decision = Decision {
                    id: id(*request),
                    revision: shown.saturating_add_signed(i32::from(*revision)),
                    option: IDS[*option].into(),
                    feedback: None,
                    amendment: amended.then(|| "other".into()),
                    answers: None,
                };
                let surface = match step {
                    Step::Choose { surface, .. } => *surface,
                    _ => Surface::Harness,
                };
                return self.choose(decision, surface, now);
            }
            Step::Paint(nth, revision) => {
                return self.look(id(*nth), *revision, None, now);
            }
            Step::Open(nth, revision) => {
                let entry = self.queue.entry(id(*nth));
                let fold = entry.and_then(|entry| entry.shown.folds.first());
                let fold = fold.map_or("none".to_owned(), |fold| fold.key.clone());
                return self.look(id(*nth), *revision, Some(fold), now);
            }
            Step::Disturb | Step::StartWindow => {
                let keep = matches!(step, Step::Disturb);
                for seen in self.seen.values_mut() {
                    seen.painted = seen.painted.filter(|_| keep).map(|_| now);
                }
                if keep {
                    Event::Disturbed
                } else {
                    Event::WindowStarted
                }
            }
            Step::Draft(nth) => Event::Drafted(id(*nth), "no, because".into()),
            Step::Version(nth) => Event::Versioned(id(*nth), Some(b"other".to_vec())),
            Step::HandBack(nth, why) => Event::HandedBack(id(*nth), *why),
            Step::Withdraw(nth, why) => Event::Withdrawn(id(*nth), *why),
            Step::Deliver(nth, delivered) => Event::Delivered(id(*nth), *delivered),
            Step::LoseRace(nth) => Event::LostRace(id(*nth)),
            Step::Apply(nth, applied) => Event::Applied(id(*nth), *applied),
        };
        let effects = self.queue.apply(event, now);
        let selects = |effect: &Effect| {
            matches!(
                effect,
                Effect::Settle {
                    outcome: Outcome::Selected(_),
                    ..
                }
            )
        };
        prop_assert!(!effects.iter().any(selects), "only a choice selects");
        self.take(effects)
    }

    /// A window shows a revision, or a person opens a fold in it.
    fn look(
        &mut self,
        id: RequestId,
        offset: i8,
        fold: Option<String>,
        now: Millis,
    ) -> Result<(), TestCaseError> {
        let shown = self.queue.entry(id).map_or(1, |entry| entry.revision);
        let revision = shown.saturating_add_signed(i32::from(offset));
        if offset == 0 && self.queue.entry(id).is_some() {
            let seen = self.seen.entry(id).or_default();
            match &fold {
                None => seen.painted = Some(now),
                Some(fold) => {
                    seen.painted = seen.painted.map(|_| now);
                    seen.opened.push(fold.clone());
                }
            }
        }
        let event = match fold {
            None => Event::Painted(id, revision),
            Some(fold) => Event::Opened(id, revision, fold),
        };
        let effects = self.queue.apply(event, now);
        prop_assert_eq!(&effects, &vec![], "looking does nothing");
        self.take(effects)
    }

    /// A choice settles, or is refused, and always exactly one of them.
    fn choose(
        &mut self,
        decision: Decision,
        surface: Surface,
        now: Millis,
    ) -> Result<(), TestCaseError> {
        let before = self.queue.entry(decision.id).cloned();
        let effects = self
            .queue
            .apply(Event::Chosen(decision.clone(), surface), now);
        let refused = effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Refuse(..)))
            .count();
        let settled = effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Settle { .. }))
            .count();
        prop_assert_eq!(refused + settled, 1);
        if settled == 1 {
            let entry = before.expect("what settles is there");
            prop_assert!(entry.ended.is_none(), "it was pending");
            prop_assert_eq!(entry.revision, decision.revision, "it was shown so");
            prop_assert!(
                entry
                    .request
                    .options
                    .iter()
                    .any(|choice| choice.id == decision.option),
                "it was offered"
            );
            prop_assert!(decision.amendment.is_none(), "nothing here can be amended");
            self.looked_at(&entry, &decision, surface, now)?;
            let chosen = Outcome::Selected(decision.option);
            let exact = |effect: &Effect| matches!(effect, Effect::Settle { id, outcome, .. } if *id == decision.id && *outcome == chosen);
            prop_assert!(effects.iter().any(exact), "and nothing else is chosen");
        }
        self.take(effects)
    }

    /// An allow wants every fold opened; the window wants to have shown the card for a while, undisturbed.
    fn looked_at(
        &self,
        entry: &Entry,
        decision: &Decision,
        surface: Surface,
        now: Millis,
    ) -> Result<(), TestCaseError> {
        let seen = &self.seen[&decision.id];
        if surface != Surface::Harness && allows(&decision.option) {
            let mut folds = entry.shown.folds.iter();
            prop_assert!(folds.all(|fold| seen.opened.contains(&fold.key)));
        }
        if surface == Surface::Window {
            let since = seen.painted.map(|painted| now.saturating_sub(painted));
            prop_assert!(since.is_some_and(|time| time >= 500), "{:?}", since);
        }
        Ok(())
    }

    fn take(&mut self, effects: Vec<Effect>) -> Result<(), TestCaseError> {
        for effect in effects {
            match effect {
                Effect::Settle { id, outcome, .. } => {
                    let seen = self.seen.entry(id).or_default();
                    prop_assert!(
                        seen.settled.is_none() && seen.ended.is_none(),
                        "settled twice"
                    );
                    seen.settled = Some(outcome);
                }
                Effect::Ended(id, ended) => {
                    let seen = self.seen.entry(id).or_default();
                    prop_assert!(seen.ended.is_none(), "ended twice");
                    if let Some(outcome) = &seen.settled {
                        let told = ended.outcome.as_ref().unwrap_or(&Outcome::Cancelled);
                        prop_assert_eq!(told, outcome, "surfaces are told what the asker is told");
                    }
                    seen.ended = Some(ended);
                }
                _ => {}
            }
        }
        self.compare()
    }

    /// What is kept agrees with what was said, and an end never turns into another one.
    fn compare(&mut self) -> Result<(), TestCaseError> {
        for (id, entry) in self.queue.entries() {
            let seen = self.seen.entry(id).or_default();
            prop_assert!(entry.revision >= seen.revision, "revisions rise");
            if entry.revision > seen.revision && seen.ended.is_none() {
                seen.painted = None;
                seen.opened.clear();
            }
            seen.revision = entry.revision;
            prop_assert_eq!(entry.ended.is_some(), seen.ended.is_some());
            if let (Some(now), Some(then)) = (&entry.ended, &seen.ended) {
                prop_assert_eq!((&now.outcome, now.end), (&then.outcome, then.end));
            }
        }
        Ok(())
    }
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
    #![proptest_config(cases(300))]

    #[test]
    fn any_sequence_settles_each_request_at_most_once(steps in prop::collection::vec((step(), 0..5000u64), 0..60)) {
        let mut model = Model::default();
        for (step, now) in &steps {
            // The clock may go backwards.
            model.step(step, *now)?;
        }
    }

    #[test]
    fn the_same_events_give_the_same_effects(steps in prop::collection::vec((step(), 0..5000u64), 0..30)) {
        let (mut one, mut other) = (Model::default(), Model::default());
        for (step, now) in &steps {
            one.step(step, *now)?;
            other.step(step, *now)?;
        }
        let entries = |model: &Model| model.queue.entries().map(|(id, entry)| (id, entry.clone())).collect::<Vec<_>>();
        prop_assert_eq!(entries(&one), entries(&other));
    }
}

#[test]
fn settled_requests_do_not_pile_up_and_pending_ones_stay() {
    let mut queue = Queue::default();
    queue.apply(Event::Arrived(Box::new(Prepared::new(request(0)))), 0);
    for number in 2..2000 {
        queue.apply(Event::Arrived(Box::new(Prepared::new(request(0)))), number);
        queue.apply(
            Event::Withdrawn(RequestId(number as u32), Why::Retired),
            number,
        );
    }
    assert!(queue.entries().count() < 300);
    assert_eq!(
        queue.pending().map(|(id, _)| id).collect::<Vec<_>>(),
        [RequestId(1)]
    );
}
