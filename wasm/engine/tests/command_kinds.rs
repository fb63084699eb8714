//! `wasm/js/command.ts` reads the layout of commands.

use std::collections::BTreeMap;
use stepgraph_engine::step_output::{FIRST_CALL_TIMER, Op, STRIDE};

/// In TypeScript. The glue handles [`Op::Several`], so it has none.
fn name(op: Op) -> Option<&'static str> {
    match op {
        Op::Finished => Some("FINISHED"),
        Op::Handler => Some("HANDLER"),
        Op::Tool => Some("TOOL"),
        Op::Model => Some("MODEL"),
        Op::Approval => Some("APPROVAL"),
        Op::Abandon => Some("ABANDON"),
        Op::SetTimer => Some("SET_TIMER"),
        Op::ClearTimer => Some("CLEAR_TIMER"),
        Op::Several => None,
        Op::Refused => Some("REFUSED"),
        Op::Continue => Some("CONTINUE"),
    }
}

#[test]
fn typescript_reads_the_same_layout() {
    let text = include_str!("../../js/command.ts");
    let constants: BTreeMap<&str, u32> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim_start_matches("export ").strip_prefix("const ")?;
            let (name, value) = line.trim_end_matches(';').split_once(" = ")?;
            Some((name, value.parse().ok()?))
        })
        .collect();
    for op in Op::ALL {
        if let Some(name) = name(op) {
            assert_eq!(constants.get(name), Some(&(op as u32)), "{name}");
        }
    }
    assert_eq!(constants.get("STRIDE"), Some(&u32::try_from(STRIDE).unwrap()));
    assert_eq!(constants.get("FIRST_CALL"), Some(&FIRST_CALL_TIMER));
}
