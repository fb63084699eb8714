//! Function names from other languages.

/// The replacement for another language's name.
pub fn foreign_name(name: &str) -> Option<&'static str> {
    let write = match name {
        "len" | "length" | "count" | "strlen" => "size(x)",
        "toLowerCase" | "lower" | "lowercase" | "ascii_downcase" | "downcase" => "x.lowerAscii()",
        "toUpperCase" | "upper" | "uppercase" | "ascii_upcase" | "upcase" => "x.upperAscii()",
        "includes" | "has_key" | "hasOwnProperty" | "member" => "x.contains(y)` or `y in x",
        "startswith" | "hasPrefix" | "begins_with" => "x.startsWith(y)",
        "endswith" | "hasSuffix" | "ends_with" => "x.endsWith(y)",
        "strip" | "trimStart" | "trimEnd" | "ltrim" | "rtrim" => "x.trim()",
        "substr" => "text.substring(from, to)",
        "avg" | "average" | "mean" => "list.sum() / size(list)",
        "total" | "add" => "list.sum()",
        "reduce" | "fold" => "list.map(e, value).sum()",
        "sorted" | "orderBy" | "order_by" | "sort_by" => "list.sortBy(e, e.field)` or `list.sort()",
        "unique" | "uniq" | "dedupe" => "list.distinct()",
        "flat" => "list.flatten()",
        "reversed" => "list.reverse()",
        "take" | "limit" => "list.slice(0, 3)",
        "replaceAll" | "gsub" | "sub" => "x.replace(old, new)",
        "match" | "test" | "regex" | "search" | "fullmatch" => "x.matches(pattern)",
        "find" | "findFirst" => "x.filter(e, condition)[0]",
        "every" => "x.all(e, condition)",
        "some" | "any" | "anyMatch" => "x.exists(e, condition)",
        "select" | "where" => "x.filter(e, condition)",
        "existsOne" => "x.exists_one(e, condition)",
        "collect" | "forEach" => "x.map(e, value)",
        "exists" | "isDefined" | "defined" | "isset" => "has(x.field)",
        "parseInt" | "toInt" | "integer" => "int(x)",
        "parseFloat" | "toNumber" | "tonumber" | "number" | "float" | "Number" => "double(x)",
        "str" | "toString" | "tostring" | "String" | "text" => "string(x)",
        "boolean" | "Boolean" | "toBool" => "bool(x)",
        "typeof" | "typeOf" => "type(x)",
        "min" | "Math.min" | "math.min" => "math.least(x, y)` or `math.least(list)",
        "max" | "Math.max" | "math.max" => "math.greatest(x, y)` or `math.greatest(list)",
        "concat" => "x + y",
        "coalesce" | "default" | "orElse" | "getOrElse" => "x ?? y",
        "if" | "iff" | "cond" => "condition ? x : y",
        "not" => "!x",
        "date" | "datetime" | "toDate" => "timestamp(x)",
        "at" | "nth" | "get" => "x[0]` or `x[size(x) - 1]",
        "getYear" | "year" => "x.getFullYear()",
        "getDays" | "days" => "x.getHours() / 24",
        "first" | "head" => "x[0]",
        "last" => "x[size(x) - 1]",
        "isNull" | "is_null" | "isnull" | "isNil" => "x == null` or `!has(x)",
        "append" | "push" => "list + [x]",
        "toFixed" | "toPrecision" => "round(x * 100) / 100",
        "isEmpty" | "is_empty" | "empty" => "size(x) == 0",
        "keys" => "x.map(key, key)",
        "values" => "x.map(key, x[key])",
        _ => return None,
    };
    Some(write)
}

/// The replacement for another language's name with a function of an element, as in `list.min(x, x.price)`.
pub fn foreign_macro(name: &str) -> Option<&'static str> {
    Some(match name {
        "min" | "minBy" | "min_by" => "list.sortBy(x, x.field)[0]",
        "max" | "maxBy" | "max_by" => "list.sortBy(x, -x.field)[0]",
        "sort" => "list.sortBy(x, x.field)",
        "sum" => "list.map(x, x.field).sum()",
        "count" | "countIf" | "count_if" => "size(list.filter(x, condition))",
        _ => return None,
    })
}

/// Help for a word of another language that is neither a root nor a function.
pub fn foreign_root(word: &str) -> Option<&'static str> {
    Some(match word {
        "if" | "unless" | "then" | "else" | "when" => "write `condition ? value : other value`",
        "for" | "foreach" => "write `list.map(x, value)` or `list.filter(x, condition)`",
        "function" | "lambda" | "fn" | "def" => "write `list.map(x, value)` or `list.filter(x, condition)`",
        "let" | "var" | "const" | "return" | "yield" => {
            "an expression is one value: name others in a `set` node"
        }
        "typeof" => "write `type(x)`",
        "instanceof" | "isinstance" => "write `type(x) == string`",
        "between" => "write `x >= 1 && x <= 3`",
        "like" | "ilike" | "regexp" | "rlike" => "write `text.contains(part)` or `text.matches(pattern)`",
        "xor" => "write `a != b`",
        "div" => "write `/`",
        "new" => "write a value, as in `timestamp(x)` or `[1, 2]`",
        "Date" => "an expression reads no clock: pass the time as an input, and write `timestamp(x)`",
        "JSON" => "a list or a map becomes JSON within a text, as in `Items: ${last.items}`",
        "Object" => "write `map.map(key, key)` for the keys of a map",
        _ => return None,
    })
}

/// Help for a name that other languages begin references with.
pub fn foreign_reference(word: &str) -> Option<&'static str> {
    Some(match word {
        "this" | "self" | "ctx" | "state" | "result" | "prev" | "previous" | "response" => {
            "write `last` for the result of the node before, or `input` for the input of the run"
        }
        "env" | "process" | "secrets" | "vars" => {
            "a plan reads nothing of its machine: have it given as an input, or in the run's `context`"
        }
        _ => return None,
    })
}

/// The constant that other languages write so.
pub fn foreign_constant(word: &str) -> Option<&'static str> {
    Some(match word {
        "True" | "TRUE" => "true",
        "False" | "FALSE" => "false",
        "None" | "undefined" | "nil" | "NULL" | "Null" => "null",
        _ => return None,
    })
}

/// Help for a name without replacement.
pub fn missing_function(name: &str) -> &'static str {
    match name {
        "now" | "today" | "uuid" | "random" | "rand" => {
            "an expression returns the same for the same data: pass the value as an input"
        }
        "stringify" | "toJson" | "toJSON" | "tojson" | "dumps" => {
            "a list or a map becomes JSON within a text, as in `Items: ${last.items}`"
        }
        "pow" | "sqrt" | "exp" | "log" => "no function calculates powers and roots: multiply, or use a tool",
        "groupBy" | "group_by" | "zip" => {
            "no function groups or pairs elements: use a tool or a handler for it"
        }
        _ => "see the list of functions in docs/expressions.md",
    }
}
