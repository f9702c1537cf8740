//! The page's types are the views' types: `ui/src/bridge/types.ts` is written from them and from nothing else.
//!
//! `UPDATE_EXPECT=1 cargo test -p doorward-core --features ts --test types` writes it anew.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::path::Path;

use doorward_core::{queue, view};
use ts_rs::{Config, TS, TypeVisitor};

const COMMITTED: &str = include_str!("../../../ui/src/bridge/types.ts");
const HEAD: &str = "// Written from crates/core by its test `types`; do not edit.\n\
    // Strings have passed `visible()`, except ids, `rawInput` and `raw`.\n";

#[test]
fn the_page_reads_what_core_writes() {
    let fresh = generated();
    if update() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/bridge/types.ts");
        write(&path, &fresh);
        return;
    }
    assert!(
        COMMITTED == fresh,
        "ui/src/bridge/types.ts is not what the views say; write it with UPDATE_EXPECT=1"
    );
}

fn generated() -> String {
    let mut seen = Seen {
        // The views' large numbers are times and line numbers: far below 2^53.
        config: Config::new().with_large_int("number"),
        found: BTreeMap::new(),
    };
    seen.visit::<view::Row>();
    seen.visit::<view::Detail>();
    seen.visit::<view::Texts>();
    seen.visit::<queue::Refusal>();
    seen.visit::<doorward_core::question::FieldError>();
    let mut types: Vec<String> = seen.found.into_values().flatten().collect();
    types.sort();
    // The two sides of a JSON value share a name.
    types.dedup();
    format!("{HEAD}\n{}\n", types.join("\n\n"))
}

/// Every type that a view reaches; primitives have no declaration of their own.
struct Seen {
    config: Config,
    found: BTreeMap<TypeId, Option<String>>,
}

impl TypeVisitor for Seen {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if self.found.contains_key(&TypeId::of::<T>()) {
            return;
        }
        let own = T::output_path().is_some();
        let declared = own.then(|| format!("export {}", T::decl(&self.config)));
        self.found.insert(TypeId::of::<T>(), declared);
        T::visit_generics(self);
        T::visit_dependencies(self);
    }
}

fn update() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

#[expect(clippy::disallowed_methods, reason = "a test may write what it checks")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the page's types can be written");
}
