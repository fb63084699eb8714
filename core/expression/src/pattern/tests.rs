//! Matches, mistakes in patterns, and the limit of work.

use super::Pattern;

fn find(pattern: &str, text: &str) -> Option<bool> {
    Pattern::parse(pattern)
        .unwrap_or_else(|message| panic!("{pattern}: {message}"))
        .matches(text, &mut 1_000_000)
}

#[test]
fn patterns_match() {
    for (pattern, yes, no) in [
        ("", &["", "a"][..], &[][..]),
        ("abc", &["abc", "xabcx"], &["ab", ""]),
        ("^abc$", &["abc"], &["abcd", "xabc", "abc\n"]),
        ("a|bc|", &["a", "bc", "zzz"], &[]),
        ("^(a|bc)+$", &["a", "abc", "bca"], &["", "b", "ab"]),
        ("^a*b+c?$", &["b", "aabbc"], &["a", "bcc"]),
        ("^a{2}$", &["aa"], &["a", "aaa"]),
        ("^a{2,}$", &["aa", "aaaa"], &["a"]),
        ("^a{0,2}$", &["", "aa"], &["aaa"]),
        ("^a{,2}$", &["a{,2}"], &["aa"]),
        ("x{y", &["x{y"], &["xy"]),
        ("^[a-c_]+$", &["abc_"], &["abd", ""]),
        ("^[^a-c]$", &["d", "é"], &["a"]),
        ("^[]a]$", &["]", "a"], &["b"]),
        ("^[a-]$", &["-", "a"], &["b"]),
        (r"^[\d\-x]+$", &["1-x"], &["a"]),
        (r"^[^\D5]$", &["4"], &["5", "a"]),
        (r"^[[:alpha:][:^digit:]]$", &["a", " "], &["1"]),
        (r"^\w+\s\W\S\D\d$", &["ab !xy1"], &["ab !xy"]),
        ("^.$", &["a", "é", "😀"], &["\n", ""]),
        ("(?s)^.$", &["\n"], &[""]),
        ("(?i)^straßE$", &["STRAßE"], &["strasse"]),
        ("(?i:a)b", &["Ab", "ab"], &["AB"]),
        ("(?m)^b$", &["a\nb\nc"], &["ab"]),
        (r"\bcat\b", &["a cat.", "cat"], &["scat", "cats"]),
        (r"\Bat", &["cat"], &["at"]),
        (r"\Aa\z", &["a"], &["ba"]),
        (r"\Qa.b*\Ec", &["a.b*c"], &["aXbc"]),
        (r"^\x41\x{e9}\n\.$", &["Aé\n."], &["Aé\nx"]),
        ("(?P<name>a)(?<other>b)(?:c)", &["abc"], &["ab"]),
        ("a.*?b", &["axxb"], &["a"]),
        ("^(a?){30}a{30}$", &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"], &["aaa"]),
        ("^(a*)*$", &["aaaa", ""], &["b"]),
        ("^(|a)+$", &["aaaa", ""], &["b"]),
    ] {
        for text in yes {
            assert_eq!(find(pattern, text), Some(true), "{pattern} on {text}");
        }
        for text in no {
            assert_eq!(find(pattern, text), Some(false), "{pattern} on {text}");
        }
    }
}

#[test]
fn mistakes_are_told() {
    for (pattern, part) in [
        ("(", "without a `)`"),
        (")", "without a `(`"),
        ("[a", "without a `]`"),
        ("*", "nothing before `*`"),
        ("{2}", "nothing before `{`"),
        ("(?s){2}", "nothing before `{`"),
        ("a**", "repeats a repetition"),
        ("a{2}{3}", "repeats a repetition"),
        ("a{5,2}", "no range"),
        ("a{2000}", "no range"),
        ("(a{1000}){1000}", "too large"),
        (r"\", "ends with a backslash"),
        (r"\q", "unknown escape"),
        (r"\1", "refers back"),
        ("(?=a)", "looks ahead"),
        ("(?<!a)", "looks ahead"),
        (r"\pL", "Unicode"),
        ("[z-a]", "range"),
        ("[[:nope:]]", "no class"),
        ("(?z)", "unknown group"),
    ] {
        let message = Pattern::parse(pattern).err().unwrap_or_default();
        assert!(message.contains(part), "{pattern}: {message}");
    }
    assert!(Pattern::parse(&"(".repeat(500)).is_err_and(|message| message.contains("too deeply")));
    assert!(Pattern::parse(&"a".repeat(2000)).is_err_and(|message| message.contains("longer")));
}

#[test]
fn work_is_limited() {
    let pattern = Pattern::parse("(a*)*(a*)*b").unwrap();
    let mut work = 1_000_000;
    assert_eq!(pattern.matches(&"a".repeat(10_000), &mut work), Some(false));
    let used = 1_000_000 - work;
    assert!(used < 10_000 * (pattern.size() + 1), "{used}");
    assert_eq!(pattern.matches(&"a".repeat(10_000), &mut 1000), None);
}
