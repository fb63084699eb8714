//! The table of diagnostic codes. One row yields variant, slug, docs and TypeScript union.

use super::Severity;

/// A table row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// Stable, `stage/name`.
    pub slug: &'static str,
    /// Default severity.
    pub severity: Severity,
    /// For lists.
    pub summary: &'static str,
    /// Its meaning and why it matters.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $severity:ident $slug:literal $summary:literal $explanation:literal;)*) => {
        /// The kind of a diagnostic.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $summary] $name,)* }

        impl Code {
            /// In table order.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            // Each method has its own `match`, so a module that never calls `info` does not contain the
            // explanations.

            /// Stable, `stage/name`.
            pub fn slug(self) -> &'static str {
                match self { $(Code::$name => $slug,)* }
            }

            /// Default severity.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }

            /// The table row.
            pub fn info(self) -> CodeInfo {
                let (summary, explanation) = match self { $(Code::$name => ($summary, $explanation),)* };
                CodeInfo { slug: self.slug(), severity: self.severity(), summary, explanation }
            }
        }
    };
}

impl Code {
    /// Looks up a slug.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.slug() == slug)
    }
}

codes! {
    SourceEncoding Error "source/encoding" "the file is not UTF-8 text"
        "A plan is UTF-8 text. The position is the first byte that is not.";
    SourceTooLarge Error "source/too-large" "the file is larger than a plan may be"
        "A plan is untrusted data, so its size is bounded before anything is read.";
    SourceSyntax Error "source/syntax" "the text is neither YAML nor JSON"
        "The text could not be read as YAML 1.2 or JSON. The position is where parsing stopped.";
    SourceTooDeep Error "source/too-deep" "lists and maps are nested too deeply"
        "Nesting is bounded so that no plan can exhaust the stack of the machine that reads it.";
    SourceTooManyAliases Error "source/too-many-aliases" "aliases expand to too much"
        "Aliases of aliases can make a small file stand for a huge one, so their expansion is limited.";
    SourceUnknownAlias Error "source/unknown-alias" "an alias names no anchor"
        "An alias `*name` repeats the value of the anchor `&name` before it.";
    SourceSeveralDocuments Error "source/several-documents" "the file contains more than one document"
        "One file is one plan; a second document would silently be ignored.";
    SourceKeyNotText Error "source/key-not-text" "a key is neither text nor a number"
        "Keys become names in JSON, so a list, a map or null can't be a key.";
    SourceTag Error "source/tag" "a tag that a plan can't use"
        "Tags other than those of YAML's own schema need a type that JSON does not have.";
    SourceNotFinite Error "source/not-finite" "a number that JSON does not have"
        "JSON can't represent infinity and not-a-number, so a plan with them would have another meaning there.";
    SourceUnsafeNumber Warning "source/unsafe-number" "a whole number that JavaScript rounds"
        "JavaScript represents whole numbers up to 2^53 exactly; of larger ones the last digits change as soon as a run touches them.";

    DuplicateKey Error "graph/duplicate-key" "a duplicate key in a map"
        "Of two entries with one key the second would win silently.";
    UnreadInput Warning "graph/unread-input" "an input value that is never read"
        "A `plan` reads `user_query` and `context` of its input. A run receives trusted values from its host and not from a node's input, which may come from a model or another untrusted source.";
    TrustDiffers Warning "graph/trust-differs" "calls are planned and made with other trusted parameters"
        "The run fills a trusted parameter and ignores the model's value. If only the node that makes the calls trusts a parameter, that node ignores the model's value. If only the node that plans them does, the value is never filled.";
    UnknownKey Error "graph/unknown-key" "an unknown key"
        "Most often it is misspelt, and its value would be ignored. Keys that begin with `x-` are yours, and so is everything under `metadata`.";
    WrongShape Error "graph/wrong-shape" "a value of the wrong kind"
        "The format defines the kind of each key's value: text, a number, a list or a map.";
    SecretInAddress Warning "graph/secret-in-address" "a server URL that contains a key"
        "Plans are shared, stored and shown. Put a key into the environment of the process that runs the plan.";
    UnknownFormat Error "graph/unknown-format" "an unsupported version of the format"
        "`format` is 1; a later version could be misread.";
    NoNodes Error "graph/no-nodes" "the plan has no nodes"
        "There is nothing to run.";
    MissingType Error "graph/missing-type" "a node without a type"
        "The type defines the work of a node.";
    MissingEndpoint Error "graph/missing-endpoint" "an edge without `from` or `to`"
        "An edge leads from one node to another.";
    UnknownNode Error "graph/unknown-node" "an edge or a layout entry names a node that is not there"
        "Edges use the keys of `nodes`.";
    UnknownStart Error "graph/unknown-start" "`start` names a node that is not there"
        "The run begins at `start`, a key of `nodes`.";
    NoStart Error "graph/no-start" "no node can be the start"
        "Without `start` the run begins at the only node without incoming edges; here every node has one.";
    AmbiguousStart Error "graph/ambiguous-start" "several nodes could be the start"
        "Without `start` the run begins at the only node without incoming edges; here there are several.";
    DuplicateId Error "graph/duplicate-id" "two nodes with one id"
        "An id names a node's output, so it must be one node's alone.";
    ReservedId Error "graph/reserved-id" "a reserved id"
        "`input` and `memory` are the names of a run's initial values.";
    MissingSetting Error "graph/missing-setting" "a node without a setting that its type needs"
        "A `set` node computes the values under `with.values`. A `wait` node waits for `with.ms` milliseconds, or until the time `with.until`.";
    ConflictingSettings Error "graph/conflicting-settings" "two settings that exclude each other"
        "A `wait` node has `with.ms` or `with.until`. With both it is unclear how long it waits.";
    NoGraphInside Error "graph/nothing-inside" "a node without the graph it is to run"
        "A node of type `graph` runs its `graph`, one of type `parallel` its `branches`, one of type `map` its `do`.";
    FileInvalidPath Error "file/invalid-path" "a path to another file that is not allowed"
        "`graph`, `do` and a branch may name another plan file, by a relative path with `/` between folders. An absolute path, a URL and a template are refused.";
    FileOutside Error "file/outside-folder" "a file outside the folder of the plan"
        "A plan runs files of its own folder and of the folders below. A link that leads out of the folder is refused, too.";
    FileUnknownEnding Error "file/unknown-ending" "a file whose name does not end like a plan's"
        "The name of a plan file ends in `.yaml`, `.yml` or `.json`.";
    FileNotGiven Error "file/not-given" "a file whose text the host did not give"
        "The engine reads no files. The command reads them from the plan's folder, and the library takes them by `files` or `read`. In an editor that knows no files it is a hint.";
    FileUnreadable Error "file/unreadable" "a file that can't be read"
        "The path is relative to the file that names it.";
    FileCircle Error "file/circle" "a file that runs itself"
        "A file that names itself, or names another one that leads back to it, would never end.";
    FileTooMany Error "file/too-many" "more files than a plan may run"
        "A plan runs at most 256 files. A file counts as often as it is named.";
    FileTooLarge Error "file/too-large" "files that are too large together"
        "A plan and its files have at most 16 MiB and two million values together. A file counts as often as it is named.";
    FileMissingServer Error "file/missing-server" "a file that needs a server that the plan does not have"
        "The servers of the plan that runs are the only ones of a run. A file may name servers, but the plan must name them too, with the same URL.";
    FileLooserLimit Error "file/looser-limit" "a file with a limit that the plan does not keep"
        "The limits of the plan that runs are the only ones of a run. If a file has limits, those of the plan must be as strict.";
    FileMissingInput Error "file/missing-input" "a file that needs an input that its node does not give"
        "The `input` of the node is the input of the file. Defaults in the `inputs` of the file apply only if the file runs on its own.";
    FileInvalidInput Warning "file/invalid-input" "an input of another type than the file declares"
        "The `inputs` of a file say what its node passes. They are compared before the run, as far as the types are known.";
    RejectionIgnored Warning "graph/rejection-ignored" "a rejection that leads to the same calls as an approval"
        "After a rejection, a run may make each call that an approval allows, perhaps some nodes later. Conditions and other approvals in between count. A call that receives the decision does not. Nothing is reported if a condition reads what was computed with the decision, or expects other answers.";
    MissingTool Error "graph/missing-tool" "a tool node that names no tool"
        "A node of type `tool` names its tool in `tool` or `metadata.tool`.";
    UnknownTool Error "graph/unknown-tool" "a tool that no server offers"
        "Found when the tools are known: with `--server` or at the start of a run.";
    UnavailableTool Error "graph/unavailable-tool" "a tool that its server lists and this client can't call"
        "The server runs the tool only as a task of MCP, or its description violates the protocol. `stepgraph tools` reports it, too. Found when the tools are known.";
    UnknownType Error "graph/unknown-type" "a type without a handler"
        "Neither a built-in type, nor a handler of the host, nor a tool of that name. Found when those are known.";
    UnknownModel Error "graph/unknown-model" "a model that the run does not have"
        "A node uses `with.model`, or `default`. Found when the models are known.";
    NoTools Warning "graph/no-tools" "an agent that can call nothing"
        "An agent lets a model call tools; without any it is an `llm` that takes more turns. Without `with.tools` it may call all tools of the run, which are known with `--server` or at the start of a run.";
    ReservedTool Error "graph/reserved-tool" "a tool whose name means something else"
        "A node of type `react` offers its model the tool `SubmitPlan`, so no other tool may have that name.";
    ToolForType Warning "graph/tool-for-type" "a tool that is called where possibly a type of that name is intended"
        "`init`, `format_output`, `error_handler`, `terminal`, `validation` and `llm_call` are older names of built-in types. A connected tool of such a name takes precedence: the node calls it.";
    IgnoredInput Warning "graph/ignored-input" "input on a node that ignores it"
        "Nodes of this type pass on the previous output.";
    UnreachableNode Warning "graph/unreachable-node" "a node that no run can reach"
        "No path leads to it from the start.";
    EndlessLoop Error "graph/endless-loop" "a loop without an exit"
        "No node of the loop can leave it or end the run, so every run that enters it fails at its visit limit.";

    DeadEdge Warning "graph/dead-edge" "an edge that is never taken"
        "Edges are evaluated in the order of the file, fallbacks last. A run always takes an earlier edge, or the condition refers to `error` and the node can't fail.";
    NoEffect Warning "graph/no-effect" "a setting without effect"
        "Nodes that only pass a value on neither wait nor fail, so there is nothing to retry.";
    RepeatedCall Warning "graph/repeated-call" "a retry of a call that may have had its effect"
        "After a timeout, nobody knows whether the call has done its work. The tool declares that a repetition has a further effect.";
    ShadowedName Warning "graph/shadowed-name" "a node that hides one of a graph around its own"
        "`output.<name>` means the nearest node of that name, so nothing inside can refer to the other one.";

    TooManyProblems Warning "graph/too-many-problems" "more problems than are listed"
        "A plan with many mistakes gets the first hundred errors and the first hundred warnings; the rest is counted.";

    ConditionSyntax Error "condition/syntax" "a condition that can't be read"
        "A condition is an expression that is true or false, or a short form such as `last == ok`, `default` or `always`. Write `!=` or `!(a == b)` to negate a comparison.";
    ForeignOperator Error "condition/foreign-operator" "an operator of another language"
        "Conditions compare with `==` and are joined with `&&` and `||`. Text without quotes ends only at `&&`, `||` or the end, so another language's operator would become part of it.";
    ReferenceAsText Warning "condition/reference-as-text" "text that looks like a misspelt reference"
        "Text without quotes on the right side is an expression if it begins with a root such as `last.` or `output.`. A misspelt root makes it text.";
    AmbiguousLiteral Warning "condition/ambiguous-literal" "a literal that may not be intended"
        "Text without quotes ends only at `&&`, `||` or the end, even if it looks like another condition, an expression or a word of another language. Quotes show that it is intended.";
    NeverTrue Error "condition/never-true" "a comparison that no value can satisfy"
        "The schema of a tool's output or of an answer, a declared input or a node's type tells the values: they never have that kind, or that value. It is a warning with `!=`, which always holds then, where only a node's type tells the kind, and for what `approve` gives, which a person may replace.";
    NeverHolds Warning "condition/never-holds" "a condition that can't hold"
        "Its comparisons contradict each other, as in `last == a && last == b`. The condition is always false, so its edge is never taken.";
    TemplateSyntax Error "template/syntax" "a template that can't be read"
        "A template is `${expression}`, as in `${last.name ?? \"friend\"}`; a literal `${` is written `$${`.";
    ForeignTemplate Warning "template/foreign" "text that is a template in other languages"
        "`{{last}}` and `$ {last}` are plain text; a template is `${last}`. If the text is intended, write `with: {templates: false}`, which leaves all templates of the node alone. A value such as `input.title` or `input.n * 2` is text, too: write `${input.title}`, or `${\"input.title\"}` for the text.";
    ExpressionSyntax Error "expression/syntax" "text that is not an expression"
        "The position is where parsing stopped. In a condition the code is `condition/syntax`, in a template `template/syntax`.";
    ExpressionUnsupported Error "expression/unsupported" "a part of CEL that JSON values do not need"
        "Expressions follow the Common Expression Language (CEL), without bytes, unsigned numbers, messages and optional values.";
    ExpressionTooDeep Error "expression/too-deep" "an expression, or data, with too many levels of nesting"
        "An expression has at most 96 levels. Compute a part of it in a node of its own.";
    ExpressionTooLong Error "expression/too-long" "an expression that is too long"
        "An expression has at most 64 KiB.";
    ExpressionUnknownFunction Error "expression/unknown-function" "a function that does not exist"
        "`docs/expressions.md` lists all functions.";
    ExpressionArguments Error "expression/arguments" "a function with too few or too many arguments"
        "`docs/expressions.md` lists the arguments of each function.";
    ExpressionType Error "expression/type" "a value whose type the operator or function does not accept"
        "Values of different types are never converted silently. If the types are known, the checker reports the mistake. Otherwise the node fails when it evaluates the expression.";
    ExpressionUnknownField Error "expression/unknown-field" "a field that the value never has"
        "The output schema of a tool, the answer schema or the type of a node defines which fields the value has.";
    ExpressionConstant Warning "expression/constant" "an expression whose result does not depend on data"
        "The result is the same for all data. Examples are `1 == 2`, `x == x`, `size(x) >= 0`, `true ? 1 : 2`, `n == 3 && n == 4` and `n != 3 || n != 4`.";
    ExpressionNull Hint "expression/may-be-null" "a calculation with a value that may be null"
        "The schema allows `null`, and operators such as `+` and functions such as `size` fail with it. A missing value is no error, so optional fields get no hint.";
    ExpressionOverflow Error "expression/overflow" "a number or a time that is too large"
        "Numbers are finite. An `int` has 64 bits.";
    ExpressionDivideByZero Error "expression/divide-by-zero" "a division by zero"
        "The node fails when it evaluates the expression. Test the divisor first, as in `last.n != 0 ? 10 / last.n : 0`.";
    ExpressionOutOfRange Error "expression/out-of-range" "a position outside a text or a list"
        "A position in a function such as `charAt`, `substring` or `slice` is outside the text or the list, or an end is before its start. Positions count from 0. A negative index is an error, too. An index past the end, as in `list[9]`, is missing and no error.";
    ExpressionInvalidValue Error "expression/invalid-value" "a value that a function can't use, such as an invalid pattern"
        "`int(\"x\")` and `last.text.matches(\"(\")` have no result.";
    ExpressionTooCostly Error "expression/too-costly" "an evaluation that takes too many steps or too much memory"
        "An evaluation takes at most 1 000 000 steps and makes at most 10 MB of text and lists. All expressions of a node share 10 000 000 steps and 40 MB. The node fails when it exceeds them.";
    UnknownRoot Error "reference/unknown-root" "a reference that begins with an unknown word"
        "A reference begins with `last`, `input`, `output`, `item`, `index`, `error`, `context` or `memory`.";
    NotInScope Error "reference/not-in-scope" "a reference to something that is not available there"
        "`item` and `index` exist inside `map`.";
    UnknownOutput Error "reference/unknown-output" "an output that no node has"
        "Outputs may also come from handlers and from the caller. While those are not known, this is a warning, and reported only if a similar name exists.";
    NeverThere Warning "reference/never-there" "a reference without a value on any path"
        "No path leads from the node to the reference to its output. A template then fails its node, a comparison is false. Only the caller or a handler could provide an output of that name.";
    MayBeMissing Warning "reference/may-be-missing" "a template that refers to a value that is not available on every path"
        "On the path in the message the node has not run before another reads its output, or has failed. Then the template fails its node. `??` sets a default; an edge that tests `.exists` lets only those runs pass that have the output.";

    SchemaInvalid Error "schema/invalid" "a schema that can't be used"
        "JSON Schema, draft 2020-12: a keyword of the wrong form, or a reference that leads out of the schema. Nothing is fetched.";
    InvalidArguments Error "tool/invalid-arguments" "arguments that a tool does not accept"
        "Stepgraph compares constants and names with the tool's schema. It compares templates by type, as far as the type is known, and does not judge their values. It finds this when the tools are known.";
    NotAList Error "graph/not-a-list" "a `map` over another value than a list"
        "A `map` runs its graph for each element of its input. The output of a node is known from its tool's output schema, its answer schema or its type.";
    DefaultInvalid Error "schema/invalid-default" "a default that its own schema refuses"
        "A run without the value uses the default of the input's declaration, and is refused then.";
    ToolSchema Warning "tool/invalid-schema" "a tool whose schema can't be used"
        "The server describes the tool's arguments in a way that can't be read, so they are not checked. Reported once for each tool.";
    UnknownPath Error "reference/unknown-path" "a path into a value that has no such part"
        "The output of a node is known from its tool's output schema, its answer schema or its type. A template with such a path fails its node, a comparison is false. If the part may be missing, use `??` or `.exists`.";

    UnknownInTest Error "test/unknown-node" "a test of a node that is not there"
        "Tests speak of nodes by their ids, in `path` of those of the plan's own graph. The test can't pass, but a test never affects a run, so the plan can still be run.";
    NeverPasses Error "test/never-passes" "a test that can't pass"
        "Whatever its stubs answer: no run of the plan accepts that input, takes that path or has that result. A test never affects a run, so the plan can still be run.";
    UnusedDecision Warning "test/unused-decision" "a decision in a test that no node asks for"
        "Decisions are named after the id of the node that asks, or after the name of its call, as in `ask:1:1`. Types such as `log` and `llm` ask for no approval, and neither does a node that a stub of the test replaces.";
    UnusedStub Warning "test/unused-stub" "an unused stub in a test"
        "Stubs under `types`, `tools` and `models` are named after the type, the tool or the model of a node.";
    StubShape Error "stub/wrong-shape" "a value of a stub that is of the wrong kind"
        "Stubs replace handlers, tools and models, in a file of their own or in a test. A stub is `echo`, `input`, `last`, or a map with one of `return`, `sequence`, `by` and `fail`.";
    StubKey Error "stub/unknown-key" "an unknown key in a stub"
        "Most often it is misspelt, and its value would be ignored. Keys that begin with `x-` are yours.";
    StubContradiction Error "stub/contradiction" "two conflicting keys of a stub"
        "A stub does one thing: it answers, goes through a sequence, chooses by an argument, or fails.";
    StubResult Error "stub/wrong-result" "a stub that returns what its tool never would"
        "The result of a tool is validated against its `output_schema`, so a run would fail at each call. The reply of a model is validated against `with.schema` of its node. Write `fail` to test how a plan handles a failure.";
    StubArgument Error "stub/unknown-argument" "a stub that chooses by an argument which is never there"
        "`by` names an argument of the call. If `input_schema` lists all arguments of the tool, others never occur; a model has none.";
    DuplicateTest Warning "test/duplicate-name" "two tests of one name"
        "Names identify tests.";

    PlanNotJson Error "plan/not-json" "a tool plan that is no JSON"
        "A model that plans answers with a JSON object of `tool_calls`, `reasoning` and the like, and nothing around it but a fence.";
    PlanTooManyCalls Error "plan/too-many-calls" "a tool plan with too many calls"
        "A tool plan has 1 000 calls at most. More than that are no plan but a loop: a `map` node makes it, within the bounds of the run.";
    PlanUnknownTool Error "plan/unknown-tool" "a planned call of a tool that is not there"
        "A tool plan can call only the tools of its catalogue.";
    PlanMissingParameter Error "plan/missing-parameter" "a planned call without a parameter that its tool needs"
        "The tool's schema lists the required parameters.";
    PlanUnknownParameter Error "plan/unknown-parameter" "a planned call with an undeclared parameter"
        "A schema that names parameters allows no others, unless it has `additionalProperties` or `patternProperties`.";
    PlanInvalidType Error "plan/invalid-type" "a planned value of the wrong kind"
        "Kinds are checked against the tool's schema, except for values of references.";
    PlanInvalidValue Error "plan/invalid-value" "a planned value that its tool does not accept"
        "The kind is right, but the tool's schema requires more, such as an allowed value or a range.";
    PlanBadReference Error "plan/bad-reference" "a reference in a planned call that can't be followed"
        "A parameter may refer only to the result of an earlier call, as in `${call[0].items}`. If the tool has an output schema, the reference must be in it.";
    PlanInvalidContext Error "plan/invalid-context" "a trusted value of the run that a tool does not accept"
        "The value comes from the run's context, so another answer of the model does not fix this. The message does not contain the value: models read it.";
    PlanMissingContext Error "plan/missing-context" "a planned call that needs a trusted value the run does not have"
        "The run fills trusted parameters from `context`, never from a model. Without them it makes no call.";
    PlanUntrusted Warning "plan/untrusted-value" "a trusted parameter that the model has filled itself"
        "The run ignores a model's value for a trusted parameter: anybody could have written it.";

    EditUnreadable Error "edit/unreadable" "a change of a text that can't be read"
        "An edit preserves everything that it does not touch, so it must read the whole text.";
    EditNowhere Error "edit/no-such-place" "a change of something that is not there"
        "Name the changed part by its keys and positions in the present document.";
    EditShared Error "edit/shared" "a change of a value that aliases repeat"
        "An anchor names a value that aliases repeat: changing it there would change it everywhere.";
    EditNotInPlace Error "edit/not-in-place" "a change that the notation of the text does not allow"
        "Every edit is read back. If the result is not exactly the intended change, the edit is not made.";
    EditBad Error "edit/bad-edit" "an edit that can't be applied to any plan"
        "An edit names its operation in `op` and has the fields of that operation, as `docs/editing.md` lists them.";
    EditBadName Error "edit/bad-name" "a name that no node can have"
        "`/` separates graphs and `:` counts visits; `input` and `memory` are the names of a run's initial values.";
    EditNameTaken Error "edit/name-taken" "a name that another node has"
        "Keys are unique in a graph, and so are ids, which name outputs.";
    EditCaptured Error "edit/captured" "a name that would change the meaning of a reference"
        "A reference means the nearest node of its name. No edit may change that, so choose another name.";
    EditAmbiguous Error "edit/ambiguous" "an ambiguous name in a rename"
        "Nodes of different graphs may share a name. If a text contains only that name, it is ambiguous which of them it refers to.";
    EditBlocked Error "edit/in-the-way" "something whose meaning an edit would change"
        "An edit of the structure does not change runs. The diagnostic points to the part that would change, and the text stays as it is.";
    AuthorNoPlan Error "author/no-plan" "an answer that contains no workflow"
        "A model that writes a plan answers with one JSON or YAML document that has `nodes`, or with a patch of the plan before.";
    AuthorBadPatch Error "author/bad-patch" "a patch that can't be applied"
        "A patch is a map of what changes, and changes a plan that is there.";
    AuthorNotBrowsed Error "author/not-browsed" "a generated plan that uses a tool or node type outside its selection"
        "A generated plan may use the components that were chosen for the request, and structure. An agent in it lists its tools.";
    AuthorServer Error "author/server" "a generated plan that names a server"
        "The user names the servers, never a model.";
    AuthorInput Error "author/undeclared-input" "a generated plan that reads an undeclared input"
        "A plan declares in its `inputs` the values that it reads. In a graph inside a node `input` is the input of that graph, in `do` the element.";
    AuthorTrusted Error "author/trusted-value" "a generated plan that misuses trusted values"
        "Trusted parameters are filled from `context`, and trusted values are used nowhere else.";
    AuthorMemory Error "author/memory" "a generated plan that reads memory"
        "The caller of a run provides memory. A plan that was generated for a request has none.";
    AuthorNoChoice Error "author/no-choice" "an answer that chooses no components"
        "After the last attempt no component could be read from the answer of the model. Whether the request can be met is not known.";
    AuthorLeftOut Warning "author/left-out" "a generated plan without a component of its chain"
        "The plan in prose lists the components of the workflow, and the workflow lacks one of them. It is an error while the model may fix it.";
    AuthorUnguarded Warning "author/unguarded" "a generated plan that calls a tool without the approval before it"
        "The plan in prose puts an approval before the tool. In the workflow a path leads to the tool past the approval. It is an error while the model may fix it.";
    AuthorStep Warning "author/unserved-step" "a requirement that no node of a generated plan serves"
        "Each node names in `metadata.step` the requirement that it serves, by its number. It is an error while the model may fix it.";
    AuthorUnread Warning "author/unread-value" "a value of the request that no node of a generated plan reads"
        "The value was found in the request. No node reads it as an input, and no node contains it as text. It is an error while the model may fix it.";

    ImportUnreadable Error "import/unreadable" "a text that is not in the language it is read as"
        "Nothing can be imported: no flowchart begins, or the text is not a workflow of that language.";
    ImportSyntax Warning "import/syntax" "a line that can't be read"
        "The importer leaves it out and goes on.";
    ImportInvalid Warning "import/invalid" "something that its own language does not allow there"
        "The importer leaves it out, or takes its most probable meaning.";
    ImportExact Hint "import/exact" "a construct that a plan supports"
        "The plan means the same.";
    ImportAppearance Hint "import/appearance" "an appearance, which a plan does not have"
        "Colours, classes and links of a diagram change nothing in a run.";
    ImportLabel Warning "import/label" "text on an arrow that became a condition"
        "A run takes the edge when the previous output equals this text; write the intended condition.";
    ImportRemark Hint "import/remark" "text on the only arrow of a node"
        "It decides nothing, so it became a comment above the edge.";
    ImportFanOut Warning "import/fan-out" "several arrows without text that leave one node"
        "A run takes one edge at a time, and takes the first; `parallel` does several things at once.";
    ImportFlattened Warning "import/flattened" "a subgraph that is no graph of its own"
        "A graph inside a node has one entry, and its node continues when it has ended. If a subgraph has other entries or exits, the importer leaves it out and keeps its contents.";
    ImportLoop Warning "import/loop" "an imported loop without an exit"
        "The loops of a plan have an exit, so the back edge got a condition; write when the loop continues.";
    ImportStart Warning "import/start" "a guessed start"
        "A run begins at one node; if a diagram has several without an arrow to them, or none, it is the first of them.";
    ImportPlaceholder Warning "import/placeholder" "a task that needs a handler"
        "The plan has a node for it, of a type that the host handles, or a tool.";
    ImportApproximated Warning "import/approximated" "a construct that a plan expresses a little differently"
        "The import report describes the difference.";
    ImportExpression Warning "import/expression" "an unsupported expression"
        "References reach into values, and conditions compare them. The importer keeps an expression that computes as text, or leaves it out.";
    ImportLost Warning "import/no-equal" "an unsupported construct"
        "The importer leaves it out.";

    UnknownHandler Warning "run/unknown-handler" "a handler for a node that is not there"
        "Handlers by id are named after the node's id.";
    UnknownAllowed Warning "run/unknown-allowed" "permission to call an unknown tool"
        "`allow` names tools that are called without approval. A misspelt name has no effect, so the run asks. The command refuses to start.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_unique_and_well_formed() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            let slug = code.slug();
            assert!(seen.insert(slug), "{slug} stands twice");
            let (stage, what) = slug.split_once('/').expect("stage/what");
            let kebab = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            assert!(kebab(stage) && kebab(what), "{slug}");
            assert_eq!(Code::from_slug(slug), Some(*code));
        }
    }
}
