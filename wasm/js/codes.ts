/** The codes of diagnostics. Generated from the table in `core/text/src/diagnostic/code.rs`. */
export type Code =
  /** the file is not UTF-8 text */
  | "source/encoding"
  /** the file is larger than a plan may be */
  | "source/too-large"
  /** the text is neither YAML nor JSON */
  | "source/syntax"
  /** lists and maps are nested too deeply */
  | "source/too-deep"
  /** aliases expand to too much */
  | "source/too-many-aliases"
  /** an alias names no anchor */
  | "source/unknown-alias"
  /** the file contains more than one document */
  | "source/several-documents"
  /** a key is neither text nor a number */
  | "source/key-not-text"
  /** a tag that a plan can't use */
  | "source/tag"
  /** a number that JSON does not have */
  | "source/not-finite"
  /** a whole number that JavaScript rounds */
  | "source/unsafe-number"
  /** a duplicate key in a map */
  | "graph/duplicate-key"
  /** an input value that is never read */
  | "graph/unread-input"
  /** calls are planned and made with other trusted parameters */
  | "graph/trust-differs"
  /** an unknown key */
  | "graph/unknown-key"
  /** a value of the wrong kind */
  | "graph/wrong-shape"
  /** a server URL that contains a key */
  | "graph/secret-in-address"
  /** an unsupported version of the format */
  | "graph/unknown-format"
  /** the plan has no nodes */
  | "graph/no-nodes"
  /** a node without a type */
  | "graph/missing-type"
  /** an edge without `from` or `to` */
  | "graph/missing-endpoint"
  /** an edge or a layout entry names a node that is not there */
  | "graph/unknown-node"
  /** `start` names a node that is not there */
  | "graph/unknown-start"
  /** no node can be the start */
  | "graph/no-start"
  /** several nodes could be the start */
  | "graph/ambiguous-start"
  /** two nodes with one id */
  | "graph/duplicate-id"
  /** a reserved id */
  | "graph/reserved-id"
  /** a node without a setting that its type needs */
  | "graph/missing-setting"
  /** two settings that exclude each other */
  | "graph/conflicting-settings"
  /** a node without the graph it is to run */
  | "graph/nothing-inside"
  /** a path to another file that is not allowed */
  | "file/invalid-path"
  /** a file outside the folder of the plan */
  | "file/outside-folder"
  /** a file whose name does not end like a plan's */
  | "file/unknown-ending"
  /** a file whose text the host did not give */
  | "file/not-given"
  /** a file that can't be read */
  | "file/unreadable"
  /** a file that runs itself */
  | "file/circle"
  /** more files than a plan may run */
  | "file/too-many"
  /** files that are too large together */
  | "file/too-large"
  /** a file that needs a server that the plan does not have */
  | "file/missing-server"
  /** a file with a limit that the plan does not keep */
  | "file/looser-limit"
  /** a file that needs an input that its node does not give */
  | "file/missing-input"
  /** an input of another type than the file declares */
  | "file/invalid-input"
  /** a rejection that leads to the same calls as an approval */
  | "graph/rejection-ignored"
  /** a tool node that names no tool */
  | "graph/missing-tool"
  /** a tool that no server offers */
  | "graph/unknown-tool"
  /** a tool that its server lists and this client can't call */
  | "graph/unavailable-tool"
  /** a type without a handler */
  | "graph/unknown-type"
  /** a model that the run does not have */
  | "graph/unknown-model"
  /** an agent that can call nothing */
  | "graph/no-tools"
  /** a tool whose name means something else */
  | "graph/reserved-tool"
  /** a tool that is called where possibly a type of that name is intended */
  | "graph/tool-for-type"
  /** input on a node that ignores it */
  | "graph/ignored-input"
  /** a node that no run can reach */
  | "graph/unreachable-node"
  /** a loop without an exit */
  | "graph/endless-loop"
  /** an edge that is never taken */
  | "graph/dead-edge"
  /** a setting without effect */
  | "graph/no-effect"
  /** a retry of a call that may have had its effect */
  | "graph/repeated-call"
  /** a node that hides one of a graph around its own */
  | "graph/shadowed-name"
  /** more problems than are listed */
  | "graph/too-many-problems"
  /** a condition that can't be read */
  | "condition/syntax"
  /** an operator of another language */
  | "condition/foreign-operator"
  /** text that looks like a misspelt reference */
  | "condition/reference-as-text"
  /** a literal that may not be intended */
  | "condition/ambiguous-literal"
  /** a comparison that no value can satisfy */
  | "condition/never-true"
  /** a condition that can't hold */
  | "condition/never-holds"
  /** a template that can't be read */
  | "template/syntax"
  /** text that is a template in other languages */
  | "template/foreign"
  /** text that is not an expression */
  | "expression/syntax"
  /** a part of CEL that JSON values do not need */
  | "expression/unsupported"
  /** an expression, or data, with too many levels of nesting */
  | "expression/too-deep"
  /** an expression that is too long */
  | "expression/too-long"
  /** a function that does not exist */
  | "expression/unknown-function"
  /** a function with too few or too many arguments */
  | "expression/arguments"
  /** a value whose type the operator or function does not accept */
  | "expression/type"
  /** a field that the value never has */
  | "expression/unknown-field"
  /** an expression whose result does not depend on data */
  | "expression/constant"
  /** a calculation with a value that may be null */
  | "expression/may-be-null"
  /** a number or a time that is too large */
  | "expression/overflow"
  /** a division by zero */
  | "expression/divide-by-zero"
  /** a position outside a text or a list */
  | "expression/out-of-range"
  /** a value that a function can't use, such as an invalid pattern */
  | "expression/invalid-value"
  /** an evaluation that takes too many steps or too much memory */
  | "expression/too-costly"
  /** a reference that begins with an unknown word */
  | "reference/unknown-root"
  /** a reference to something that is not available there */
  | "reference/not-in-scope"
  /** an output that no node has */
  | "reference/unknown-output"
  /** a reference without a value on any path */
  | "reference/never-there"
  /** a template that refers to a value that is not available on every path */
  | "reference/may-be-missing"
  /** a schema that can't be used */
  | "schema/invalid"
  /** arguments that a tool does not accept */
  | "tool/invalid-arguments"
  /** a `map` over another value than a list */
  | "graph/not-a-list"
  /** a default that its own schema refuses */
  | "schema/invalid-default"
  /** a tool whose schema can't be used */
  | "tool/invalid-schema"
  /** a path into a value that has no such part */
  | "reference/unknown-path"
  /** a test of a node that is not there */
  | "test/unknown-node"
  /** a test that can't pass */
  | "test/never-passes"
  /** a decision in a test that no node asks for */
  | "test/unused-decision"
  /** an unused stub in a test */
  | "test/unused-stub"
  /** a value of a stub that is of the wrong kind */
  | "stub/wrong-shape"
  /** an unknown key in a stub */
  | "stub/unknown-key"
  /** two conflicting keys of a stub */
  | "stub/contradiction"
  /** a stub that returns what its tool never would */
  | "stub/wrong-result"
  /** a stub that chooses by an argument which is never there */
  | "stub/unknown-argument"
  /** two tests of one name */
  | "test/duplicate-name"
  /** a tool plan that is no JSON */
  | "plan/not-json"
  /** a tool plan with too many calls */
  | "plan/too-many-calls"
  /** a planned call of a tool that is not there */
  | "plan/unknown-tool"
  /** a planned call without a parameter that its tool needs */
  | "plan/missing-parameter"
  /** a planned call with an undeclared parameter */
  | "plan/unknown-parameter"
  /** a planned value of the wrong kind */
  | "plan/invalid-type"
  /** a planned value that its tool does not accept */
  | "plan/invalid-value"
  /** a reference in a planned call that can't be followed */
  | "plan/bad-reference"
  /** a trusted value of the run that a tool does not accept */
  | "plan/invalid-context"
  /** a planned call that needs a trusted value the run does not have */
  | "plan/missing-context"
  /** a trusted parameter that the model has filled itself */
  | "plan/untrusted-value"
  /** a change of a text that can't be read */
  | "edit/unreadable"
  /** a change of something that is not there */
  | "edit/no-such-place"
  /** a change of a value that aliases repeat */
  | "edit/shared"
  /** a change that the notation of the text does not allow */
  | "edit/not-in-place"
  /** an edit that can't be applied to any plan */
  | "edit/bad-edit"
  /** a name that no node can have */
  | "edit/bad-name"
  /** a name that another node has */
  | "edit/name-taken"
  /** a name that would change the meaning of a reference */
  | "edit/captured"
  /** an ambiguous name in a rename */
  | "edit/ambiguous"
  /** something whose meaning an edit would change */
  | "edit/in-the-way"
  /** an answer that contains no workflow */
  | "author/no-plan"
  /** a patch that can't be applied */
  | "author/bad-patch"
  /** a generated plan that uses a tool or node type outside its selection */
  | "author/not-browsed"
  /** a generated plan that names a server */
  | "author/server"
  /** a generated plan that reads an undeclared input */
  | "author/undeclared-input"
  /** a generated plan that misuses trusted values */
  | "author/trusted-value"
  /** a generated plan that reads memory */
  | "author/memory"
  /** an answer that chooses no components */
  | "author/no-choice"
  /** a generated plan without a component of its chain */
  | "author/left-out"
  /** a generated plan that calls a tool without the approval before it */
  | "author/unguarded"
  /** a requirement that no node of a generated plan serves */
  | "author/unserved-step"
  /** a value of the request that no node of a generated plan reads */
  | "author/unread-value"
  /** a text that is not in the language it is read as */
  | "import/unreadable"
  /** a line that can't be read */
  | "import/syntax"
  /** something that its own language does not allow there */
  | "import/invalid"
  /** a construct that a plan supports */
  | "import/exact"
  /** an appearance, which a plan does not have */
  | "import/appearance"
  /** text on an arrow that became a condition */
  | "import/label"
  /** text on the only arrow of a node */
  | "import/remark"
  /** several arrows without text that leave one node */
  | "import/fan-out"
  /** a subgraph that is no graph of its own */
  | "import/flattened"
  /** an imported loop without an exit */
  | "import/loop"
  /** a guessed start */
  | "import/start"
  /** a task that needs a handler */
  | "import/placeholder"
  /** a construct that a plan expresses a little differently */
  | "import/approximated"
  /** an unsupported expression */
  | "import/expression"
  /** an unsupported construct */
  | "import/no-equal"
  /** a handler for a node that is not there */
  | "run/unknown-handler"
  /** permission to call an unknown tool */
  | "run/unknown-allowed";
