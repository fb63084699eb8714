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
        "slice" | "substr" => "text.substring(from, to)` or `list.filter(x, condition)",
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
        "at" | "nth" | "get" | "first" | "head" => "x[0]",
        "last" => "x[size(x) - 1]",
        "isEmpty" | "is_empty" | "empty" => "size(x) == 0",
        "keys" => "x.map(key, key)",
        "values" => "x.map(key, x[key])",
        _ => return None,
    };
    Some(write)
}

/// Help for a name without replacement.
pub fn missing_function(name: &str) -> &'static str {
    match name {
        "now" | "today" | "uuid" | "random" | "rand" => {
            "an expression returns the same for the same data: pass the value as an input"
        }
        "sum" | "reduce" | "fold" | "avg" | "average" | "mean" | "sort" | "sortBy" | "sorted" | "orderBy"
        | "reverse" | "unique" | "distinct" | "groupBy" | "flatten" | "flat" | "zip" => {
            "no function adds up or reorders a list: use a tool or a handler for it"
        }
        _ => "see the list of functions in docs/expressions.md",
    }
}
