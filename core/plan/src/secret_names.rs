//! Recognizes names of secrets, such as `githubToken`, by their words.
//!
//! `wasm/js/secret-names.ts` has the same tables; the fixture `secrets.json` tests both.

use stepgraph_text::collect::CollectVec;

/// Longer names may be harmless: `map_pin`.
const WHOLE: &str = "auth bearer csrf pem pin pw sid token xsrf";

/// Always secret as last words, also in the plural.
const LAST: &str = "apikey authorization cookie credential cvc cvv dsn htpasswd jwt kubeconfig mnemonic otp passcode \
    passkey passphrase passwd password pwd secret ssn totp";

/// Secret only after certain words, also in the plural, except for `tokens`.
const AFTER: &[(&str, &str)] = &[
    (
        "key",
        "access account admin aes anthropic api app application auth authentication aws azure client \
         consumer decryption deploy encryption function gcp gemini github google gpg hmac license licence \
         master openai pgp private provisioning recovery root rsa secret security server service session \
         shared signing ssh ssl storage stripe subscription tls unseal vault wallet webhook",
    ),
    (
        "tokens",
        "access api auth bearer bot csrf github gitlab id identity jwt oauth personal refresh sas \
         security slack xsrf",
    ),
    (
        "pass",
        "admin api client database db email ftp host keystore login mail mysql pg postgres proxy redis \
         root smtp sudo user",
    ),
    ("pin", "account atm bank card credit customer debit login security sim user"),
    ("id", "sess session"),
    ("string", "conn connection"),
    ("str", "conn connection"),
    ("uri", "amqp connection database db jdbc mongo mongodb mysql postgres postgresql redis"),
    (
        "url",
        "amqp connection database db jdbc mongo mongodb mysql postgres postgresql presigned redis sas \
         signed",
    ),
    (
        "code",
        "2fa access auth authorization backup device login mfa oauth otp pin recovery security sms totp \
         verification",
    ),
    ("phrase", "mnemonic pass recovery secret seed"),
    ("word", "pass"),
    ("verifier", "code"),
    ("assertion", "client"),
    ("auth", "basic http proxy x"),
    ("sid", "connect"),
    ("number", "card"),
    ("answer", "security"),
];

/// Before `token`: a count, an index or a piece of text.
const PLAIN_TOKEN: &str = "begin bos by cache cached change cls completion continuation cost cursor each end eos every first \
    idempotency in input last mask max min next out output pad page pagination per prev previous price \
    progress prompt reasoning resume sep skip special start stop sync total unk";

/// After a secret, as in `token_value`.
const TAIL: &str = "again b64 base64 confirm confirmation current dev encrypted hash hashed header live new old pem \
    plain plaintext prod production raw repeat salt staging string test value";

/// Suffixes without separators: `OPENAIAPIKEY`, `dbpassword`.
const COMPOUNDS: &str = "accesstoken apikey apitoken authtoken bearertoken connectionstring credential csrftoken idtoken \
    passcode passphrase passwd password privatekey pwd refreshtoken secret secretaccesskey secretkey \
    sessid sessionid sessiontoken xsrftoken";

/// Recognizes secrets.
pub fn is_secret(name: &str) -> bool {
    let parts =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()).collect_vec();
    let last = parts.last().map(|part| part.to_ascii_lowercase()).unwrap_or_default();
    let glued = singular(without_number(&last));
    if contains_word(LAST, glued) || COMPOUNDS.split(' ').any(|end| glued.ends_with(end)) {
        return true;
    }
    let words = parts.iter().flat_map(|part| words_of(part)).collect_vec();
    let mut before = words.as_slice();
    while let Some((last, rest)) = before.split_last() {
        let plain = without_number(last);
        if !plain.is_empty() && is_secret_ending(rest, plain) {
            return true;
        }
        if !plain.is_empty() && !contains_word(TAIL, last) {
            return false;
        }
        before = rest;
    }
    false
}

fn is_secret_ending(before: &[String], last: &str) -> bool {
    let one = singular(last);
    let Some(previous) = before.last().map(String::as_str) else {
        return contains_word(WHOLE, last) || contains_word(LAST, one);
    };
    let after =
        |word: &str| AFTER.iter().any(|(last, first)| *last == word && contains_word(first, previous));
    match last {
        "token" => !contains_word(PLAIN_TOKEN, previous),
        "tokens" => after("tokens"),
        _ => contains_word(LAST, one) || after(one),
    }
}

/// Splits `camelCase` and `HTTPHeader` into lowercase words.
fn words_of(part: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    let mut rest = part.chars().peekable();
    while let Some(c) = rest.next() {
        let small_follows = rest.peek().is_some_and(char::is_ascii_lowercase);
        let begins = match before {
            Some(before) if c.is_ascii_uppercase() => !before.is_ascii_uppercase() || small_follows,
            Some(_) => false,
            None => true,
        };
        match words.last_mut() {
            Some(word) if !begins => word.push(c.to_ascii_lowercase()),
            _ => words.push(c.to_ascii_lowercase().to_string()),
        }
        before = Some(c);
    }
    words
}

/// `password2` is a password.
fn without_number(word: &str) -> &str {
    word.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn singular(word: &str) -> &str {
    let plural = word.len() > 2 && !word.ends_with("ss");
    word.strip_suffix('s').filter(|_| plural).unwrap_or(word)
}

fn contains_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}
