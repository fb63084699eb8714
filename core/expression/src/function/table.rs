//! Each row defines enum variant, parser's name, types, completion and docs.

use super::{Docs, Form};

macro_rules! functions {
    ($($variant:ident $form:ident $name:literal $signatures:literal $summary:literal $example:literal $result:literal;)*) => {
        /// A row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Function { $(#[doc = $summary] $variant,)* }

        impl Function {
            /// In table order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            // Each property has its own `match`, so a program that never reads the docs does not contain
            // them.

            /// Name or operator.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Its notation.
            pub fn form(self) -> Form {
                match self { $(Self::$variant => Form::$form,)* }
            }

            /// As `docs/expressions.md` shows.
            pub fn signature_text(self) -> &'static str {
                match self { $(Self::$variant => $signatures,)* }
            }

            /// Summary and example.
            pub fn docs(self) -> Docs {
                let (summary, example, result) = match self { $(Self::$variant => ($summary, $example, $result),)* };
                Docs { summary, example, result }
            }
        }
    };
}

functions! {
    Select Operator "." "(map(a)) -> a"
        "Returns the field of a map." "last.title" r#""Green tea""#;
    Index Operator "[]" "(list(a), int) -> a; (map(a), string) -> a"
        "Returns the element at a position, or the value of a key." "last.items[1].name" r#""cup""#;
    Not Operator "!" "(bool) -> bool"
        "Negates a condition." "!(last.count > 5)" "true";
    Negate Operator "-" "(int) -> int; (number) -> double"
        "Changes the sign of a number." "-last.count" "-3";
    Multiply Operator "*" "(int, int) -> int; (number, number) -> double"
        "Multiplies." "last.count * 2" "6";
    Divide Operator "/" "(int, int) -> int; (number, number) -> double"
        "Divides. Two `int` give a whole number." "last.count / 2" "1.5";
    Modulo Operator "%" "(int, int) -> int; (number, number) -> double"
        "Returns the remainder of a division of whole numbers." "last.count % 2" "1";
    Add Operator "+" "(int, int) -> int; (number, number) -> double; (string, string) -> string; (list(a), list(a)) -> list(a); (timestamp, duration) -> timestamp; (duration, timestamp) -> timestamp; (duration, duration) -> duration"
        "Adds numbers, joins texts or lists, moves a timestamp." r#"last.title + "!""# r#""Green tea!""#;
    Subtract Operator "-" "(int, int) -> int; (number, number) -> double; (timestamp, timestamp) -> duration; (timestamp, duration) -> timestamp; (duration, duration) -> duration"
        "Subtracts numbers, timestamps and durations." "last.count - 1" "2";
    Less Operator "<" "(number, number) -> bool; (string, string) -> bool; (bool, bool) -> bool; (timestamp, timestamp) -> bool; (duration, duration) -> bool"
        "Tests whether the left value is smaller." "last.count < 5" "true";
    LessEqual Operator "<=" "(number, number) -> bool; (string, string) -> bool; (bool, bool) -> bool; (timestamp, timestamp) -> bool; (duration, duration) -> bool"
        "Tests whether the left value is smaller or equal." "last.count <= 3" "true";
    Greater Operator ">" "(number, number) -> bool; (string, string) -> bool; (bool, bool) -> bool; (timestamp, timestamp) -> bool; (duration, duration) -> bool"
        "Tests whether the left value is greater." "last.items[0].price > last.items[1].price" "false";
    GreaterEqual Operator ">=" "(number, number) -> bool; (string, string) -> bool; (bool, bool) -> bool; (timestamp, timestamp) -> bool; (duration, duration) -> bool"
        "Tests whether the left value is greater or equal." "last.count >= 3" "true";
    Equal Operator "==" "(dyn, dyn) -> bool"
        "Tests whether two values are equal, lists and maps included." r#"last.tags == ["hot", "green"]"# "true";
    NotEqual Operator "!=" "(dyn, dyn) -> bool"
        "Tests whether two values differ." "last.count != 3" "false";
    In Operator "in" "(a, list(a)) -> bool; (string, map(dyn)) -> bool"
        "Tests whether a list has an element, or a map a key." r#""hot" in last.tags"# "true";
    And Operator "&&" "(bool, bool...) -> bool"
        "Tests whether all conditions hold." r#"last.count > 1 && "hot" in last.tags"# "true";
    Or Operator "||" "(bool, bool...) -> bool"
        "Tests whether one of the conditions holds." "last.count > 5 || last.count < 4" "true";
    Coalesce Operator "??" "(a, a...) -> a"
        "Returns the first value that is neither missing nor null." r#"last.note ?? "no note""# r#""no note""#;
    Conditional Operator "?:" "(bool, a, a) -> a"
        "Returns one of two values." r#"last.count > 1 ? "many" : "one""# r#""many""#;

    Size Function "size" "(string) -> int; (list(dyn)) -> int; (map(dyn)) -> int; string.() -> int; list(dyn).() -> int; map(dyn).() -> int"
        "Counts the characters of a text, the elements of a list or the keys of a map." "size(last.items)" "2";
    Has Macro "has" "(dyn) -> bool"
        "Tests whether a path leads to a value. `null` is a value." "has(last.colour)" "false";
    Contains Function "contains" "string.(string) -> bool; list(a).(a) -> bool; map(dyn).(string) -> bool"
        "Tests whether a text has a part, a list an element or a map a key." r#"last.title.contains("tea")"# "true";
    StartsWith Function "startsWith" "string.(string) -> bool"
        "Tests how a text begins." r#"last.title.startsWith("Green")"# "true";
    EndsWith Function "endsWith" "string.(string) -> bool"
        "Tests how a text ends." r#"last.title.endsWith("tea")"# "true";
    Matches Function "matches" "string.(string) -> bool; (string, string) -> bool"
        "Tests whether a part of a text matches a pattern in RE2 syntax." r#"last.title.matches("^[A-Z]")"# "true";
    LowerAscii Function "lowerAscii" "string.() -> string"
        "Changes the letters A to Z to small letters." "last.title.lowerAscii()" r#""green tea""#;
    UpperAscii Function "upperAscii" "string.() -> string"
        "Changes the letters a to z to capitals." "last.title.upperAscii()" r#""GREEN TEA""#;
    Trim Function "trim" "string.() -> string"
        "Removes white space at both ends." r#"" tea ".trim()"# r#""tea""#;
    Split Function "split" "string.(string, int?) -> list(string)"
        "Splits a text at a separator, into at most so many parts." r#"last.title.split(" ")"# r#"["Green", "tea"]"#;
    Join Function "join" "list(string).(string?) -> string"
        "Joins texts with a separator." r#"last.tags.join(", ")"# r#""hot, green""#;
    Replace Function "replace" "string.(string, string, int?) -> string"
        "Replaces each occurrence of a text, or the first so many." r#"last.title.replace("tea", "mint")"# r#""Green mint""#;
    Substring Function "substring" "string.(int, int?) -> string"
        "Returns the characters from one position up to another." "last.title.substring(0, 5)" r#""Green""#;
    IndexOf Function "indexOf" "string.(string, int?) -> int"
        "Returns the first position of a text, from a position on, or -1." r#"last.title.indexOf("tea")"# "6";
    LastIndexOf Function "lastIndexOf" "string.(string, int?) -> int"
        "Returns the last position of a text, up to a position, or -1." r#"last.title.lastIndexOf("e")"# "7";
    CharAt Function "charAt" "string.(int) -> string"
        "Returns the character at a position." "last.title.charAt(0)" r#""G""#;
    Sum Function "sum" "list(int).() -> int; list(number).() -> double; list(duration).() -> duration"
        "Adds up the numbers or durations of a list. An empty list gives 0." "last.items.map(x, x.price).sum()" "16";
    Sort Function "sort" "list(a).() -> list(a)"
        "Sorts values of one type, the smallest first." "last.tags.sort()" r#"["green", "hot"]"#;
    Reverse Function "reverse" "list(a).() -> list(a)"
        "Reverses a list." "last.tags.reverse()" r#"["green", "hot"]"#;
    Distinct Function "distinct" "list(a).() -> list(a)"
        "Keeps the first of equal elements." "[1, 2, 1].distinct()" "[1, 2]";
    Flatten Function "flatten" "list(list(a)).() -> list(a); list(dyn).(int?) -> list(dyn)"
        "Puts the elements of inner lists in their place, on one level or on so many." "[[1, 2], [3]].flatten()" "[1, 2, 3]";
    Slice Function "slice" "list(a).(int, int) -> list(a)"
        "Returns the elements from one position up to another." "[1, 2, 3].slice(0, 2)" "[1, 2]";
    String Function "string" "(number) -> string; (bool) -> string; (string) -> string; (timestamp) -> string; (duration) -> string; (type) -> string"
        "Converts a number, a truth value, a timestamp or a duration to text." "string(last.count)" r#""3""#;
    Int Function "int" "(number) -> int; (string) -> int; (timestamp) -> int"
        "Converts to a whole number. Fractions are cut off; a timestamp gives seconds since 1970." r#"int("42")"# "42";
    Double Function "double" "(number) -> double; (string) -> double"
        "Converts to a number." r#"double("1.5")"# "1.5";
    Bool Function "bool" "(string) -> bool; (bool) -> bool"
        "Converts a text such as `true` to a truth value." r#"bool("true")"# "true";
    TypeOf Function "type" "(dyn) -> type"
        "Returns the type of a value." "type(last.title) == string" "true";
    Dyn Function "dyn" "(dyn) -> dyn"
        "Returns its argument, and tells the checker to accept any type." "dyn(last.count)" "3";
    Abs Function "abs" "(int) -> int; (number) -> double"
        "Returns a number without its sign." "abs(-5)" "5";
    Round Function "round" "(int) -> int; (number) -> double"
        "Rounds to the nearest whole number, halves away from zero." "round(2.5)" "3";
    Ceil Function "ceil" "(int) -> int; (number) -> double"
        "Rounds up to a whole number." "ceil(1.2)" "2";
    Floor Function "floor" "(int) -> int; (number) -> double"
        "Rounds down to a whole number." "floor(1.8)" "1";
    Least Function "math.least" "(list(number)) -> number; (number, number...) -> number"
        "Returns the smallest of some numbers, or of a list." "math.least(last.count, 10)" "3";
    Greatest Function "math.greatest" "(list(number)) -> number; (number, number...) -> number"
        "Returns the greatest of some numbers, or of a list." "math.greatest(last.items.map(x, x.price))" "12";
    Timestamp Function "timestamp" "(string) -> timestamp; (int) -> timestamp; (timestamp) -> timestamp"
        "Reads a time in RFC 3339 format, or seconds since 1970." r#"timestamp("2026-11-25T18:00:00Z") < timestamp(1800000000)"# "true";
    Duration Function "duration" "(string) -> duration; (duration) -> duration"
        "Reads a time span such as `1h30m` or `2.5s`." r#"duration("90m")"# r#""5400s""#;
    FullYear Function "getFullYear" "timestamp.(string?) -> int"
        "Returns the year, in UTC or at an offset such as `+02:00`." r#"timestamp("2026-11-25T18:00:00Z").getFullYear()"# "2026";
    Month Function "getMonth" "timestamp.(string?) -> int"
        "Returns the month, from 0." r#"timestamp("2026-11-25T18:00:00Z").getMonth()"# "10";
    Date Function "getDate" "timestamp.(string?) -> int"
        "Returns the day of the month, from 1." r#"timestamp("2026-11-25T18:00:00Z").getDate()"# "25";
    DayOfMonth Function "getDayOfMonth" "timestamp.(string?) -> int"
        "Returns the day of the month, from 0." r#"timestamp("2026-11-25T18:00:00Z").getDayOfMonth()"# "24";
    DayOfWeek Function "getDayOfWeek" "timestamp.(string?) -> int"
        "Returns the day of the week, from 0 for Sunday." r#"timestamp("2026-11-25T18:00:00Z").getDayOfWeek()"# "3";
    DayOfYear Function "getDayOfYear" "timestamp.(string?) -> int"
        "Returns the day of the year, from 0." r#"timestamp("2026-11-25T18:00:00Z").getDayOfYear()"# "328";
    Hours Function "getHours" "timestamp.(string?) -> int; duration.() -> int"
        "Returns the hour of the day, or all hours of a duration." r#"duration("90m").getHours()"# "1";
    Minutes Function "getMinutes" "timestamp.(string?) -> int; duration.() -> int"
        "Returns the minute of the hour, or all minutes of a duration." r#"duration("90m").getMinutes()"# "90";
    Seconds Function "getSeconds" "timestamp.(string?) -> int; duration.() -> int"
        "Returns the second of the minute, or all seconds of a duration." r#"duration("90s").getSeconds()"# "90";
    Milliseconds Function "getMilliseconds" "timestamp.(string?) -> int; duration.() -> int"
        "Returns the milliseconds of the second." r#"duration("1.5s").getMilliseconds()"# "500";

    All Macro "all" "list(a).(var, bool) -> bool; map(dyn).(var, bool) -> bool"
        "Tests whether a condition holds for every element." "last.items.all(x, x.price > 1)" "true";
    Exists Macro "exists" "list(a).(var, bool) -> bool; map(dyn).(var, bool) -> bool"
        "Tests whether a condition holds for some element." "last.items.exists(x, x.price > 10)" "true";
    ExistsOne Macro "exists_one" "list(a).(var, bool) -> bool; map(dyn).(var, bool) -> bool"
        "Tests whether a condition holds for exactly one element." "last.items.exists_one(x, x.price > 1)" "false";
    Map Macro "map" "list(a).(var, b) -> list(b); list(a).(var, bool, b) -> list(b); map(dyn).(var, b) -> list(b); map(dyn).(var, bool, b) -> list(b)"
        "Evaluates an expression for each element, or for those that meet a condition." "last.items.map(x, x.price > 10, x.name)" r#"["cup"]"#;
    Filter Macro "filter" "list(a).(var, bool) -> list(a); map(dyn).(var, bool) -> list(string)"
        "Keeps the elements that meet a condition." "last.items.filter(x, x.price > 10)" r#"[{"name": "cup", "price": 12}]"#;
    SortBy Macro "sortBy" "list(a).(var, b) -> list(a); map(dyn).(var, b) -> list(string)"
        "Sorts elements by a value of one type, the smallest first." "last.items.sortBy(x, -x.price).map(x, x.name)" r#"["cup", "tea"]"#;
}
