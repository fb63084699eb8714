//! The table of diagnostic codes: slug, default severity, summary, explanation.
//!
//! One row yields the enum variant, the slug, the docs and the TypeScript union.

use super::Severity;

/// The table row of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeInfo {
    /// The stable slug, `stage/name`.
    pub slug: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// One line for lists.
    pub summary: &'static str,
    /// The meaning of the code and why it matters.
    pub explanation: &'static str,
}

macro_rules! codes {
    ($($name:ident $severity:ident $slug:literal $summary:literal $explanation:literal;)*) => {
        /// The kind of a diagnostic. Its slug is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $summary] $name,)* }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            // One `match` for each method: a module that never calls `info` does not contain the explanations.

            /// Returns the stable slug, `stage/name`.
            pub fn slug(self) -> &'static str {
                match self { $(Code::$name => $slug,)* }
            }

            /// Returns the default severity.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }

            /// Returns the table row of this code.
            pub fn info(self) -> CodeInfo {
                let (summary, explanation) = match self { $(Code::$name => ($summary, $explanation),)* };
                CodeInfo { slug: self.slug(), severity: self.severity(), summary, explanation }
            }
        }
    };
}

impl Code {
    /// Looks up the code of a slug.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.slug() == slug)
    }
}

codes! {
    SourceEncoding Error "source/encoding" "the file is not UTF-8 text"
        "A plan is UTF-8 text. The place is the first byte that is not.";
    SourceTooLarge Error "source/too-large" "the file is larger than a plan may be"
        "A plan is untrusted data, so its size is bounded before anything is read.";
    SourceSyntax Error "source/syntax" "the text is neither YAML nor JSON"
        "The text could not be read as YAML 1.2 or JSON. The place is where reading stopped.";
    SourceTooDeep Error "source/too-deep" "lists and maps are nested too deeply"
        "Nesting is bounded so that no plan can exhaust the stack of the machine that reads it.";
    SourceTooManyAliases Error "source/too-many-aliases" "aliases expand to too much"
        "Aliases of aliases can make a small file stand for a huge one; what they expand to is bounded.";
    SourceUnknownAlias Error "source/unknown-alias" "an alias names no anchor"
        "An alias `*name` repeats what stands at `&name` before it.";
    SourceSeveralDocuments Error "source/several-documents" "the file holds more than one document"
        "One file is one plan; a second document would silently be ignored.";
    SourceKeyNotText Error "source/key-not-text" "a key is neither text nor a number"
        "Keys become names in JSON, so a list, a map or nothing can't be a key.";
    SourceTag Error "source/tag" "a tag that a plan can't use"
        "Tags other than those of YAML's own schema ask for a type that JSON does not have.";
    SourceNotFinite Error "source/not-finite" "a number that JSON does not have"
        "Infinity and not-a-number can't be written in JSON, so a plan that holds them would not mean the same there.";
    SourceUnsafeNumber Warning "source/unsafe-number" "a whole number that JavaScript rounds"
        "JavaScript holds whole numbers up to 2^53 exactly; of larger ones the last digits change as soon as a run touches them.";

    DuplicateKey Error "graph/duplicate-key" "a key stands twice in one map"
        "Of two entries with one key the second would win silently.";
    UnreadInput Warning "graph/unread-input" "a value of an input that nobody reads"
        "A `plan` reads `user_query` and `context` of its input. Trusted values are given to the run and not to a node: an input may come from a model or a stranger.";
    TrustDiffers Warning "graph/trust-differs" "calls are planned and made with other trusted parameters"
        "The run fills a trusted parameter, and what the model wrote for it is thrown away. If only the node that makes the calls trusts a parameter, the model's value is lost there. If only the node that plans them does, the value is never filled.";
    UnknownKey Error "graph/unknown-key" "a key that means nothing here"
        "Most often it is misspelt, and what it was meant to say would be ignored. Keys that begin with `x-` are yours, and so is everything under `metadata`.";
    WrongShape Error "graph/wrong-shape" "a value of the wrong kind"
        "The format says what each key holds: text, a number, a list or a map.";
    SecretInAddress Warning "graph/secret-in-address" "the address of a server holds a key"
        "Plans are shared, stored and shown. A key belongs into the environment of those who run the plan.";
    UnknownFormat Error "graph/unknown-format" "a version of the format that this program does not know"
        "`format` is 1; a later one may mean things that would be misread.";
    NoNodes Error "graph/no-nodes" "the plan has no nodes"
        "There is nothing to run.";
    MissingType Error "graph/missing-type" "a node without a type"
        "The type says what a node does.";
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
    ReservedId Error "graph/reserved-id" "an id that means something else"
        "`input` and `memory` name what a run was given.";
    MissingSetting Error "graph/missing-setting" "a node without a setting that its type needs"
        "A `set` node computes the values under `with.values`. A `wait` node waits for `with.ms` milliseconds, or until the time `with.until`.";
    ConflictingSettings Error "graph/conflicting-settings" "two settings of which a node may have one"
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
    RejectionIgnored Warning "graph/rejection-ignored" "a rejection that goes the same way as an approval"
        "What a person decided is a value like any other; when no edge asks for it, the run goes on as if nothing had been rejected.";
    MissingTool Error "graph/missing-tool" "a tool node that names no tool"
        "A node of type `tool` says which one in `tool` or `metadata.tool`.";
    UnknownTool Error "graph/unknown-tool" "a tool that no server offers"
        "Found when the tools are known: with `--server` or at the start of a run.";
    UnavailableTool Error "graph/unavailable-tool" "a tool that its server lists and this client can't call"
        "The server runs the tool only as a task of MCP, or describes it in a way that the protocol forbids. `stepgraph tools` says so, too. Found when the tools are known.";
    UnknownType Error "graph/unknown-type" "a type that nobody handles"
        "Neither a built-in type, nor a handler of the host, nor a tool of that name. Found when those are known.";
    UnknownModel Error "graph/unknown-model" "a model that the run was not given"
        "A node asks for `with.model`, or for `default`. Found when the models are known.";
    NoTools Warning "graph/no-tools" "an agent that can call nothing"
        "An agent lets a model call tools; without any it is an `llm` that takes more turns. Without `with.tools` it is offered all that the run has, which are known with `--server` or at the start of a run.";
    ReservedTool Error "graph/reserved-tool" "a tool whose name means something else"
        "A node of type `react` offers its model `SubmitPlan` beside the tools, so none of those may have that name.";
    ToolForType Warning "graph/tool-for-type" "a tool that is called where a type of that name is meant, perhaps"
        "`init`, `format_output`, `error_handler`, `terminal`, `validation` and `llm_call` are older names of built-in types. A connected tool of such a name goes before them: the node calls it.";
    IgnoredInput Warning "graph/ignored-input" "input on a node that ignores it"
        "Nodes of this type pass on what came before.";
    UnreachableNode Warning "graph/unreachable-node" "a node that no run can reach"
        "No path leads to it from the start.";
    EndlessLoop Error "graph/endless-loop" "a loop without a way out"
        "No node of the loop can leave it or end the run, so every run that enters it fails at its visit limit.";

    DeadEdge Warning "graph/dead-edge" "an edge that is never taken"
        "Edges are looked at in the order of the file, fallbacks last; whatever the nodes give, another edge is taken before this one.";
    NoEffect Warning "graph/no-effect" "a setting that changes nothing where it stands"
        "Nodes that only pass a value on neither wait nor fail, so there is nothing to try again.";
    ShadowedName Warning "graph/shadowed-name" "a node that hides one of a graph around its own"
        "`output.<name>` means the nearest node of that name, so nothing inside can refer to the other one.";

    TooManyProblems Warning "graph/too-many-problems" "more problems than are listed"
        "A plan that is broken all over gets the first hundred errors and the first hundred warnings; the rest is counted.";

    ConditionSyntax Error "condition/syntax" "a condition that can't be read"
        "A condition compares a reference with a literal, or is `default` or `always`.";
    ForeignOperator Error "condition/foreign-operator" "an operator of another language"
        "Conditions are compared with `==` and joined with `&&` and `||`. Everything after the first operator is the literal, so another language's operator would become part of it.";
    ReferenceAsText Warning "condition/reference-as-text" "text that looks like a misspelt reference"
        "Text without quotes on the right side is an expression if it begins with a root such as `last.` or `output.`. A misspelt root makes it text.";
    AmbiguousLiteral Warning "condition/ambiguous-literal" "a literal that may not be meant as it stands"
        "Everything after the first operator is the literal, even what looks like another condition or a word of another language; quotes say that it is meant so.";
    NeverTrue Error "condition/never-true" "a comparison that no value can satisfy"
        "What is compared is known from a tool's output schema, an answer schema, a declared input or a node's type: it never has that kind, or that value. It is a warning with `!=`, which always holds then, where only a node's type tells the kind, and for what `approve` gives, which a person may replace.";
    NeverHolds Warning "condition/never-holds" "a condition that can't hold"
        "What it asks for can't be true at once, so its edge is never taken.";
    TemplateSyntax Error "template/syntax" "a template that can't be read"
        "A template is `${reference}` or `${reference ?? other}`; a literal `${` is written `$${`.";
    ForeignTemplate Warning "template/foreign" "text that is a template in other languages"
        "`{{last}}` and `$ {last}` stand for themselves; a template is `${last}`. Where the text is meant, `with: {templates: false}` says so.";
    ExpressionSyntax Error "expression/syntax" "text that is not an expression"
        "The place is where parsing stopped. In a condition the code is `condition/syntax`, in a template `template/syntax`.";
    ExpressionUnsupported Error "expression/unsupported" "a part of CEL that JSON values do not need"
        "Expressions follow the Common Expression Language (CEL), without bytes, unsigned numbers, messages and optional values.";
    ExpressionTooDeep Error "expression/too-deep" "an expression with too many levels of nesting"
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
        "The output schema of a tool, the answer schema or the type of a node says which fields the value has.";
    ExpressionConstant Warning "expression/constant" "an expression whose result does not depend on data"
        "A comparison of two literals always has the same result.";
    ExpressionOverflow Error "expression/overflow" "a number that is too large"
        "Numbers are finite. An `int` has 64 bits.";
    ExpressionDivideByZero Error "expression/divide-by-zero" "a division by zero"
        "The node fails when it evaluates the expression. Test the divisor first, as in `last.n != 0 ? 10 / last.n : 0`.";
    ExpressionOutOfRange Error "expression/out-of-range" "a position outside a text"
        "Positions count characters from 0 up to the length of the text.";
    ExpressionInvalidValue Error "expression/invalid-value" "text that can't be converted, or an invalid pattern"
        "`int(\"x\")` and `last.text.matches(\"(\")` have no result.";
    ExpressionTooCostly Error "expression/too-costly" "an evaluation that takes too many steps or too much memory"
        "An evaluation takes at most 1 000 000 steps and makes at most 10 MB of text and lists. The node fails when it exceeds them.";
    UnknownRoot Error "reference/unknown-root" "a reference that begins with an unknown word"
        "A reference begins with `last`, `input`, `output`, `item`, `index`, `error`, `context` or `memory`.";
    NotInScope Error "reference/not-in-scope" "a reference to something that is not there at this place"
        "`item` and `index` exist inside `map`.";
    UnknownOutput Error "reference/unknown-output" "an output that no node has"
        "Outputs may also come from handlers and from the caller. While those are not known, this is a warning, and told where a name much like it exists.";
    NeverThere Warning "reference/never-there" "a reference to what is there on no path"
        "No path leads from the node to the place that speaks of its output. A template then fails its node, a comparison never holds. Only the caller or a handler could give an output of that name.";
    MayBeMissing Warning "reference/may-be-missing" "a template that speaks of what is not there on every path"
        "On the path that is shown the node has not run when its output is asked for, or has failed, so the template fails its node. `??` says what stands in; an edge that asks for `.exists` lets only those runs come that have it.";

    SchemaInvalid Error "schema/invalid" "a schema that can't be used"
        "JSON Schema, draft 2020-12: a keyword of the wrong form, or a reference that leads out of the schema. Nothing is fetched.";
    InvalidArguments Error "tool/invalid-arguments" "arguments that a tool does not take"
        "Constants and names are held against the tool's schema; what templates will put there is not judged. Found when the tools are known.";
    NotAList Error "graph/not-a-list" "a `map` over what is no list"
        "A `map` runs its graph for each element of its input. What a node gives is known from its tool's output schema, its answer schema or its type.";
    DefaultInvalid Error "schema/invalid-default" "a default that its own schema refuses"
        "A run that gives no value takes the default of the input's declaration, and is refused then.";
    ToolSchema Warning "tool/invalid-schema" "a tool whose schema can't be used"
        "The server describes the tool's arguments in a way that can't be read, so they are not checked. Told once for each tool.";
    UnknownPath Error "reference/unknown-path" "a path into a value that has no such part"
        "What a node gives is known from its tool's output schema, its answer schema or its type. A template with such a path fails its node, a comparison never holds. Where it may be missing, say so with `??` or `.exists`.";

    UnknownInTest Error "test/unknown-node" "a test of a node that is not there"
        "Tests speak of nodes by their ids, in `path` of those of the plan's own graph. The test can't pass, but a test never affects a run, so the plan can still be run.";
    NeverPasses Error "test/never-passes" "a test that can't pass"
        "Whatever its stubs answer: no run of the plan takes that input, goes that way or ends so. A test never affects a run, so the plan can still be run.";
    UnusedDecision Warning "test/unused-decision" "a decision in a test that nobody asks for"
        "Decisions go by the id of the node that asks, or by the name of its call, as in `ask:1:1`. Types such as `log` and `llm` ask nobody, and neither does a node for which a stub of the test stands in.";
    UnusedStub Warning "test/unused-stub" "a stub in a test that stands in for nothing"
        "Stubs under `types`, `tools` and `models` go by the type, the tool or the model that a node names.";
    StubShape Error "stub/wrong-shape" "a value of a stub that is of the wrong kind"
        "Stubs stand in for handlers, tools and models, in a file of their own or in a test. A stub is `echo`, `input`, `last`, or a map with one of `return`, `sequence`, `by` and `fail`.";
    StubKey Error "stub/unknown-key" "a key that means nothing in a stub"
        "Most often it is misspelt, and what it was meant to say would be ignored. Keys that begin with `x-` are yours.";
    StubContradiction Error "stub/contradiction" "two keys of a stub that can't both hold"
        "A stub does one thing: it answers, goes through a sequence, chooses by an argument, or fails.";
    StubResult Error "stub/wrong-result" "a stub that returns what its tool never would"
        "What a tool gives is held to its `output_schema`, so a run would fail at each call. What a model says is held to `with.schema` of the node that asks it. Write `fail` to try out how a plan deals with a failure.";
    StubArgument Error "stub/unknown-argument" "a stub that chooses by an argument which is never there"
        "`by` names an argument of the call. Where `input_schema` names all that the tool takes, another is never given; a model is given none.";
    DuplicateTest Warning "test/duplicate-name" "two tests of one name"
        "Tests are told apart by their names.";

    PlanNotJson Error "plan/not-json" "a tool plan that is no JSON"
        "A model that plans answers with a JSON object of `tool_calls`, `reasoning` and the like, and nothing around it but a fence.";
    PlanTooManyCalls Error "plan/too-many-calls" "a tool plan of more calls than one may have"
        "A tool plan has 1 000 calls at most. More than that are no plan but a loop: a `map` node makes it, within the bounds of the run.";
    PlanUnknownTool Error "plan/unknown-tool" "a planned call of a tool that is not there"
        "A tool plan can call the tools of the catalogue it was made for.";
    PlanMissingParameter Error "plan/missing-parameter" "a planned call without a parameter that its tool needs"
        "The tool's schema says which parameters must be given.";
    PlanUnknownParameter Error "plan/unknown-parameter" "a planned call with a parameter that its tool does not know"
        "A schema that names parameters takes no others unless it says so, by `additionalProperties` or `patternProperties`.";
    PlanInvalidType Error "plan/invalid-type" "a planned value of the wrong kind"
        "Kinds are held against the tool's schema; what a reference will give is not judged.";
    PlanInvalidValue Error "plan/invalid-value" "a planned value that its tool does not take"
        "The kind is right, but the tool's schema asks for more, such as one of some words or a bound.";
    PlanBadReference Error "plan/bad-reference" "a reference in a planned call that can't be followed"
        "A parameter may refer to the result of a call before its own, as in `${call[0].items}`, and to nothing else; where the tool says what it gives, to nothing that it does not speak of.";
    PlanInvalidContext Error "plan/invalid-context" "a trusted value of the run is not what a tool takes"
        "The run's context gives the value, so no other answer of the model mends this. The message does not say the value: models read it.";
    PlanMissingContext Error "plan/missing-context" "a planned call that needs a trusted value the run was not given"
        "Trusted parameters are filled from `context` and never by a model; without them nothing is called.";
    PlanUntrusted Warning "plan/untrusted-value" "a trusted parameter that the model has filled itself"
        "What a model writes for a trusted parameter is thrown away: it could be anybody's.";

    EditUnreadable Error "edit/unreadable" "a change of a text that can't be read"
        "An edit keeps everything that it does not touch, so it must know what all of the text says.";
    EditNowhere Error "edit/no-such-place" "a change of something that is not there"
        "What is changed is named by its keys and positions in the document as it is.";
    EditShared Error "edit/shared" "a change of something that stands for something else, too"
        "An anchor names a value that aliases repeat: changing it there would change it everywhere.";
    EditNotInPlace Error "edit/not-in-place" "a change that the text can't take as it is written"
        "Every edit is read back; one that would not say what was meant, or nothing but that, is not made.";
    EditBad Error "edit/bad-edit" "an edit of a plan that says nothing that could be done"
        "An edit names its operation in `op` and has the fields of that operation, as `docs/editing.md` lists them.";
    EditBadName Error "edit/bad-name" "a name that no node can have"
        "`/` separates graphs and `:` counts visits; `input` and `memory` name what a run is given.";
    EditNameTaken Error "edit/name-taken" "a name that another node has"
        "Keys are unique in a graph, and so are the ids by which outputs are named.";
    EditCaptured Error "edit/captured" "a name by which a reference would come to mean something else"
        "A reference means the nearest node of its name. No edit may change what a reference means, so another name has to be chosen.";
    EditAmbiguous Error "edit/ambiguous" "a name that may mean several nodes where one of them is renamed"
        "Nodes of different graphs may share a name. Where text speaks of that name alone, nobody can tell which of them it means.";
    EditBlocked Error "edit/in-the-way" "something that an edit would change the meaning of"
        "An edit of the structure keeps what a run does. What would be done otherwise stands in its way and is pointed to.";
    AuthorNoPlan Error "author/no-plan" "an answer that holds no workflow"
        "A model that writes a plan answers with one JSON or YAML document that has `nodes`, or with a patch of the plan before.";
    AuthorBadPatch Error "author/bad-patch" "a patch that can't be applied"
        "A patch is a map of what changes, and changes a plan that is there.";
    AuthorNotBrowsed Error "author/not-browsed" "a generated plan that uses what was not chosen for it"
        "A generated plan may use the components that were chosen for the request, and structure. An agent in it names its tools.";
    AuthorServer Error "author/server" "a generated plan that names a server"
        "Which servers there are is said by the person and never by a model.";
    AuthorInput Error "author/undeclared-input" "a generated plan that takes from its input what is not there"
        "What a plan takes from its input stands in its `inputs`. In a graph inside a node `input` is what that graph is given, in `do` the element.";
    AuthorTrusted Error "author/trusted-value" "a generated plan that meddles with trusted values"
        "Trusted parameters are filled from `context`, and trusted values go nowhere else.";
    AuthorMemory Error "author/memory" "a generated plan that reads memory"
        "Memory is given by a caller of the run. Nobody gives any to a plan that was generated for a request.";
    AuthorNoChoice Error "author/no-choice" "an answer that chooses no components"
        "After the last attempt no component could be read from the answer of the model. Whether the request can be met is not known.";
    AuthorLeftOut Warning "author/left-out" "a generated plan without a component of its chain"
        "The plan in words says which components the workflow uses, and the workflow lacks one of them. It is an error while the model may mend it.";
    AuthorUnguarded Warning "author/unguarded" "a generated plan that calls a tool without the approval before it"
        "The plan in words puts an approval before the tool. In the workflow a way leads to the tool past the approval. It is an error while the model may mend it.";
    AuthorStep Warning "author/unserved-step" "a requirement that no node of a generated plan serves"
        "Each node names in `metadata.step` the requirement that it serves, by its number. It is an error while the model may mend it.";
    AuthorUnread Warning "author/unread-value" "a value of the request that no node of a generated plan reads"
        "The value was found in the request. No node reads it as an input, and no node holds it as text. It is an error while the model may mend it.";

    ImportUnreadable Error "import/unreadable" "a text that is not in the language it is read as"
        "Nothing can be taken over: no flowchart begins, or the text is no workflow of that language.";
    ImportSyntax Warning "import/syntax" "a line that can't be read"
        "It is left out, and reading goes on after it.";
    ImportInvalid Warning "import/invalid" "something that its own language does not allow there"
        "It is left out, or taken as what it most probably means.";
    ImportExact Hint "import/exact" "something that has an equal in a plan"
        "The plan says the same.";
    ImportAppearance Hint "import/appearance" "looks, which a plan does not have"
        "Colours, classes and links of a drawing change nothing in a run.";
    ImportLabel Warning "import/label" "words on an arrow that became a condition"
        "A run goes there when the output before is exactly these words; write down what is really asked.";
    ImportRemark Hint "import/remark" "words on the only arrow of a node"
        "They decide nothing, so they became a comment above the edge.";
    ImportFanOut Warning "import/fan-out" "several arrows without words that leave one node"
        "A run goes one way at a time and takes the first; `parallel` does several things at once.";
    ImportFlattened Warning "import/flattened" "a frame that is no graph of its own"
        "A graph inside a node has one way in, and its node goes on when it has ended. A frame that is entered or left in other ways is left out, what stands in it is not.";
    ImportLoop Warning "import/loop" "a loop that nothing ends"
        "A plan's loops have a way out, so the arrow that closes it got a condition; write down when the loop is to go on.";
    ImportStart Warning "import/start" "a beginning that had to be guessed"
        "A run begins at one node; where a drawing has several without an arrow to them, or none, it is the first of them.";
    ImportPlaceholder Warning "import/placeholder" "a task that somebody has to carry out"
        "The plan has a node for it, of a type that the host handles, or a tool.";
    ImportApproximated Warning "import/approximated" "something that a plan says a little differently"
        "The report tells the difference.";
    ImportExpression Warning "import/expression" "an expression that has no equal"
        "References reach into values and conditions compare them; an expression that computes is kept as text, or left out.";
    ImportLost Warning "import/no-equal" "something that has no equal in a plan"
        "It is left out.";

    UnknownHandler Warning "run/unknown-handler" "a handler for a node that is not there"
        "Handlers by id go by the node's id.";
    UnknownAllowed Warning "run/unknown-allowed" "leave to call a tool that is not there"
        "`allow` names tools that are called without asking. A misspelt name is leave for nothing, and a person is asked. The command refuses to begin.";
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
