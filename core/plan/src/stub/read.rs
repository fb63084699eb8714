//! Reads stubs. Keeps readable parts, and collects all flaws.

use super::behaviour::{Behaviour, BehaviourKind, BehaviourMap, StubAction};
use super::tool_listing::ToolListing;
use super::{Flaw, Stubs};
use crate::key::is_extension_key as is_free;
use serde_json::{Map, Value as Json};
use stepgraph_schema::steps;
use stepgraph_text::collect::CollectVec;
use stepgraph_text::diagnostic::{Code, closest_name, shorten_name};
use stepgraph_text::value::Segment;

const MAX_DEPTH: usize = 16;
const GROUPS: [&str; 4] = ["types", "nodes", "tools", "models"];
const BEHAVIOUR_WORDS: [&str; 3] = ["echo", "input", "last"];
/// Actions and their additional keys.
const ACTION_KEYS: [(&str, &[&str]); 4] =
    [("return", &["writes"]), ("sequence", &[]), ("by", &["cases", "else"]), ("fail", &["code"])];
const DELAY: &str = "delay_ms";
const A_BEHAVIOUR: &str = "write `echo`, `input`, `last`, `{return: …}` or `{fail: …}`";

pub(super) fn read(json: &Json) -> (Stubs, Vec<Flaw>) {
    let mut reader = Reader { way: Vec::new(), flaws: Vec::new() };
    let stubs = reader.stubs(json);
    (stubs, reader.flaws)
}

pub(super) struct Reader {
    way: Vec<Segment>,
    flaws: Vec<Flaw>,
}

#[derive(Clone, Copy)]
struct BehaviourContext<'a> {
    group: &'a str,
    depth: usize,
    listing: Option<&'a ToolListing>,
}

impl Reader {
    fn stubs(&mut self, json: &Json) -> Stubs {
        let mut stubs = Stubs::default();
        // Empty files are valid.
        if json.is_null() {
            return stubs;
        }
        let Some(map) = json.as_object() else {
            self.add_type_flaw("stubs are a map", "write a map with `types`, `nodes`, `tools` or `models`");
            return stubs;
        };
        for (group, json) in map.iter().filter(|(group, _)| !is_free(group)) {
            let names = match group.as_str() {
                "types" => &mut stubs.types,
                "nodes" => &mut stubs.nodes,
                "tools" => &mut stubs.tools,
                "models" => &mut stubs.models,
                _ => {
                    self.add_unknown_key(group, &GROUPS, "stubs have no");
                    continue;
                }
            };
            let mut listings = Vec::new();
            *names = self.with_key(group, |reader| reader.entries(json, group, &mut listings));
            if group == "tools" {
                stubs.tool_listings = listings;
            }
        }
        stubs
    }

    fn entries(&mut self, json: &Json, group: &str, listings: &mut Vec<(String, Json)>) -> BehaviourMap {
        let mut found = Vec::new();
        let map = match json {
            Json::Null => return BehaviourMap::default(),
            Json::Object(map) => map,
            _ => {
                self.add_type_flaw("this is a map from name to behaviour", "write a map here");
                return BehaviourMap::default();
            }
        };
        for (name, json) in map {
            let behaviour = self.with_key(name, |reader| {
                let listing = (group == "tools").then(|| ToolListing::read(name, json, reader));
                let context = BehaviourContext { group, depth: 0, listing: listing.as_ref() };
                let behaviour = reader.behaviour(json, context);
                listings.extend(listing.map(|listing| (listing.name, listing.json)));
                behaviour
            });
            // Keeps the name of an unreadable stub, to avoid further flaws.
            let behaviour = behaviour
                .unwrap_or(Behaviour { kind: BehaviourKind::Action(StubAction::Last), delay_ms: 0.0 });
            found.push((name.clone(), behaviour));
        }
        BehaviourMap(found)
    }

    fn behaviour(&mut self, json: &Json, context: BehaviourContext<'_>) -> Option<Behaviour> {
        let kind = match json {
            Json::String(word) => match word.as_str() {
                "echo" => BehaviourKind::Action(StubAction::Echo),
                "input" => BehaviourKind::Action(StubAction::Input),
                "last" => BehaviourKind::Action(StubAction::Last),
                _ => {
                    let message =
                        format!("`{}` is not a stub: write `echo`, `input` or `last`", shorten_name(word));
                    let meant = closest_name(word, BEHAVIOUR_WORDS).map(str::to_owned);
                    self.add_flaw(Code::StubShape, message, A_BEHAVIOUR, meant);
                    return None;
                }
            },
            Json::Object(map) if context.depth < MAX_DEPTH => return self.map(map, context),
            Json::Object(_) => {
                self.add_type_flaw("behaviours are nested too deeply", "write the inner ones flat");
                return None;
            }
            _ => {
                self.add_type_flaw(
                    "a stub is a word, or a map with `return`, `sequence`, `by` or `fail`",
                    A_BEHAVIOUR,
                );
                return None;
            }
        };
        Some(Behaviour { kind, delay_ms: 0.0 })
    }

    fn map(&mut self, map: &Map<String, Json>, context: BehaviourContext<'_>) -> Option<Behaviour> {
        let deed = self.action(map, context);
        let delay_ms = self.delay(map);
        let kind = match deed? {
            "return" => self.answer(map, context),
            "sequence" => self.sequence(map, context),
            "by" => self.by(map, context),
            _ => self.failure(map),
        };
        Some(Behaviour { kind: kind?, delay_ms })
    }

    fn action(&mut self, map: &Map<String, Json>, context: BehaviourContext<'_>) -> Option<&'static str> {
        let mut given = ACTION_KEYS.iter().filter(|(key, _)| map.contains_key(*key));
        let deed = given.next();
        if let (Some((first, _)), Some((second, _))) = (deed, given.next()) {
            let message = format!("a stub has one behaviour, and this one has `{first}` and `{second}`");
            self.add_key_flaw(
                second,
                Code::StubContradiction,
                message,
                &format!("keep `{first}` or `{second}`"),
                None,
            );
        }
        let more = deed.map_or(&[][..], |(_, more)| more);
        let told: &[&str] =
            if context.depth == 0 && context.group == "tools" { &super::tool_listing::KEYS } else { &[] };
        let count = self.flaws.len();
        for key in map.keys().filter(|key| !is_free(key) && *key != DELAY) {
            let is_deed = ACTION_KEYS.iter().any(|(name, _)| name == key);
            let key = key.as_str();
            if is_deed || more.contains(&key) || told.contains(&key) {
                continue;
            }
            match (deed, ACTION_KEYS.iter().find(|(_, more)| more.contains(&key))) {
                (Some((deed, _)), Some((owner, _))) => {
                    let message = format!("`{key}` belongs to `{owner}`, and this stub has `{deed}`");
                    self.add_key_flaw(key, Code::StubKey, message, &format!("remove `{key}`"), None);
                }
                // The missing owner (`by`, `return`, `fail`) is reported below.
                (None, Some(_)) => {}
                _ => {
                    let names =
                        ACTION_KEYS.iter().flat_map(|(name, more)| std::iter::once(name).chain(*more));
                    let names =
                        names.chain(told).copied().chain([DELAY]).filter(|name| !map.contains_key(*name));
                    self.add_unknown_key(key, &names.collect_vec(), "a stub has no");
                }
            }
        }
        if deed.is_none() && self.flaws.len() == count {
            let message = "a stub has `return`, `sequence`, `by` or `fail`, and this has none of them";
            self.add_type_flaw(message, "add `return` with what is answered");
        }
        deed.map(|(name, _)| *name)
    }

    fn delay(&mut self, map: &Map<String, Json>) -> f64 {
        match map.get(DELAY) {
            None | Some(Json::Null) => 0.0,
            Some(delay) => delay.as_f64().filter(|ms| *ms >= 0.0).unwrap_or_else(|| {
                self.with_key(DELAY, |reader| {
                    reader
                        .add_type_flaw("`delay_ms` is a number from 0 up", "write a number of milliseconds");
                });
                0.0
            }),
        }
    }

    fn answer(&mut self, map: &Map<String, Json>, context: BehaviourContext<'_>) -> Option<BehaviourKind> {
        let value = map.get("return")?;
        if let Some(listing) = context.listing {
            self.with_key("return", |reader| listing.check_answer(value, reader));
        }
        let writes = match map.get("writes") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Object(writes)) => {
                writes.iter().map(|(name, value)| (name.clone(), value.clone())).collect_vec()
            }
            Some(_) => {
                self.with_key("writes", |reader| {
                    reader.add_type_flaw("`writes` is a map from name to value", "write a map here");
                });
                Vec::new()
            }
        };
        Some(BehaviourKind::Action(StubAction::Return { value: value.clone(), writes }))
    }

    fn sequence(&mut self, map: &Map<String, Json>, context: BehaviourContext<'_>) -> Option<BehaviourKind> {
        let list = map.get("sequence").and_then(Json::as_array).filter(|list| !list.is_empty());
        self.with_key("sequence", |reader| {
            let Some(list) = list else {
                reader.add_type_flaw(
                    "`sequence` is a list of at least one behaviour",
                    "write a list with a stub in it",
                );
                return None;
            };
            let mut found = Vec::new();
            for (at, json) in list.iter().enumerate() {
                let inner = BehaviourContext { depth: context.depth + 1, ..context };
                found.extend(reader.at_segment(Segment::Index(at), |reader| reader.behaviour(json, inner)));
            }
            (!found.is_empty()).then_some(BehaviourKind::Sequence { list: found, next: 0 })
        })
    }

    fn by(&mut self, map: &Map<String, Json>, context: BehaviourContext<'_>) -> Option<BehaviourKind> {
        let inner = BehaviourContext { depth: context.depth + 1, ..context };
        let key = map.get("by").and_then(Json::as_str);
        self.with_key("by", |reader| match key {
            None => reader.add_type_flaw("`by` is the name of an argument", "write the name of an argument"),
            Some(_) if context.group == "models" => {
                let message = "a model has no arguments, so `by` never matches one";
                reader.add_flaw(
                    Code::StubArgument,
                    message.to_owned(),
                    "write `sequence`, or one answer",
                    None,
                );
            }
            Some(key) => {
                if let Some(listing) = context.listing {
                    listing.check_argument(key, reader);
                }
            }
        });
        let mut found = Vec::new();
        match map.get("cases") {
            Some(Json::Object(cases)) => {
                for (value, json) in cases {
                    let case =
                        |reader: &mut Self| reader.with_key(value, |reader| reader.behaviour(json, inner));
                    let behaviour = self.with_key("cases", case);
                    found.extend(behaviour.map(|behaviour| (value.clone(), behaviour)));
                }
            }
            given => {
                let (message, help) =
                    ("`cases` is a map from value to behaviour", "add `cases`, as in `{Oslo: {return: 1}}`");
                match given {
                    Some(_) => self.with_key("cases", |reader| reader.add_type_flaw(message, help)),
                    None => self.add_type_flaw(message, help),
                }
            }
        }
        let other = match map.get("else") {
            Some(json) => self.with_key("else", |reader| reader.behaviour(json, inner))?,
            None => {
                let message = format!("there is no case for this `{}`", shorten_name(key?));
                Behaviour {
                    kind: BehaviourKind::Action(StubAction::Fail { message, code: None }),
                    delay_ms: 0.0,
                }
            }
        };
        Some(BehaviourKind::By { key: key?.to_owned(), cases: BehaviourMap(found), other: Box::new(other) })
    }

    fn failure(&mut self, map: &Map<String, Json>) -> Option<BehaviourKind> {
        for key in ["fail", "code"] {
            let is_unset = key == "code" && map.get(key).is_some_and(Json::is_null);
            if !is_unset && map.get(key).is_some_and(|value| !value.is_string()) {
                self.with_key(key, |reader| {
                    reader.add_type_flaw(&format!("`{key}` is text"), "write text here");
                });
            }
        }
        Some(BehaviourKind::Action(StubAction::Fail {
            message: map.get("fail")?.as_str()?.to_owned(),
            code: map.get("code").and_then(Json::as_str).map(str::to_owned),
        }))
    }

    pub(super) fn with_key<T>(&mut self, key: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_segment(Segment::Key(key.to_owned()), work)
    }

    fn at_segment<T>(&mut self, step: Segment, work: impl FnOnce(&mut Self) -> T) -> T {
        self.way.push(step);
        let done = work(self);
        self.way.pop();
        done
    }

    pub(super) fn at_pointer(&mut self, pointer: &str, work: impl FnOnce(&mut Self)) {
        self.at_path(steps(pointer), work);
    }

    pub(super) fn at_path(&mut self, path: impl Iterator<Item = String>, work: impl FnOnce(&mut Self)) {
        let depth = self.way.len();
        self.way.extend(path.map(Segment::Key));
        work(self);
        self.way.truncate(depth);
    }

    pub(super) fn add_type_flaw(&mut self, message: &str, help: &str) {
        self.add_flaw(Code::StubShape, message.to_owned(), help, None);
    }

    pub(super) fn add_flaw(&mut self, code: Code, message: String, help: &str, suggestion: Option<String>) {
        let help = help.to_owned();
        self.flaws.push(Flaw { path: self.way.clone(), is_key: false, code, message, help, suggestion });
    }

    pub(super) fn add_key_flaw(
        &mut self,
        key: &str,
        code: Code,
        message: String,
        help: &str,
        meant: Option<String>,
    ) {
        self.with_key(key, |reader| reader.add_flaw(code, message, help, meant));
        if let Some(flaw) = self.flaws.last_mut() {
            flaw.is_key = true;
        }
    }

    pub(super) fn add_unknown_key(&mut self, key: &str, known: &[&str], what: &str) {
        let same = |name: &&&str| name.eq_ignore_ascii_case(key);
        let meant = closest_name(key, known.iter().copied()).or_else(|| known.iter().find(same).copied());
        let known = known.iter().map(|name| format!("`{name}`")).collect_vec().join(", ");
        let help = format!("remove it; known here are {known}");
        self.add_key_flaw(
            key,
            Code::StubKey,
            format!("{what} `{}`", shorten_name(key)),
            &help,
            meant.map(str::to_owned),
        );
    }
}
