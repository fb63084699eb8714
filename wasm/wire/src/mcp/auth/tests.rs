//! Whole rounds against tables of responses.

use super::url::query_param;
use super::*;
use crate::http::HttpFailure;
use serde_json::json;

const HOST: &str = "https://host/.well-known/oauth-protected-resource/mcp";
const ROOT: &str = "https://host/.well-known/oauth-protected-resource";
const AS: &str = "https://as/.well-known/oauth-authorization-server";
const OIDC: &str = "https://as/.well-known/openid-configuration";
const REGISTER: &str = "https://as/register";
const VISIT: &str = "https://as/authorize";
const TOKEN: &str = "https://as/token";

/// No message may show these.
const MARKERS: [&str; 8] = [
    "access-token-1",
    "refresh-token-1",
    "client-secret-1",
    "code-marker-1",
    "verifier-marker",
    "state-marker",
    "identity-marker",
    "statement-marker",
];

fn settings() -> Settings {
    Settings {
        server: "https://host/mcp".into(),
        redirect_uri: "http://127.0.0.1:9/back".into(),
        name: "tests".into(),
        ..Settings::default()
    }
}

fn chance(now_ms: u64) -> AuthInputs {
    let [verifier, challenge, state, id] =
        ["verifier-marker", "hash", "state-marker", "id"].map(str::to_owned);
    AuthInputs { now_ms, verifier, challenge, state, id }
}

fn described() -> Value {
    json!({
        "issuer": "https://as", "authorization_endpoint": VISIT, "token_endpoint": TOKEN,
        "registration_endpoint": REGISTER, "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
    })
}

/// A null removes a member.
fn with(mut value: Value, other: &Value) -> Value {
    for (key, new) in other.as_object().unwrap() {
        let map = value.as_object_mut().unwrap();
        if new.is_null() {
            map.remove(key);
        } else {
            map.insert(key.clone(), new.clone());
        }
    }
    value
}

/// Other URLs answer 404.
#[derive(Clone)]
struct World(Vec<(String, u16, Value)>);

impl World {
    fn new() -> Self {
        Self(Vec::new())
            .and(HOST, 200, json!({"resource": "https://host/mcp", "authorization_servers": ["https://as"]}))
            .and(AS, 200, described())
            .and(REGISTER, 201, json!({"client_id": "registered"}))
            .and(VISIT, 302, json!("code=code-marker-1&state=state-marker&iss=https%3A%2F%2Fas"))
            .and(
                TOKEN,
                200,
                json!({
                    "access_token": "access-token-1", "token_type": "bearer", "expires_in": 3600,
                    "refresh_token": "refresh-token-1",
                }),
            )
    }

    fn and(mut self, url: &str, status: u16, json: Value) -> Self {
        self.0.retain(|(other, ..)| other != url);
        self.0.push((url.to_owned(), status, json));
        self
    }

    fn described(self, other: &Value) -> Self {
        self.and(AS, 200, with(described(), other))
    }

    fn answer(&self, url: &str) -> (u16, Value) {
        let bare = url.split('?').next().unwrap();
        self.0
            .iter()
            .find(|(other, ..)| other == bare)
            .map_or((404, Value::Null), |(_, s, v)| (*s, v.clone()))
    }

    fn round(
        &self,
        auth: &mut Authorization,
        status: u16,
        header: &str,
        now_ms: u64,
    ) -> (Vec<String>, Result<bool, ToolError>) {
        let refused = auth.token(now_ms).map(str::to_owned);
        self.round_of(auth, refused.as_deref(), status, header, now_ms)
    }

    fn round_of(
        &self,
        auth: &mut Authorization,
        refused: Option<&str>,
        status: u16,
        header: &str,
        now_ms: u64,
    ) -> (Vec<String>, Result<bool, ToolError>) {
        auth.begin(status, header, refused, chance(now_ms));
        let mut requested = Vec::new();
        for _ in 0..30 {
            match auth.step() {
                Step::Send(request) => {
                    let body = request.body.as_deref().unwrap_or_default();
                    let key = request.header("authorization").unwrap_or_default();
                    requested.push(format!("{} {} {key} {body}", request.method, request.url));
                    let (status, json) = self.answer(&request.url);
                    if status == 0 {
                        auth.failed(HttpFailure::network("no route"));
                        continue;
                    }
                    auth.head(HttpHead::new(status));
                    auth.chunk(json.to_string().as_bytes());
                    auth.end();
                }
                Step::Visit(url) => {
                    let (_, query) = self.answer(&url);
                    requested.push(format!("VISIT {url}"));
                    auth.provide(&format!("http://127.0.0.1:9/back?{}", query.as_str().unwrap_or_default()));
                }
                Step::Ask { what, audience, resource } => {
                    requested.push(format!("ASK {what} {audience} {resource:?}"));
                    auth.provide("identity-marker");
                }
                Step::Sign(text) => {
                    requested.push(format!("SIGN {text}"));
                    auth.provide("signature");
                }
                Step::Done(outcome) => {
                    if let Err(error) = &outcome {
                        assert!(!MARKERS.iter().any(|marker| error.message.contains(marker)), "{error}");
                    }
                    return (requested, outcome);
                }
            }
        }
        panic!("does not end: {requested:#?}");
    }

    fn first(&self, settings: Settings, header: &str) -> (Vec<String>, Result<bool, ToolError>) {
        self.round(&mut Authorization::new(settings, &Value::Null), 401, header, 1_000_000)
    }
}

fn code(outcome: &Result<bool, ToolError>) -> &'static str {
    match outcome {
        Ok(true) => "token",
        Ok(false) => "nothing",
        Err(error) => error.code(),
    }
}

fn places(requested: &[String]) -> Vec<String> {
    let words = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    requested.iter().map(|line| words(line).split('?').next().unwrap().to_owned()).collect()
}

#[test]
fn completes_a_flow() {
    let mut auth = Authorization::new(settings(), &Value::Null);
    let header = r#"Bearer scope="read write""#;
    let (requested, outcome) = World::new().round(&mut auth, 401, header, 1_000_000);
    assert_eq!(outcome, Ok(true));
    let [resource, server, register, visit, token] = requested.as_slice() else { panic!("{requested:#?}") };
    assert_eq!(*resource, format!("GET {HOST}  "));
    assert_eq!(*server, format!("GET {AS}  "));
    let body = register.split_once("  ").unwrap().1;
    assert_eq!(
        parse(body).unwrap(),
        json!({
            "client_name": "tests", "redirect_uris": ["http://127.0.0.1:9/back"], "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
            "application_type": "native", "scope": "read write",
        })
    );
    assert_eq!(
        *visit,
        "VISIT https://as/authorize?response_type=code&client_id=registered\
         &redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fback&state=state-marker&code_challenge=hash\
         &code_challenge_method=S256&scope=read%20write&resource=https%3A%2F%2Fhost%2Fmcp"
    );
    assert_eq!(
        *token,
        "POST https://as/token  grant_type=authorization_code&code=code-marker-1\
         &redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fback&code_verifier=verifier-marker\
         &resource=https%3A%2F%2Fhost%2Fmcp&client_id=registered"
    );
    for (now_ms, expect) in [(1_000_000, true), (4_569_999, true), (4_570_000, false)] {
        assert_eq!(auth.token(now_ms).is_some(), expect, "{now_ms}");
    }
    assert!(!format!("{auth:?}").contains("access-token-1"));
}

#[test]
fn discovers_metadata() {
    let tenant = |issuer: &str| json!({"resource": "https://host/mcp", "authorization_servers": [issuer]});
    let under = |url: &str| {
        World::new().and(HOST, 200, tenant("https://as/t")).and(AS, 404, json!({})).and(
            url,
            200,
            with(described(), &json!({"issuer": "https://as/t"})),
        )
    };
    let elsewhere = "https://host/about.json";
    let named = format!("Bearer resource_metadata=\"{elsewhere}\"");
    let prm = World::new().answer(HOST).1;
    let [t1, t2, t3] = [
        "https://as/.well-known/oauth-authorization-server/t",
        "https://as/.well-known/openid-configuration/t",
        "https://as/t/.well-known/openid-configuration",
    ];
    for (what, world, header, expect) in [
        ("beside the path", World::new(), "", vec![HOST, AS]),
        (
            "at the root",
            World::new().and(HOST, 404, Value::Null).and(ROOT, 200, prm.clone()),
            "",
            vec![HOST, ROOT, AS],
        ),
        ("where the header says", World::new().and(elsewhere, 200, prm.clone()), &named, vec![elsewhere, AS]),
        ("where it says wrongly", World::new(), &named, vec![elsewhere, HOST, AS]),
        (
            "not where it would be read by others",
            World::new(),
            r#"Bearer resource_metadata="http://host/x""#,
            vec![HOST, AS],
        ),
        (
            "out of reach, then there",
            World::new().and(HOST, 0, Value::Null).and(ROOT, 200, prm),
            "",
            vec![HOST, ROOT, AS],
        ),
        (
            "as OpenID has it",
            World::new().and(AS, 404, json!({})).and(OIDC, 200, described()),
            "",
            vec![HOST, AS, OIDC],
        ),
        (
            "no JSON, then there",
            World::new().and(AS, 200, json!("x")).and(OIDC, 200, described()),
            "",
            vec![HOST, AS, OIDC],
        ),
        ("a tenant", under(t1), "", vec![HOST, t1]),
        ("a tenant of OpenID", under(t2), "", vec![HOST, t1, t2]),
        ("a tenant of OpenID as it was", under(t3), "", vec![HOST, t1, t2, t3]),
    ] {
        let (requested, _) = world.first(settings(), header);
        let got: Vec<_> = places(&requested)
            .into_iter()
            .filter_map(|line| Some(line.strip_prefix("GET ")?.to_owned()))
            .collect();
        assert_eq!(got, expect, "{what}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn trusts_only_valid_metadata() {
    let back = |query: &str| World::new().and(VISIT, 302, json!(query));
    let prm = |resource: &str, issuer: &str| {
        World::new().and(HOST, 200, json!({"resource": resource, "authorization_servers": [issuer]}))
    };
    let silent = json!({"authorization_response_iss_parameter_supported": null});
    let good = "code=c&state=state-marker";
    let token = |json: Value| World::new().and(TOKEN, 200, json);
    for (what, world, expect, words) in [
        ("another resource", prm("https://evil/mcp", "https://as"), "mcp/auth-untrusted", "`evil/mcp`"),
        ("no resource", prm("", "https://as"), "mcp/auth-untrusted", "another server"),
        ("a resource above", prm("https://host", "https://as"), "token", ""),
        ("in the clear", prm("https://host/mcp", "http://as"), "mcp/auth-untrusted", "not encrypted"),
        (
            "another's metadata",
            World::new().described(&json!({"issuer": "https://evil"})),
            "mcp/auth-untrusted",
            "`https://evil`",
        ),
        (
            "nearly the name",
            World::new().described(&json!({"issuer": "https://as/"})),
            "mcp/auth-untrusted",
            "differs from the requested",
        ),
        (
            "no name",
            World::new().described(&json!({"issuer": null})),
            "mcp/auth-untrusted",
            "differs from the requested",
        ),
        (
            "no proof of who began",
            World::new().described(&json!({"code_challenge_methods_supported": null})),
            "mcp/auth-unsupported",
            "PKCE",
        ),
        (
            "a plain proof",
            World::new().described(&json!({"code_challenge_methods_supported": ["plain"]})),
            "mcp/auth-unsupported",
            "PKCE",
        ),
        (
            "a script to visit",
            World::new().described(&json!({"authorization_endpoint": "javascript:alert(1)"})),
            "mcp/auth-untrusted",
            "`authorization_endpoint`",
        ),
        (
            "tokens in the clear",
            World::new().described(&json!({"token_endpoint": "http://as/token"})),
            "mcp/auth-untrusted",
            "`token_endpoint`",
        ),
        (
            "clients in the clear",
            World::new().described(&json!({"registration_endpoint": "http://as/r"})),
            "mcp/auth-untrusted",
            "`registration_endpoint`",
        ),
        (
            "no registration",
            World::new().described(&json!({"registration_endpoint": null})),
            "mcp/auth-unsupported",
            "`clientId`",
        ),
        (
            "registration refused",
            World::new().and(REGISTER, 403, json!({"error": "no\nway"})),
            "mcp/auth-refused",
            "(status 403) no way",
        ),
        ("an answer of nobody", back(good), "mcp/auth-untrusted", "the answer has none"),
        (
            "an answer of another",
            back(&format!("{good}&iss=https://evil")),
            "mcp/auth-untrusted",
            "`https://evil`",
        ),
        ("nearly an answer", back(&format!("{good}&iss=https://as/")), "mcp/auth-untrusted", "`https://as/`"),
        ("not announced, of nobody", back(good).described(&silent), "token", ""),
        (
            "not announced, of another",
            back(&format!("{good}&iss=x")).described(&silent),
            "mcp/auth-untrusted",
            "`x`",
        ),
        (
            "an answer to another question",
            back("code=c&state=s&iss=https://as"),
            "mcp/auth-untrusted",
            "`state`",
        ),
        ("no state", back("code=c&iss=https://as"), "mcp/auth-untrusted", "`state`"),
        (
            "a refusal",
            back("error=access_denied&error_description=not+today&state=state-marker&iss=https://as"),
            "mcp/auth-refused",
            "access_denied: not today",
        ),
        (
            "a refusal of another",
            back("error=access_denied&state=state-marker&iss=https://evil"),
            "mcp/auth-untrusted",
            "`https://evil`",
        ),
        ("nothing at all", back(""), "mcp/auth-untrusted", ""),
        ("no token", token(json!({})), "mcp/auth-refused", "issued no token"),
        (
            "another kind",
            token(json!({"access_token": "a", "token_type": "mac"})),
            "mcp/auth-unsupported",
            "`Bearer`",
        ),
        (
            "a token with a line break",
            token(json!({"access_token": "a\nb", "token_type": "bearer"})),
            "mcp/auth-refused",
            "",
        ),
        (
            "an echo of the code",
            World::new().and(TOKEN, 400, json!({"error": "code-marker-1 and verifier-marker"})),
            "mcp/auth-refused",
            "[secret]",
        ),
        ("a dead end", World::new().and(TOKEN, 0, Value::Null), "tool/unreachable", "no route"),
        (
            "nobody who gives tokens",
            World::new().and(AS, 404, json!({})),
            "mcp/auth-unsupported",
            "describe itself",
        ),
        (
            "nobody in reach",
            World::new().and(AS, 0, json!({})).and(OIDC, 0, json!({})),
            "tool/unreachable",
            "`as`",
        ),
    ] {
        let (requested, outcome) = world.first(settings(), "");
        assert_eq!(code(&outcome), expect, "{what}: {outcome:?} {requested:#?}");
        let message = outcome.err().map(|error| error.message).unwrap_or_default();
        assert!(message.contains(words), "{what}: {message}");
    }
}

#[test]
fn falls_back_without_metadata() {
    let world = World::new().and(HOST, 404, Value::Null);
    let [authorize, token, register] =
        ["authorize", "token", "register"].map(|name| format!("https://host/{name}"));
    let own = "https://host/.well-known/oauth-authorization-server";
    let endpoints = world
        .clone()
        .and(&register, 201, json!({"client_id": "c"}))
        .and(&authorize, 302, json!("code=c&state=state-marker"))
        .and(&token, 200, json!({"access_token": "a", "token_type": "Bearer"}));
    let (requested, outcome) = endpoints.first(settings(), "");
    assert_eq!(outcome, Ok(true));
    assert_eq!(
        places(&requested).split_off(4),
        [format!("POST {register}"), format!("VISIT {authorize}"), format!("POST {token}")]
    );
    assert!(!requested.join(" ").contains("resource="), "{requested:#?}");
    let described = |issuer: &str| {
        let deltas = json!({"issuer": issuer, "token_endpoint": token, "authorization_endpoint": authorize});
        endpoints.clone().and(own, 200, deltas)
    };
    let known = Settings { client_id: Some("mine".into()), ..settings() };
    assert_eq!(code(&described("https://host/").first(known.clone(), "").1), "token");
    assert_eq!(code(&described("https://evil").first(known, "").1), "mcp/auth-untrusted");
    let (_, outcome) = world.first(settings(), "");
    assert_eq!(code(&outcome), "tool/unauthorized");
    assert!(outcome.unwrap_err().message.contains("names no authorization server"));
}

#[test]
fn requests_scopes() {
    let offers = |scopes: Value| {
        let prm = json!({"resource": "https://host/mcp", "authorization_servers": ["https://as"], "scopes_supported": scopes});
        World::new().and(HOST, 200, prm)
    };
    let offline = json!({"scopes_supported": ["a", "offline_access"]});
    let own = Settings { scopes: vec!["mine".into(), "a".into()], ..settings() };
    for (world, settings, header, expect) in [
        (World::new(), settings(), "", None),
        (World::new(), settings(), "Bearer scope=a", Some("a")),
        (offers(json!(["b", "c"])), settings(), "Bearer scope=a", Some("a")),
        (offers(json!(["b", "c d"])), settings(), "", Some("b c d")),
        (World::new(), own.clone(), "", Some("mine a")),
        (World::new(), own, "Bearer scope=\"a b\"", Some("a b mine")),
        (World::new().described(&offline), settings(), "Bearer scope=a", Some("a offline_access")),
        (World::new().described(&offline), settings(), "", None),
    ] {
        let (requested, outcome) = world.first(settings, header);
        assert_eq!(outcome, Ok(true));
        let visit = requested.iter().find(|line| line.starts_with("VISIT")).unwrap();
        assert_eq!(query_param(visit, "scope").as_deref(), expect);
        let consent = expect.is_some_and(|scope| scope.contains("offline_access")).then_some("consent");
        assert_eq!(query_param(visit, "prompt").as_deref(), consent);
    }
}

#[test]
fn chooses_a_client() {
    let methods =
        |names: &[&str]| World::new().described(&json!({"token_endpoint_auth_methods_supported": names}));
    let given = Settings {
        client_id: Some("me & co".into()),
        client_secret: Some("client-secret-1".into()),
        ..settings()
    };
    let signing = Settings { algorithm: Some("ES256".into()), ..given.clone() };
    let page = Settings { metadata_url: Some("https://me/client.json".into()), ..settings() };
    let answered = |names: &[&str], json: Value| methods(names).and(REGISTER, 201, json);
    let secret = |method: Option<&str>| json!({"client_id": "r", "client_secret": "client-secret-1", "token_endpoint_auth_method": method});
    let basic = "Basic bWUlMjAlMjYlMjBjbzpjbGllbnQtc2VjcmV0LTE=";
    for (what, world, settings, registers, expect) in [
        ("a name and a secret", methods(&["client_secret_basic"]), given.clone(), false, basic),
        (
            "a name and a secret",
            methods(&["client_secret_post"]),
            given.clone(),
            false,
            "client_id=me%20%26%20co&client_secret=client-secret-1",
        ),
        (
            "nothing said of how",
            World::new().described(&json!({"token_endpoint_auth_methods_supported": null})),
            given.clone(),
            false,
            basic,
        ),
        ("a key", methods(&["private_key_jwt"]), signing, false, "client_assertion="),
        (
            "an address",
            World::new().described(&json!({"client_id_metadata_document_supported": true})),
            page.clone(),
            false,
            "client_id=https%3A%2F%2Fme%2Fclient.json",
        ),
        ("an address that is not read", World::new(), page, true, "client_id=registered"),
        (
            "a password given",
            answered(&["client_secret_post"], secret(None)),
            settings(),
            true,
            "client_id=r&client_secret=client-secret-1",
        ),
        ("a password that is not wanted", answered(&["none"], secret(None)), settings(), true, "client_id=r"),
        (
            "a password and how",
            answered(&["none"], secret(Some("client_secret_post"))),
            settings(),
            true,
            "client_secret=client-secret-1",
        ),
    ] {
        let (requested, outcome) = world.first(settings, "");
        assert_eq!(outcome, Ok(true), "{what}");
        assert_eq!(requested.iter().any(|line| line.contains("/register")), registers, "{what}");
        let token = requested.last().unwrap();
        assert!(token.contains(expect), "{what}: {token}");
        assert!(token.contains("client_secret=") == expect.contains("client_secret="), "{what}: {token}");
    }
    let bad = Settings { redirect_uri: "https://app/back".into(), ..settings() };
    let (requested, _) = World::new().first(bad, "");
    assert!(requested.iter().any(|line| line.contains(r#""application_type":"web""#)), "{requested:#?}");
}

#[test]
fn grants_without_a_user() {
    let speaks = Settings {
        grant_type: GrantType::Client,
        client_id: Some("me".into()),
        client_secret: Some("client-secret-1".into()),
        ..settings()
    };
    let signs = Settings { algorithm: Some("ES256".into()), client_secret: None, ..speaks.clone() };
    let workload = Settings { grant_type: GrantType::Assertion, ..settings() };
    let url = "https://idp/token";
    let provider = Some(Provider {
        url: url.into(),
        client_id: "us".into(),
        client_secret: Some("client-secret-1".into()),
    });
    let enterprise = Settings { grant_type: GrantType::Enterprise, provider, ..speaks.clone() };
    let statement = json!({"access_token": "statement-marker", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"});
    let header = "Bearer scope=a";
    let world = World::new()
        .described(&json!({"token_endpoint_auth_methods_supported": ["client_secret_post", "none"]}));
    let world = world.and(url, 200, statement);
    for (settings, expect) in [
        (
            speaks,
            vec![
                "grant_type=client_credentials&scope=a&resource=https%3A%2F%2Fhost%2Fmcp&client_id=me&client_secret=client-secret-1",
            ],
        ),
        (
            signs,
            vec![
                "SIGN eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJtZSIsInN1YiI6Im1lIiwiYXVkIjoiaHR0cHM6Ly9hcyIsImp0aSI6ImlkIiwiaWF0IjoxMDAwLCJleHAiOjEzMDB9",
                "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=eyJ",
            ],
        ),
        (
            workload,
            vec![
                "ASK assertion https://as Some(\"https://host/mcp\")",
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=identity-marker&scope=a",
            ],
        ),
        (
            enterprise,
            vec![
                "ASK id_token https://as",
                "POST https://idp/token  grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange",
                "assertion=statement-marker&scope=a&resource=https%3A%2F%2Fhost%2Fmcp&client_id=me&client_secret=client-secret-1",
            ],
        ),
    ] {
        let (requested, outcome) = world.first(settings.clone(), header);
        assert_eq!(outcome, Ok(true), "{requested:#?}");
        let rest = requested.get(2..).unwrap();
        assert_eq!(rest.len(), expect.len(), "{requested:#?}");
        for (line, part) in rest.iter().zip(expect) {
            assert!(line.contains(part), "{line} {part}");
        }
        let echo = match settings.grant_type {
            GrantType::Enterprise => "identity-marker statement-marker",
            GrantType::Assertion => "identity-marker",
            _ => settings.client_secret.as_deref().unwrap_or("nothing"),
        };
        let refused = json!({"error": "invalid_grant", "error_description": echo});
        let refusing = world.clone().and(TOKEN, 400, refused);
        assert_eq!(code(&refusing.first(settings, header).1), "mcp/auth-refused");
    }
}

fn signed_in(world: &World, scope: &str) -> Authorization {
    let mut auth = Authorization::new(settings(), &Value::Null);
    let (_, outcome) = world.round(&mut auth, 401, &format!("Bearer scope={scope}"), 0);
    assert_eq!(outcome, Ok(true));
    assert!(auth.token(0).is_some());
    auth
}

#[test]
fn handles_refusals() {
    let world = World::new();
    let renewal = "POST https://as/token  grant_type=refresh_token&refresh_token=refresh-token-1";
    let needs = r#"Bearer error="insufficient_scope", scope="b""#;
    let late = 100_000;
    let refused = World::new().and(TOKEN, 400, json!({"error": "invalid_grant"}));
    let down = World::new().and(TOKEN, 503, json!({}));
    for (what, world, status, header, now_ms, expect, words) in [
        ("renewed", &world, 401, "", late, "token", renewal),
        (
            "renewal refused, asked again, refused",
            &refused,
            401,
            "",
            late,
            "mcp/auth-refused",
            "VISIT https://as/authorize",
        ),
        ("renewal impossible now", &down, 401, "", late, "mcp/auth-refused", renewal),
        ("refused as soon as given", &world, 401, "", 5, "tool/unauthorized", ""),
        ("needs more", &world, 403, needs, 5, "token", "scope=a%20b"),
        (
            "needs what it has",
            &world,
            403,
            r#"Bearer error="insufficient_scope", scope="a""#,
            5,
            "tool/unauthorized",
            "",
        ),
        (
            "needs it does not say what",
            &world,
            403,
            r#"Bearer error="insufficient_scope""#,
            5,
            "tool/unauthorized",
            "",
        ),
        ("forbidden", &world, 403, "", late, "nothing", ""),
        ("anything else", &world, 500, needs, late, "nothing", ""),
    ] {
        let mut auth = signed_in(&World::new(), "a");
        let (requested, outcome) = world.round(&mut auth, status, header, now_ms);
        assert_eq!(code(&outcome), expect, "{what}: {outcome:?} {requested:#?}");
        assert!(requested.join("\n").contains(words), "{what}: {requested:#?}");
    }
    // A temporary failure keeps the refresh token.
    let mut auth = signed_in(&world, "a");
    assert_eq!(code(&down.round(&mut auth, 401, "", late).1), "mcp/auth-refused");
    let (requested, outcome) = world.round(&mut auth, 401, "", late);
    assert_eq!((requested.last().is_some_and(|line| line.starts_with(renewal)), outcome), (true, Ok(true)));
    let (requested, outcome) = world.round(&mut auth, 401, "", late + 5);
    assert_eq!((requested.iter().any(|line| line.starts_with("VISIT")), outcome), (true, Ok(true)));
    for refused in [None, Some("an older token")] {
        assert_eq!(world.round_of(&mut auth, refused, 401, "", late + 6), (vec![], Ok(true)));
    }
}

#[test]
fn handles_a_change_of_authorization_server() {
    let moved = |settings: Settings, stored: &Value| {
        let other = with(
            described(),
            &json!({"issuer": "https://new", "token_endpoint": "https://new/token", "registration_endpoint": "https://new/register"}),
        );
        let world = World::new()
            .and(HOST, 200, json!({"resource": "https://host/mcp", "authorization_servers": ["https://new"]}))
            .and("https://new/.well-known/oauth-authorization-server", 200, other)
            .and("https://new/register", 201, json!({"client_id": "again"}))
            .and(VISIT, 302, json!("code=c&state=state-marker&iss=https://new"))
            .and("https://new/token", 200, json!({"access_token": "new", "token_type": "Bearer"}));
        world.round(&mut Authorization::new(settings, stored), 401, "", 10_000_000)
    };
    // No registration, no user.
    let stored = signed_in(&World::new(), "a").to_json();
    let (requested, outcome) =
        World::new().round(&mut Authorization::new(settings(), &stored), 401, "", 10_000_000);
    assert_eq!((places(&requested).split_off(2), outcome), (vec![format!("POST {TOKEN}")], Ok(true)));
    assert_eq!(
        World::new().round_of(&mut Authorization::new(settings(), &stored), None, 401, "", 5),
        (vec![], Ok(true))
    );
    let (requested, outcome) = moved(settings(), &stored);
    assert_eq!(outcome, Ok(true), "{requested:#?}");
    let seen = requested.join("\n");
    assert!(
        seen.contains("client_id=again") && !seen.contains("registered") && !seen.contains("refresh-token-1"),
        "{seen}"
    );
    // Nor the user's own credentials.
    let given = Settings {
        client_id: Some("me".into()),
        client_secret: Some("client-secret-1".into()),
        ..settings()
    };
    let mut auth = Authorization::new(given.clone(), &Value::Null);
    assert_eq!(World::new().round(&mut auth, 401, "", 0).1, Ok(true));
    assert_eq!(code(&moved(given.clone(), &auth.to_json()).1), "mcp/auth-untrusted");
    let fixed = Settings { issuer: Some("https://as".into()), ..given };
    assert_eq!(code(&moved(fixed.clone(), &Value::Null).1), "mcp/auth-unsupported");
    assert_eq!(World::new().first(fixed, "").1, Ok(true));
}

#[test]
fn registrations_expire() {
    let stored = |expires_ms: u64, scope: &str| json!({"clients": {"https://as": {"id": "old", "scope": scope, "expires_ms": expires_ms}}});
    for (stored, expect) in [
        (stored(2_000_000, "a"), "client_id=old"),
        (stored(999_999, "a"), "client_id=registered"),
        (stored(2_000_000, "b"), "client_id=registered"),
        (
            json!({"clients": {"https://as": {"id": "old", "redirect": "http://127.0.0.1:9/back"}}}),
            "client_id=old",
        ),
        (
            json!({"clients": {"https://as": {"id": "old", "redirect": "http://127.0.0.1:8/back"}}}),
            "client_id=registered",
        ),
    ] {
        let (requested, outcome) = World::new().round(
            &mut Authorization::new(settings(), &stored),
            401,
            "Bearer scope=a",
            1_000_000,
        );
        assert_eq!(outcome, Ok(true));
        assert!(requested.last().unwrap().contains(expect), "{requested:#?}");
    }
    let world = World::new().and(REGISTER, 201, json!({"client_id": "brief", "client_secret_expires_at": 1}));
    assert_eq!(world.first(settings(), "").1, Ok(true));
    let forgetful = World::new().and(TOKEN, 401, json!({"error": "invalid_client"}));
    let mut auth = Authorization::new(settings(), &Value::Null);
    assert_eq!(code(&forgetful.round(&mut auth, 401, "", 0).1), "mcp/auth-refused");
    assert!(World::new().round(&mut auth, 401, "", 0).0.iter().any(|line| line.contains("/register")));
}

#[test]
fn every_flow_ends() {
    let answers = [
        (404, Value::Null),
        (200, json!({})),
        (200, json!([])),
        (400, json!({"error": "invalid_client"})),
        (
            200,
            json!({"resource": "https://host/", "authorization_servers": ["https://host"], "issuer": "https://host", "scopes_supported": [" x  y ", "\t"]}),
        ),
        (200, json!({"client_id": "", "client_secret_expires_at": 1})),
        (0, Value::Null),
    ];
    let urls = [
        HOST,
        ROOT,
        "https://host/.well-known/oauth-authorization-server",
        "https://host/register",
        "https://host/token",
        "https://host/authorize",
    ];
    let mut seed: u64 = 7;
    for _ in 0..2000 {
        let mut world = World(Vec::new());
        for url in urls {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (status, json) =
                answers.get(usize::try_from(seed >> 33).unwrap() % answers.len()).unwrap().clone();
            world = world.and(url, status, json);
        }
        let mut auth = Authorization::new(settings(), &Value::Null);
        for status in [401, 403, 401] {
            let (requested, _) = world.round(&mut auth, status, r#"Bearer error="insufficient_scope""#, 0);
            assert!(requested.iter().filter(|line| line.starts_with("VISIT")).count() < 2);
        }
    }
    let mut auth = Authorization::new(settings(), &Value::Null);
    auth.begin(401, "", None, chance(0));
    auth.step();
    assert!(!auth.chunk(&vec![b' '; LIMIT_BYTES]));
    assert!(auth.chunk(b" "));
}
