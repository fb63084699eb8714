/**
 * Decides by name whether a value is secret: `api_key`, `githubToken`.
 *
 * Splits names at `camelCase` and at all but letters and digits. `core/plan/src/secret_names.rs` has the same tables,
 * and `secrets.json` tests both.
 */

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** As last words they may be harmless: `map_pin`. */
const WHOLE_WORDS = /* @__PURE__ */ wordSet("auth bearer csrf pem pin pw sid token xsrf");

/** Always secret as last words, also in the plural. */
const LAST = /* @__PURE__ */ wordSet(
  "apikey authorization cookie credential cvc cvv dsn htpasswd jwt kubeconfig mnemonic otp passcode passkey passphrase" +
    " passwd password pwd secret ssn totp",
);

/** Secret after certain words, also in the plural except `tokens`. */
const AFTER: Record<string, ReadonlySet<string>> = {
  key: wordSet(
    "access account admin aes anthropic api app application auth authentication aws azure client consumer decryption deploy encryption" +
      " function gcp gemini github google gpg hmac license licence master openai pgp private provisioning recovery" +
      " root rsa secret security server service session shared signing ssh ssl storage stripe subscription tls unseal" +
      " vault wallet webhook",
  ),
  tokens: wordSet(
    "access api auth bearer bot csrf github gitlab id identity jwt oauth personal refresh sas security slack xsrf",
  ),
  pass: wordSet(
    "admin api client database db email ftp host keystore login mail mysql pg postgres proxy redis root smtp sudo user",
  ),
  pin: wordSet("account atm bank card credit customer debit login security sim user"),
  id: wordSet("sess session"),
  string: wordSet("conn connection"),
  str: wordSet("conn connection"),
  uri: wordSet("amqp connection database db jdbc mongo mongodb mysql postgres postgresql redis"),
  url: wordSet("amqp connection database db jdbc mongo mongodb mysql postgres postgresql presigned redis sas signed"),
  code: wordSet(
    "2fa access auth authorization backup device login mfa oauth otp pin recovery security sms totp verification",
  ),
  phrase: wordSet("mnemonic pass recovery secret seed"),
  word: wordSet("pass"),
  verifier: wordSet("code"),
  assertion: wordSet("client"),
  auth: wordSet("basic http proxy x"),
  sid: wordSet("connect"),
  number: wordSet("card"),
  answer: wordSet("security"),
};

/** Before `token` they make it a count, an index or a piece of text. */
const PLAIN_TOKEN = /* @__PURE__ */ wordSet(
  "begin bos by cache cached change cls completion continuation cost cursor each end eos every first idempotency in input" +
    " last mask max min next out output pad page pagination per prev previous price progress prompt reasoning resume sep" +
    " skip special start stop sync total unk",
);

/** After a secret they keep it secret: `token_value`. */
const TAIL = /* @__PURE__ */ wordSet(
  "again b64 base64 confirm confirmation current dev encrypted hash hashed header live new old pem plain plaintext prod" +
    " production raw repeat salt staging string test value",
);

/** Ends of unsplit words: `OPENAIAPIKEY`. */
const GLUED = [
  "accesstoken",
  "apikey",
  "apitoken",
  "authtoken",
  "bearertoken",
  "connectionstring",
  "credential",
  "csrftoken",
  "idtoken",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "privatekey",
  "pwd",
  "refreshtoken",
  "secret",
  "secretaccesskey",
  "secretkey",
  "sessid",
  "sessionid",
  "sessiontoken",
  "xsrftoken",
];

const known = new Map<string, boolean>();
const MAX_CACHED = 1000;

export function isSecret(name: string): boolean {
  let secret = known.get(name);
  if (secret === undefined) {
    secret = isSecretPart(name);
    if (known.size < MAX_CACHED && name.length < 100) known.set(name, secret);
  }
  return secret;
}

function isSecretPart(name: string): boolean {
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const glued = singular(withoutNumber((parts.at(-1) ?? "").toLowerCase()));
  if (LAST.has(glued) || GLUED.some((end) => glued.endsWith(end))) return true;
  const words = parts.flatMap(wordsOf);
  for (;;) {
    const last = words.pop();
    if (last === undefined) return false;
    const plain = withoutNumber(last);
    if (plain !== "" && isSecretSuffix(words, plain)) return true;
    if (plain !== "" && !TAIL.has(last)) return false;
  }
}

function isSecretSuffix(before: readonly string[], last: string): boolean {
  const previous = before.at(-1);
  if (previous === undefined) return WHOLE_WORDS.has(last) || LAST.has(singular(last));
  if (last === "token") return !PLAIN_TOKEN.has(previous);
  if (last === "tokens") return AFTER.tokens!.has(previous);
  const one = singular(last);
  return LAST.has(one) || (Object.hasOwn(AFTER, one) && AFTER[one]!.has(previous));
}

function wordsOf(part: string): string[] {
  return part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());
}

/** `password2` is a password. */
function withoutNumber(word: string): string {
  return word.replace(/[0-9]+$/, "");
}

function singular(word: string): string {
  return word.length > 2 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
