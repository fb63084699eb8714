//! The tools of a run: which tool a name refers to, and which names approve one.
//!
//! Invariants:
//! 1. Every tool of a [`ToolRegistry`] has a unique name. It omits others, and uncallable ones, whose names and
//!    reasons stay known.
//! 2. A shared name refers to no tool, since a guess could call the wrong one.
//! 3. `shop.pay` always refers to server `shop`, even without such a tool. If `shop.eu` is a server, too, `shop.eu.pay`
//!    refers to its tool, and is refused while `shop` lists `eu.pay`.
//! 4. The order of servers and tools, kept for stable prompts, never changes a name's meaning.

use super::ToolInfo;
use crate::collect::CollectVec;
use crate::schema::{Patterns, Schema, SchemaError};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// Tools by unique name.
///
/// A tool has its plain name if only one server uses it, and `server.name` unless that could be another server's tool.
#[derive(Debug, Clone, Default)]
pub struct ToolRegistry {
    tools: Arc<Vec<(String, ToolInfo)>>,
    by_name: Arc<HashMap<String, usize>>,
    ambiguous_names: Arc<HashMap<String, Vec<String>>>,
    /// Why tools can't be called, by name.
    unavailable: Arc<HashMap<String, String>>,
    positions: Arc<Vec<usize>>,
    servers: Arc<Vec<String>>,
    /// Arguments and results by tool position, parsed on first use.
    schemas: Arc<Vec<[OnceLock<Arc<LenientSchema>>; 2]>>,
    patterns: Patterns,
}

type LenientSchema = (Schema, Vec<SchemaError>);

impl ToolRegistry {
    /// Drops repeated names of a server.
    pub fn new(tools: impl IntoIterator<Item = ToolInfo>) -> Self {
        Self::with_servers(tools, &[])
    }

    /// Also knows servers without tools.
    pub fn with_servers(tools: impl IntoIterator<Item = ToolInfo>, servers: &[String]) -> Self {
        Self::of_list(tools.into_iter().collect_vec(), servers)
    }

    /// Each type of iterator would have its own copy of this.
    fn of_list(tools: Vec<ToolInfo>, servers: &[String]) -> Self {
        let mut seen = HashSet::new();
        let first = |(_, tool): &(usize, ToolInfo)| seen.insert((tool.server.clone(), tool.name.clone()));
        let listed: Vec<(usize, ToolInfo)> = tools.into_iter().enumerate().filter(first).collect_vec();
        let meanings = NameResolution::new(listed.iter().map(|(_, tool)| tool), servers);
        let named = |(at, tool): (usize, ToolInfo)| Some((at, meanings.name_of(&tool)?, tool));
        let named: Vec<(usize, String, ToolInfo)> = listed.into_iter().filter_map(named).collect_vec();
        // A name shared with an uncallable tool refers to neither.
        let (listed, unavailable): (Vec<_>, Vec<_>) =
            named.into_iter().partition(|(.., tool)| tool.unavailable.is_none());
        let mut by_name = HashMap::new();
        for (at, (_, name, tool)) in listed.iter().enumerate() {
            by_name.insert(name.clone(), at);
            if meanings.is_full_name_of(tool) {
                by_name.insert(tool.qualified(), at);
            }
        }
        let mut clashes: HashMap<String, Vec<String>> = HashMap::new();
        for name in meanings.shared().filter(|name| !by_name.contains_key(*name)) {
            let shares = |tool: &ToolInfo| tool.name == name || tool.qualified() == name;
            let names = listed.iter().filter(|(.., tool)| shares(tool)).map(|(_, shown, _)| shown.clone());
            clashes.insert(name.to_owned(), names.collect_vec());
        }
        let reasons = unavailable.into_iter().flat_map(|(_, name, tool)| {
            let full = meanings.is_full_name_of(&tool).then(|| tool.qualified());
            let names = std::iter::once(name).chain(full);
            names.filter_map(|name| Some((name, tool.unavailable.clone()?))).collect_vec()
        });
        Self {
            by_name: Arc::new(by_name),
            ambiguous_names: Arc::new(clashes),
            unavailable: Arc::new(reasons.collect()),
            positions: Arc::new(listed.iter().map(|(at, ..)| *at).collect_vec()),
            servers: Arc::new(servers.to_vec()),
            tools: Arc::new(listed.into_iter().map(|(_, name, tool)| (name, tool)).collect_vec()),
            ..Self::default()
        }
        .with_patterns(Patterns::default())
    }

    /// Plain and qualified names, with positions in the original list.
    pub fn positions(&self) -> impl Iterator<Item = (&str, usize)> {
        self.by_name.iter().filter_map(|(name, at)| Some((name.as_str(), *self.positions.get(*at)?)))
    }

    /// Sets the regular expression engine.
    #[must_use]
    pub fn with_patterns(self, patterns: Patterns) -> Self {
        Self { patterns, schemas: Arc::new(vec![Default::default(); self.tools.len()]), ..self }
    }

    /// Known servers.
    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// The regular expression engine.
    pub fn patterns(&self) -> Patterns {
        self.patterns
    }

    /// Parses on first use.
    ///
    /// # Errors
    /// The schema's errors, due to the server, not the plan.
    pub fn input_schema(&self, name: &str) -> Option<Result<&Schema, &[SchemaError]>> {
        let (schema, errors) = self.parsed_schema(name, true)?;
        Some(if errors.is_empty() { Ok(schema) } else { Err(errors) })
    }

    /// The understood parts of the arguments' or result's schema.
    pub(crate) fn lenient_schema(&self, name: &str, input: bool) -> Option<&Schema> {
        self.parsed_schema(name, input).map(|(schema, _)| schema)
    }

    fn parsed_schema(&self, name: &str, input: bool) -> Option<&LenientSchema> {
        let at = *self.by_name.get(name)?;
        let (_, tool) = self.tools.get(at)?;
        let [ours, theirs] = self.schemas.get(at)?;
        let (slot, schema) =
            if input { (ours, &tool.input_schema) } else { (theirs, tool.output_schema.as_ref()?) };
        Some(slot.get_or_init(|| Arc::new(Schema::compile_lenient(schema, self.patterns))))
    }

    /// Accepts a plain or qualified name.
    pub fn get(&self, name: &str) -> Option<&ToolInfo> {
        self.entry(name).map(|(_, tool)| tool)
    }

    /// The tool and its registry name.
    pub fn entry(&self, name: &str) -> Option<(&str, &ToolInfo)> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at)).map(|(shown, tool)| (shown.as_str(), tool))
    }

    /// Candidates with unique names.
    pub fn ambiguous_names(&self, name: &str) -> Option<&[String]> {
        self.ambiguous_names.get(name).map(Vec::as_slice)
    }

    /// Why a listed tool can't be called.
    pub fn unavailable(&self, name: &str) -> Option<&str> {
        self.unavailable.get(name).map(String::as_str)
    }

    /// Names with which a host can approve the tool, called `name` here.
    ///
    /// A dotted plain name approves nothing: `shop.pay` is for server `shop`, not for another server's tool.
    pub fn approval_names<'a>(&'a self, name: &'a str, tool: &'a ToolInfo) -> impl Iterator<Item = &'a str> {
        let plain = tool.server.is_none() || !name.contains('.');
        let full = tool.server.is_some().then(|| self.by_name.get_key_value(&tool.qualified())).flatten();
        let full = full.filter(|(_, at)| self.tools.get(**at).is_some_and(|(shown, _)| shown == name));
        plain.then_some(name).into_iter().chain(full.map(|(full, _)| full.as_str()))
    }

    /// Tools in original order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolInfo)> {
        self.tools.iter().map(|(name, tool)| (name.as_str(), tool))
    }

    /// Names in original order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(name, _)| name)
    }

    /// Tool count.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

struct NameResolution {
    servers: HashSet<String>,
    /// Tools per plain name, and per qualified one.
    plain: HashMap<String, usize>,
    full: HashMap<String, usize>,
}

impl NameResolution {
    fn new<'a>(tools: impl Iterator<Item = &'a ToolInfo>, servers: &[String]) -> Self {
        let servers = servers.iter().cloned().collect();
        let mut meanings = Self { servers, plain: HashMap::new(), full: HashMap::new() };
        for tool in tools {
            *meanings.plain.entry(tool.name.clone()).or_default() += 1;
            if let Some(server) = &tool.server {
                meanings.servers.insert(server.clone());
                *meanings.full.entry(tool.qualified()).or_default() += 1;
            }
        }
        meanings
    }

    fn name_of(&self, tool: &ToolInfo) -> Option<String> {
        if self.is_plain_name_of(tool) {
            return Some(tool.name.clone());
        }
        self.is_full_name_of(tool).then(|| tool.qualified())
    }

    /// It must not look like another server's qualified name, even of no tool.
    fn is_plain_name_of(&self, tool: &ToolInfo) -> bool {
        if self.full.contains_key(&tool.name) {
            return false;
        }
        let is_own = |server: &str| tool.server.as_deref() == Some(server);
        // A tool without a server, such as a stub for `shop.pay`, owns its whole name.
        tool.server.is_none()
            || (self.plain.get(&tool.name) == Some(&1) && self.servers_in(&tool.name).all(is_own))
    }

    fn is_full_name_of(&self, tool: &ToolInfo) -> bool {
        let full = tool.qualified();
        // `shop.eu` wins over `shop`, being longer: the host chose both, but servers choose tool names.
        let meant = self.servers_in(&full).last();
        tool.server.is_some() && self.full.get(&full) == Some(&1) && meant == tool.server.as_deref()
    }

    /// Servers that prefix the name, shortest first.
    fn servers_in<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let starts = name.match_indices('.').filter_map(|(dot, _)| name.get(..dot));
        starts.filter(|start| self.servers.contains(*start))
    }

    fn shared(&self) -> impl Iterator<Item = &str> {
        let all = self.plain.iter().chain(&self.full);
        all.filter(|(_, count)| **count > 1).map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(path: &str) -> ToolInfo {
        let (server, name) =
            path.rsplit_once('/').map_or((None, path), |(server, name)| (Some(server), name));
        ToolInfo::from_json(&json!({"name": name, "server": server})).unwrap()
    }

    #[test]
    fn names() {
        for (tools, expect) in [
            (&["a/echo", "b/add"][..], &["echo", "add"][..]),
            (&["a/echo", "b/echo", "b/add"], &["a.echo", "b.echo", "add"]),
            (&["echo", "b/echo"], &["echo", "b.echo"]),
            (&["a/echo", "a/echo"], &["echo"]),
            (&[], &[]),
        ] {
            let registry = ToolRegistry::new(tools.iter().map(|t| tool(t)));
            assert_eq!(registry.names().collect::<Vec<_>>(), expect, "{tools:?}");
            assert_eq!(registry.len(), expect.len());
            assert_eq!(registry.is_empty(), expect.is_empty());
        }
    }

    #[test]
    fn look_ups() {
        for (tools, name, expect) in [
            (&["a/echo", "b/add"][..], "echo", Some("a.echo")),
            (&["a/echo", "b/add"], "a.echo", Some("a.echo")),
            (&["a/echo", "b/echo"], "echo", None),
            (&["a/echo", "b/echo"], "b.echo", Some("b.echo")),
            (&["echo", "b/echo"], "echo", Some("echo")),
            (&["a/echo"], "b.echo", None),
            // One's plain name is another's qualified name.
            (&["b/a.echo", "a/echo", "c/echo"], "a.echo", Some("a.echo")),
            (&["b/a.echo", "a/echo"], "b.a.echo", Some("b.a.echo")),
            // Names like another server's tool must be qualified, even if no such tool exists.
            (&["b/a.pay", "a/echo"], "a.pay", None),
            (&["b/a.pay", "a/echo"], "b.a.pay", Some("b.a.pay")),
            (&["b/c.pay", "a/echo"], "c.pay", Some("b.c.pay")),
            // Equal qualified names in either order.
            (&["a/b.pay", "a.b/pay"], "a.b.pay", None),
            (&["a.b/pay", "a/b.pay"], "a.b.pay", None),
            (&["a.b/pay", "a/b.pay"], "pay", Some("a.b.pay")),
            (&["a.b/pay", "a/pay"], "a.b.pay", Some("a.b.pay")),
            (&["a/b.pay", "a.b/echo"], "a.b.pay", None),
            (&["a.b/pay", "a/b.pay", "c/pay"], "a.b.pay", None),
            (&["a.b/pay", "a/b.pay", "c/pay"], "c.pay", Some("c.pay")),
        ] {
            let registry = ToolRegistry::new(tools.iter().map(|t| tool(t)));
            assert_eq!(registry.get(name).map(ToolInfo::qualified).as_deref(), expect, "{name} of {tools:?}");
        }
    }

    #[test]
    fn a_server_that_lists_nothing_keeps_its_names() {
        let tools = ["other/shop.pay", "other/echo"];
        let silent = ToolRegistry::with_servers(tools.map(tool), &["shop".to_owned()]);
        assert_eq!(silent.get("shop.pay"), None);
        assert!(silent.get("other.shop.pay").is_some());
        assert!(ToolRegistry::new(tools.map(tool)).get("shop.pay").is_some());
    }

    #[test]
    fn positions_are_those_of_the_given_list() {
        let registry = ToolRegistry::new(["a/echo", "a/echo", "b/add", "c/add"].map(tool));
        let mut places: Vec<_> = registry.positions().collect();
        places.sort_unstable();
        assert_eq!(places, [("a.echo", 0), ("b.add", 2), ("c.add", 3), ("echo", 0)]);
    }

    #[test]
    fn a_clash_names_its_parties() {
        let registry = ToolRegistry::new(["a/echo", "b/echo", "b/add"].map(tool));
        assert_eq!(registry.ambiguous_names("echo").unwrap(), ["a.echo", "b.echo"]);
        assert_eq!((registry.ambiguous_names("add"), registry.ambiguous_names("other")), (None, None));
        let servers = ToolRegistry::new(["a/b.pay", "a.b/pay", "c/pay"].map(tool));
        assert_eq!(servers.ambiguous_names("a.b.pay").unwrap(), ["b.pay"]);
        assert_eq!(servers.names().collect::<Vec<_>>(), ["b.pay", "c.pay"]);
    }

    #[test]
    fn what_cannot_be_called_has_no_place_but_a_reason() {
        let off = |path: &str| ToolInfo { unavailable: Some("off".to_owned()), ..tool(path) };
        let registry = ToolRegistry::new([off("a/slow"), tool("a/echo"), off("a/pay"), tool("b/pay")]);
        assert_eq!(registry.names().collect::<Vec<_>>(), ["echo", "b.pay"]);
        let mut places: Vec<_> = registry.positions().collect();
        places.sort_unstable();
        assert_eq!(places, [("a.echo", 1), ("b.pay", 3), ("echo", 1)]);
        for (name, reason) in
            [("slow", Some("off")), ("a.slow", Some("off")), ("a.pay", Some("off")), ("pay", None)]
        {
            assert_eq!((registry.unavailable(name), registry.get(name)), (reason, None), "{name}");
        }
        // Prevents calls of the wrong tool.
        assert_eq!(registry.ambiguous_names("pay").unwrap(), ["b.pay"]);
    }

    #[test]
    fn approvals_go_by_names_that_no_other_server_can_take() {
        for (tools, name, expect) in [
            (&["shop/pay"][..], "pay", &["pay", "shop.pay"][..]),
            (&["shop/pay", "b/pay"], "shop.pay", &["shop.pay"]),
            (&["evil/shop.pay"], "shop.pay", &["evil.shop.pay"]),
            (&["shop/shop.pay"], "shop.pay", &["shop.shop.pay"]),
            (&["shop/eu.pay", "shop.eu/pay"], "eu.pay", &[]),
            (&["shop/eu.pay", "shop.eu/pay"], "pay", &["pay"]),
            (&["shop.pay"], "shop.pay", &["shop.pay"]),
        ] {
            let registry = ToolRegistry::new(tools.iter().map(|t| tool(t)));
            let (shown, tool) = registry.entry(name).unwrap();
            let mut leave = registry.approval_names(shown, tool).collect::<Vec<_>>();
            leave.dedup();
            assert_eq!(leave, expect, "{name} of {tools:?}");
        }
    }
}
