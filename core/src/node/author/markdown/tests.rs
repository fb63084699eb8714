//! Accepted spellings of status, chain and missing capabilities.

use super::Status::{Feasible, Impossible, Partial};
use super::*;

/// In the table's short form.
fn shown(answer: &str) -> (String, String, String) {
    let words = parse(answer);
    let status = match words.status {
        StatusField::Missing => "-".to_owned(),
        StatusField::Known(status) => status.as_str().to_owned(),
        StatusField::Unknown(word) => format!("?{word}"),
    };
    let chain = words.chain.map_or_else(|| "-".to_owned(), |chain| chain.join(" "));
    (status, chain, words.missing.join("; "))
}

const F: &str = "FEASIBLE";
const P: &str = "PARTIAL";
const I: &str = "IMPOSSIBLE";

const SPELLINGS: &[(&str, &str, &str, &str)] = &[
    // The documented format.
    ("**Status:** FEASIBLE\n**Node Chain:** a >> b >> c", F, "a b c", ""),
    // Other forms of chains.
    ("Status: FEASIBLE\nNode Chain: 1. a\n2. b\n3. c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a, b and c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a » b » c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a · b · c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a / b", F, "a b", ""),
    ("Status: FEASIBLE\n**Nodes:** a >> b", F, "a b", ""),
    ("Status: FEASIBLE\n**Workflow:** a → b", F, "a b", ""),
    ("Status: FEASIBLE\nCadena de nodos: a >> b", F, "a b", ""),
    ("Status: FEASIBLE\n\na >> b >> c\n", F, "a b c", ""),
    (
        "## Plan\nWords.\n\n**Status:** PARTIAL\n**Node Chain:** a >> b\n**Missing Capabilities:**\n- send mail\n- print\n",
        P,
        "a b",
        "send mail; print",
    ),
    ("**Status:** IMPOSSIBLE\n**Node Chain:** none\n**Missing Capabilities:**\n- deploy", I, "", "deploy"),
    // Emphasis, code, quotes, brackets.
    ("**Status**: FEASIBLE\n**Node Chain**: a >> b", F, "a b", ""),
    ("Status: **FEASIBLE**\nNode Chain: **a >> b**", F, "a b", ""),
    ("Status: `FEASIBLE`\nNode Chain: `a >> b`", F, "a b", ""),
    ("*Status:* _FEASIBLE_\n*Node Chain:* `a` >> `b`", F, "a b", ""),
    ("Status: [FEASIBLE]\nNode Chain: [a >> b]", F, "a b", ""),
    ("Status: \"FEASIBLE\"\nNode Chain: \"a >> b\"", F, "a b", ""),
    ("Status: <FEASIBLE>\nNode Chain: <a> >> <b>", F, "a b", ""),
    ("__Status:__ FEASIBLE\n__Node Chain:__ a >> b", F, "a b", ""),
    ("> **Status:** FEASIBLE\n> **Node Chain:** a >> b", F, "a b", ""),
    // Headings, with the value below.
    ("### Status\nFEASIBLE\n\n### Node Chain\na >> b\n", F, "a b", ""),
    ("## Status: FEASIBLE\n## Node Chain: a >> b", F, "a b", ""),
    ("**Status:**\n\nPARTIAL\n\n**Node Chain:**\n\n`a >> b`\n", P, "a b", ""),
    ("Status:\n- FEASIBLE\nNode Chain:\n- a\n- b\n- c\n\nDone.", F, "a b c", ""),
    ("# Status\n**IMPOSSIBLE**", I, "-", ""),
    // Lists and numbers.
    ("- Status: FEASIBLE\n- Node Chain: a >> b", F, "a b", ""),
    ("* **Status**: FEASIBLE\n* **Node Chain**: a >> b", F, "a b", ""),
    ("1. Status: FEASIBLE\n2. Node Chain: a >> b\n3. Missing Capabilities: none", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain:\n1. a\n2. b", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain:\n1) `a`: fetch\n2) `b`: write", F, "a b", ""),
    // Tables.
    ("| Field | Value |\n|---|---|\n| Status | FEASIBLE |\n| Node Chain | a >> b |", F, "a b", ""),
    ("| Status | Node Chain |\n| --- | --- |\n| PARTIAL | a >> b |", P, "a b", ""),
    ("|**Status**|`IMPOSSIBLE`|", I, "-", ""),
    // Separators between label and value.
    ("Status = FEASIBLE\nNode Chain = a >> b", F, "a b", ""),
    ("Status - FEASIBLE\nNode Chain - a >> b", F, "a b", ""),
    ("Status — PARTIAL\nNode Chain — a >> b", P, "a b", ""),
    ("Status FEASIBLE", F, "-", ""),
    ("Status is FEASIBLE.", F, "-", ""),
    ("Status → FEASIBLE\nNode Chain → a → b", F, "a b", ""),
    // Case, and other labels.
    ("status: feasible\nnode chain: a >> b", F, "a b", ""),
    ("STATUS: FEASIBLE\nNODE CHAIN: a >> b", F, "a b", ""),
    ("Overall Status: Partial\nnode_chain: a >> b", P, "a b", ""),
    ("Feasibility: Feasible\nNode-Chain: a >> b", F, "a b", ""),
    ("Status (FEASIBLE | PARTIAL | IMPOSSIBLE): PARTIAL\nChain: a >> b", P, "a b", ""),
    // Spellings of chains.
    ("Status: FEASIBLE\nNode Chain: a -> b -> c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a → b ⇒ c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a, b, c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a>>b>>c", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a --> b", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain: a then b", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain: a | b", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain: a (fetch, filter) >> b (write)", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain: a >> parallel(b, c) >> d", F, "a parallel b c d", ""),
    ("Status: FEASIBLE\nNode Chain: a >> [b, c] >> d", F, "a b c d", ""),
    ("Status: FEASIBLE\nNode Chain: a\n  >> b\n  >> c\n\nMore.", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a >>\n  b >>\n  c\nMore words.", F, "a b c", ""),
    ("Status: FEASIBLE\nNode Chain: a", F, "a", ""),
    (
        "Status: FEASIBLE\nNode Chain: s.list-issues >> files/write_file >> llm.",
        F,
        "s.list-issues files/write_file llm",
        "",
    ),
    ("Status: FEASIBLE\nNode Chain: a >> b. This chain fetches, then writes.", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain:", F, "", ""),
    // Fences, line breaks, surrounding text.
    ("```markdown\n**Status:** FEASIBLE\n**Node Chain:** a >> b\n```", F, "a b", ""),
    ("Here you are:\n\n```\nStatus: FEASIBLE\nNode Chain: a >> b\n```\nShall I go on?", F, "a b", ""),
    ("Status: FEASIBLE\nNode Chain:\n```\na >> b\n```\n", F, "a b", ""),
    ("**Status:** FEASIBLE\r\n**Node Chain:** a >> b\r\n", F, "a b", ""),
    ("The status of the repository is unclear.\nStatus: FEASIBLE (all of it)\nNode Chain: a", F, "a", ""),
    ("✅ plan\n**Status:** ✅ FEASIBLE\n**Node Chain:** a", F, "a", ""),
    (
        "{\"status\": \"PARTIAL\", \"node_chain\": \"a >> b\", \"missing_capabilities\": [\"c\"]}",
        P,
        "a b",
        "c",
    ),
    ("{\"status\": \"FEASIBLE\", \"node_chain\": [\"a\", \"b\"]}", F, "a b", ""),
    ("```json\n{\"status\": \"FEASIBLE\", \"node_chain\": \"a\"}\n```", F, "a", ""),
    ("Status: FEASIBLE\nNode Chain: a\n\nIt calls `a` with {\"status\": \"closed\"}.", F, "a", ""),
    // Values of a status.
    ("Status: NOT FEASIBLE", I, "-", ""),
    ("Status: Infeasible", I, "-", ""),
    ("Status: not fully feasible", P, "-", ""),
    ("Status: PARTIALLY FEASIBLE", P, "-", ""),
    ("Status: FEASIBLE, not IMPOSSIBLE", F, "-", ""),
    ("Status: FEASIBLE (partial results are possible)", F, "-", ""),
    ("Status: not IMPOSSIBLE", "?not IMPOSSIBLE", "-", ""),
    ("Status: not IMPOSSIBLE but PARTIAL", P, "-", ""),
    ("Status: FEASIBLE | PARTIAL | IMPOSSIBLE", "?FEASIBLE | PARTIAL | IMPOSSIBLE", "-", ""),
    ("Status: FEASIBLE or PARTIAL", "?FEASIBLE or PARTIAL", "-", ""),
    ("Status: OK", "?OK", "-", ""),
    ("Status: POSSIBLE", "?POSSIBLE", "-", ""),
    // Negations.
    ("Status: can't be feasible", I, "-", ""),
    ("Status: This can\u{2019}t be feasible.", I, "-", ""),
    ("Status: cannot be made feasible", I, "-", ""),
    ("Status: unlikely to be feasible", I, "-", ""),
    ("Status: no longer feasible", I, "-", ""),
    ("Status: FEASIBLE? No, IMPOSSIBLE", I, "-", ""),
    ("Status: FEASIBLE? No.", I, "-", ""),
    ("Status: Is it IMPOSSIBLE? No, FEASIBLE", F, "-", ""),
    ("Status: FEASIBLE? Yes.", F, "-", ""),
    ("Status: far from feasible", I, "-", ""),
    ("Status: hardly feasible", I, "-", ""),
    ("Status: barely FEASIBLE", I, "-", ""),
    ("Status: no es factible", I, "-", ""),
    ("Estado: no está factible", I, "-", ""),
    ("Estado: no es factible", I, "-", ""),
    ("Estado: factible", F, "-", ""),
    ("Estado: parcialmente factible", P, "-", ""),
    ("Status: imposible", I, "-", ""),
    ("Status: not at all feasible", I, "-", ""),
    ("Status: won't be feasible with these tools", I, "-", ""),
    ("Status: there is no way this is feasible", I, "-", ""),
    ("Status: never feasible", I, "-", ""),
    ("Status: non-feasible", I, "-", ""),
    ("Status: NOT_FEASIBLE", I, "-", ""),
    ("Status: neither feasible nor partial", I, "-", ""),
    ("Status: not FEASIBLE, only PARTIAL", P, "-", ""),
    ("Status: isn't completely feasible", P, "-", ""),
    ("Status: partly feasible", P, "-", ""),
    ("Status: not only FEASIBLE but easy", F, "-", ""),
    ("Status: ~~FEASIBLE~~ IMPOSSIBLE", I, "-", ""),
    ("Status: FEASIBLE, no capability is missing", F, "-", ""),
    ("Status: FEASIBLE - nothing is impossible", F, "-", ""),
    ("Status: no problem, FEASIBLE", F, "-", ""),
    ("Status: The plan is not complicated and feasible", F, "-", ""),
    ("Estado: es un plan factible", F, "-", ""),
    ("Status: un-feasible", I, "-", ""),
    ("Status: FEASIBLE by far", F, "-", ""),
    ("# Far from feasible", I, "-", ""),
    ("Status: unclear whether it is feasible", "?unclear whether it is feasible", "-", ""),
    ("Status: not sure if FEASIBLE", "?not sure if FEASIBLE", "-", ""),
    // The label is missing.
    ("<status>IMPOSSIBLE</status>", I, "-", ""),
    ("Words before.\n<Status>\nPARTIAL\n</Status>\nNode Chain: a >> b", P, "a b", ""),
    ("<plan><status>FEASIBLE</status></plan>", F, "-", ""),
    ("**Verdict:** IMPOSSIBLE", I, "-", ""),
    ("Final verdict: not feasible", I, "-", ""),
    ("**Conclusion:** PARTIAL\nNode Chain: a", P, "a", ""),
    ("Feasible: no", I, "-", ""),
    ("Feasible: yes\nNode Chain: a", F, "a", ""),
    ("Here you are: {\"status\": \"IMPOSSIBLE\"} and no more.", I, "-", ""),
    ("{\"plan\": {\"status\": \"IMPOSSIBLE\"}}", I, "-", ""),
    ("{\"Feasibility\": \"PARTIAL\"}", P, "-", ""),
    ("# IMPOSSIBLE\n\nThere is nothing here that could deploy.", I, "-", ""),
    ("## Not feasible\nNode Chain: none", I, "", ""),
    ("**PARTIAL**\n**Node Chain:** a", P, "a", ""),
    ("This is impossible.", I, "-", ""),
    ("I looked at all of it. This request is IMPOSSIBLE with these tools.", I, "-", ""),
    ("First it looks FEASIBLE to me.\nThen again it is IMPOSSIBLE to deploy.", "-", "-", ""),
    ("## Partial refund\nI would refund a part.", "-", "-", ""),
    // Several.
    ("Status: PARTIAL\nOn second thought:\nStatus: FEASIBLE\nNode Chain: a", F, "a", ""),
    ("Status: FEASIBLE\nStep 1\nStatus: done", F, "-", ""),
    // No fields.
    ("", "-", "-", ""),
    ("I would fetch the issues and write them down.", "-", "-", ""),
    ("Status:\n", "-", "-", ""),
    ("Statuses matter.\nChained nodes.", "-", "-", ""),
    // Missing capabilities.
    (
        "Status: PARTIAL\nMissing Capabilities: deploy to Kubernetes, monitor",
        P,
        "-",
        "deploy to Kubernetes; monitor",
    ),
    ("Status: PARTIAL\nMissing: deploy, then check; monitor", P, "-", "deploy, then check; monitor"),
    ("Status: FEASIBLE\nMissing Capabilities: None.", F, "-", ""),
    ("Status: FEASIBLE\nMissing Capabilities:\n- n/a", F, "-", ""),
    (
        "Status: PARTIAL\n### Missing Capabilities\n\n1. deploy\n\n2. monitor\n\nThat is all.",
        P,
        "-",
        "deploy; monitor",
    ),
];

#[test]
fn spellings_are_read() {
    let mut broken = Vec::new();
    for (answer, status, chain, missing) in SPELLINGS {
        let expected = ((*status).to_owned(), (*chain).to_owned(), (*missing).to_owned());
        let found = shown(answer);
        if found != expected {
            broken.push(format!("{answer:?}: expected {expected:?}, got {found:?}"));
        }
    }
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), SPELLINGS.len(), broken.join("\n"));
    assert!(SPELLINGS.len() >= 120, "{}", SPELLINGS.len());
}

#[test]
fn statuses_that_disagree_are_noticed() {
    assert!(parse("Status: PARTIAL\nStatus: FEASIBLE").is_contradictory);
    assert!(!parse("Status: FEASIBLE\nStatus: FEASIBLE").is_contradictory);
    assert_eq!(parse("Status: PARTIAL\nStatus: FEASIBLE").status, StatusField::Known(Feasible));
    assert_ne!(Partial, Impossible);
}

#[test]
fn alternatives_are_read() {
    for (answer, expected) in [
        (
            "Status: IMPOSSIBLE\n**Alternatives:**\n- write a script, then run it\n- ask",
            vec!["write a script, then run it", "ask"],
        ),
        ("Alternatives: a script; a person", vec!["a script", "a person"]),
        ("Alternatives: none", vec![]),
    ] {
        assert_eq!(parse(answer).alternatives, expected, "{answer}");
    }
}

proptest::proptest! {
    #[test]
    fn nothing_breaks_it(answer in "[*`#>|()\\[\\]{}:=\\-_ \\n\\r\",.;a-zé0-9→FEASIBLEPRTMOtatusnodecha]{0,80}") {
        let _ = parse(&answer);
    }

    #[test]
    fn nor_do_fields_of_anything(value in "\\PC{0,40}", chain in "\\PC{0,40}") {
        let _ = parse(&format!("Status: {value}\nNode Chain: {chain}\nparallel({value}\n| Status | Node Chain |\n{chain}"));
    }
}
