"""Secrets are found by their shape; what only talks of them, and what only looks random, stays.

No key stands here as such: each is put together when the test runs, so that no scanner takes it for a real one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_core.model import Edge, Node, Progress
from kg_core.model.ids import is_legal
from kg_core.policy import secrets
from kg_core.policy.secrets import scrub, scrub_edge, scrub_node, scrub_progress

RANDOM = "aB3dE6gH9jK2mN5pQ8sT1vW4"
BODY = base64.b64encode(hashlib.sha512(b"a key").digest()).decode()


def joined(*parts: str) -> str:
    return "".join(parts)


SECRETS = {
    "aws-access-key": joined("AK", "IA", "Q3EGRJ4XVZ7LMN2P"),
    "aws-secret-key": joined("aws_secret_access_key = ", RANDOM, "/", RANDOM[:15]),
    "github-token": joined("gh", "p_", RANDOM, RANDOM[:12]),
    "gitlab-token": joined("gl", "pat-", RANDOM[:20]),
    "slack-token": joined("xo", "xb-", "123456789012-", RANDOM),
    "slack-webhook": joined("https://hooks.slack", ".com/services/T0123ABCD/B0123ABCD/", RANDOM),
    "stripe-key": joined("sk", "_live_", RANDOM),
    "openai-key": joined("sk", "-proj-", RANDOM, RANDOM),
    "anthropic-key": joined("sk", "-ant-api03-", RANDOM, "-", RANDOM),
    "google-key": joined("AI", "za", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    "hugging-face-token": joined("h", "f_", "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"),
    "npm-token": joined("np", "m_", RANDOM, RANDOM[:12]),
    "authorization": joined("Authorization: Bea", "rer ", RANDOM),
    "bearer-token": joined("curl -H 'bea", "rer ", RANDOM, "'"),
    "private-key": joined("-----BEGIN RSA PRIV", "ATE KEY-----\n", BODY, "\n-----END RSA PRIV", "ATE KEY-----"),
    "password": joined("postgres://u:", "p", "@h/db"),
    "jwt": joined("ey", "JhbGciOiJIUzI1NiJ9.", "ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", RANDOM),
    "api-key": joined("api_", "key: '", RANDOM, "'"),
}

HEX = hashlib.sha256(b"another key").hexdigest()
MORE = [
    ("gitlab-token", joined("gl", "cbt-64_", RANDOM)),
    ("api-key", joined("fi", "gd_", RANDOM, RANDOM)),
    ("api-key", joined("sn", "trys_", RANDOM, RANDOM)),
    ("api-key", joined("r", "8_", RANDOM, RANDOM[:13])),
    ("api-key", joined("sb", "p_", HEX[:40])),
    ("api-key", joined("ruby", "gems_", HEX[:48])),
    ("atlassian-token", joined("ATA", "TT3xFfGF0", RANDOM, RANDOM, "=", HEX[:8])),
    ("doppler-token", joined("dp.", "pt.", RANDOM, RANDOM)),
    ("planetscale-token", joined("pscale", "_pw_", RANDOM, RANDOM)),
    ("postman-key", joined("PM", "AK-", HEX[:24], "-", HEX[:34])),
    ("fly-token", joined("fm", "2_", RANDOM, RANDOM)),
    ("telegram-token", joined("123456789", ":AA", RANDOM, RANDOM[:9])),
    ("discord-token", joined("MTk4NjIyNDgzNDcxOTI1", "MjQ4.Cl2F", "MQ.", RANDOM, RANDOM[:3])),
    ("discord-webhook", joined("https://discord.com/api/web", "hooks/123456789012345678/", RANDOM, RANDOM, RANDOM)),
    ("azure-key", joined("https://a.blob.core.windows.net/c?sv=2026&si", "g=", RANDOM, RANDOM, "%3D")),
    ("aws-session-token", joined("aws_session", "_token = ", RANDOM, RANDOM)),
    ("private-key", joined("client-key", "-data: ", BODY)),
    ("password", joined("DB_PA", "SS=", RANDOM)),
    ("password", joined("Pass", "wort: ", RANDOM)),
    ("password", joined("DB_PASS", "WORD=", RANDOM[:6], "/", RANDOM, "/", RANDOM[:5])),
    ("password", joined("DB_PASS", "WORD=", RANDOM, "!(x")),
    ("password", joined("pass", "word：", RANDOM)),
    ("password", joined("密", "码：", RANDOM)),
    ("password", joined("contra", "seña: ", RANDOM)),
    ("password", joined("па", "роль = ", RANDOM)),
    ("password", joined('{\\"pass', 'word\\": \\"', RANDOM, '\\"}')),
    ("api-key", joined('{\\"client_se', 'cret\\": \\"', RANDOM, '\\"}')),
    ("password", joined("curl -s -u admin:", RANDOM, " https://api.example.org")),
    ("npm-token", joined("//npm.example.org/:_auth", "Token=", str(uuid.UUID(int=5**50)))),
    ("password", joined("machine api.example.org login bob pass", "word ", RANDOM)),
]
"""Further providers, and names of a password in other languages and within a text of JSON."""

SHORT = {
    text: text.replace("hunter2", "[secret:password]")
    for text in (
        "password: hunter2",
        "Password = 'hunter2'",
        '{"password": "hunter2", "user": "bob"}',
        '{\\"password\\": \\"hunter2\\"}',
        "DB_PASSWORD=hunter2",
        'export SMTP_PASS="hunter2"',
        "MYSQL_PWD=hunter2 mysql",
        "PGPASSWORD=hunter2 psql -h db",
        "password: str = 'hunter2'",
        "jdbc:mysql://db/app?user=bob&password=hunter2&useSSL=false",
        "Server=db;User Id=sa;Password=hunter2;",
        "create-user --password hunter2 bob",
        "--password=hunter2",
        "sshpass -p hunter2 ssh db",
        "mysqldump -u root -phunter2 app",
        "curl -u admin:hunter2 https://api.example.org",
        "CREATE USER bob WITH PASSWORD 'hunter2'",
        "CREATE USER bob IDENTIFIED BY 'hunter2'",
        "requirepass hunter2",
        "user=bob pw=hunter2",
        "DB_PW=hunter2",
        "Passwort: hunter2",
        "mot de passe : hunter2",
        "postgres://bob:hunter2@db/app",
    )
}
"""Short passwords behind what says that they are."""

HIDDEN = [f"{secret[:3]}\u200b{secret[3:-3]}\u2060\u00ad{secret[-3:]}" for secret in SECRETS.values()]

HARMLESS = [
    "there is no API key in the build",
    "apiKey: import.meta.env.X",
    "apiKey: process.env.OPENAI_API_KEY_2026_PRODUCTION",
    "password: required, min-12-characters",
    "password = settings.DATABASE_PASSWORD_V2",
    "Ask for the access token: it is in the vault under team-7/service-accounts",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "Bearer authentication-with-refresh is what the gateway wants",
    "postgres://user:${DB_PASSWORD}@localhost/app and postgres://localhost:5432/app",
    "see https://example.org:8443/@scope/package and ssh://git@example.org/a.git",
    "the block between BEGIN PRIVATE KEY and END PRIVATE KEY",
    joined("a file that begins with -----BEGIN PRIV", "ATE KEY----- is refused"),
    "secret_key: sha256:" + hashlib.sha256(b"x").hexdigest(),
    "cache_key = " + hashlib.md5(b"x").hexdigest(),
    "broken since " + hashlib.sha1(b"commit").hexdigest(),
    "the digest " + hashlib.sha256(b"file").hexdigest(),
    "request " + str(uuid.UUID(int=2**127 + 12345)),
    'src="data:image/png;base64,' + base64.b64encode(bytes(range(200))).decode() + '"',
    "TransactionalOutboxRepositoryFactoryBean2IntegrationTest",
    "private_key: Ed25519PrivateKey",
    "task-list-of-the-desk-and-the-risk-management-2026",
    "ASIAPACIFICREGIONNAME and AKIA as a prefix",
    "ghp_ starts a token; sk-learn-pipelines do not",
    "keywords.py,sha256=r8_DrqAfn6QLwQnmXEggveiSU-UaIL2p2nuPINelfFc,14949",
    "the password：required, at least 12 characters, and 密码：必填",
    "curl -u $USER:$PASSWORD_2026 https://api.example.org; curl -u user:password-of-yours is the form",
    "a machine that has login and password prompts",
    "by_pass = True and first_pass=second_pass",
    "at 12:AA of the schedule; see /api/webhooks/ and ?sig=SIGNATURE",
    "the password field must be trimmed; password1 = password2 is checked first",
    'password=os.environ["DB_PASSWORD_2"] and password = getPasswordV2() and password=users[0]',
    "password=password1, password=user_password2, password: process.env.DB_PASS2",
    "password: argon2id, password: bcrypt12, password=sha256(x), password: base64-encoded, password: utf8",
    "password: min8, password: 12chars, password: 12-characters-at-least, password: at-least-8, password: 3-of-5",
    "password: VARCHAR2(64), password: string1, password: v1.2.3, password: SEC-101, password: step2",
    "PWD=/Users/Bob2/Proj1 and OLDPWD=/srv/app1 and password: docs/auth2.md",
    "DB_PASSWORD=${DB_PASSWORD_2} DB_PASSWORD=$DB_PW2 DB_PASSWORD=<password2> DB_PASSWORD=%DB_PW2%",
    "DB_PASSWORD=your-password-1 DB_PASSWORD=changeme1 DB_PASSWORD=op://vault/item1/field DB_PASSWORD_FILE=/run/db1",
    "Password::Argon2id, Password::Sha256Hasher, password => field2, password: *default1, password: !vault2",
    "if password == hunter22x: the password: str = DEFAULT_PW_1",
    "mysql -p asks for it; mysql -P3307 is the port; mysql -u root -p$PW1; use --password stdin",
    "curl -u user1:$TOKEN1 https://x; sshpass -p is refused by policy2; requirepass ${REDIS_PW1}",
    "the column password 'varchar64' is too short; identified by 'auth_socket2'",
    "password: CVE-2024-1234, password: RFC6749, password: NIST800-63b, password: postgres16, password: python3.12",
    "src/password:L120-L130 and password: ubuntu22.04 and password: 12-Zeichen",
    "pw = get_password2(); pw=args.pw2; pw: str = x; cpw: abc123; pw1 = pw2",
    "//npm.example.org/:_authToken=${NPM_TOKEN}",
    "What holds the password: settings.db_pw2.",
    "password: api/auth2.py:42, password: auth2.py:42: and password: models/user.rb:17-20.",
    "The hash of the password: scram-sha-256, of the old password: cp1252; the password: 12stellig",
    "openssl enc -pass env:KEY_V2 and openssl enc -pass file:key1.txt",
    "DB password: 1Password, vault Ops; CI password: KeePass2",
]


@pytest.mark.parametrize("kind", list(SECRETS))
def test_a_secret_gives_way_to_a_placeholder_that_names_its_kind(kind: str) -> None:
    secret = SECRETS[kind]
    found = scrub(f"Deploys used {secret} until May.")
    assert found.kinds == (kind,)
    assert f"[secret:{kind}]" in found.text
    assert RANDOM[:12] not in found.text
    assert BODY[:12] not in found.text
    assert found.text.startswith("Deploys used ")
    assert found.text.endswith(" until May.")


@pytest.mark.parametrize(("kind", "secret"), MORE)
def test_so_it_does_with_other_providers_and_in_other_languages(kind: str, secret: str) -> None:
    found = scrub(f"Deploys used {secret} until May.")
    assert found.kinds == (kind,)
    assert RANDOM[:12] not in found.text
    assert HEX[:24] not in found.text
    assert BODY[:12] not in found.text
    assert found.text.endswith(" until May.")


@pytest.mark.parametrize("text", SHORT)
def test_a_short_password_goes_where_its_name_stands_before_it(text: str) -> None:
    assert scrub(text) == (SHORT[text], ("password",))


@given(
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,15}", fullmatch=True), st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
)
def test_code_that_looks_a_password_up_has_none(name: str, other: str) -> None:
    for text in (f"{name}({other})", f'{name}["{other}"]', f"{name}.{other}", f"${name}", f"${{{name}}}", f"<{name}>"):
        for given_as in ("password={}", "password: {},", "DB_PASSWORD={}", "password: str = {}"):
            assert scrub(given_as.format(text)) == (given_as.format(text), ())


@pytest.mark.parametrize("text", HARMLESS)
def test_prose_hashes_and_identifiers_stay(text: str) -> None:
    assert scrub(text) == (text, ())


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u200d", "\u202e", "\ufe0f", "\U000e0041"])
@pytest.mark.parametrize("kind", [kind for kind in SECRETS if kind != "password"])
def test_characters_that_show_nothing_hide_no_secret(kind: str, hidden: str) -> None:
    secret = SECRETS[kind]
    split = hidden.join((secret[:2], secret[2:-8], secret[-8:]))
    found = scrub(f"Deploys used {split} until May.")
    assert kind in found.kinds
    assert found.text == scrub(f"Deploys used {secret} until May.").text
    assert scrub(f"ghp_{hidden}x می‌خواهم {hidden} 👩‍🚀") == (f"ghp_{hidden}x می‌خواهم {hidden} 👩‍🚀", ())


def test_a_secret_that_stands_behind_such_a_character_goes_too() -> None:
    assert scrub(f"x\u200b{SECRETS['github-token']}").text == "x\u200b[secret:github-token]"


@pytest.mark.parametrize("kind", ["aws-access-key", "github-token", "stripe-key", "openai-key", "jwt"])
def test_in_a_name_the_placeholder_is_legal_too(kind: str) -> None:
    found = scrub(f"uses-{kind}", is_name=True)
    assert found.kinds == ()
    found = scrub(SECRETS[kind], is_name=True)
    assert found.kinds == (kind,)
    assert is_legal(found.text)


def test_json_stays_json() -> None:
    state = json.dumps({"key": SECRETS["private-key"], "header": SECRETS["authorization"], "pass": "postgres://u:p@h"})
    found = scrub(state)
    assert set(found.kinds) == {"private-key", "authorization", "password"}
    assert json.loads(found.text)["key"] == "[secret:private-key]"


def test_a_key_block_that_was_cut_off_goes_as_far_as_it_reaches() -> None:
    found = scrub(joined("-----BEGIN PRIV", "ATE KEY-----\\n", BODY, "\\n", BODY, " is the old one"))
    assert found.text == "[secret:private-key] is the old one"


def test_a_key_block_that_was_cut_off_ends_where_another_begins() -> None:
    found = scrub(joined("-----BEGIN PRIV", "ATE KEY-----\n", BODY, "\n and so on: ", SECRETS["private-key"]))
    assert found.text == "[secret:private-key]\n and so on: [secret:private-key]"


def test_of_a_url_only_the_password_goes() -> None:
    assert scrub(SECRETS["password"]).text == "postgres://u:[secret:password]@h/db"


def test_a_node_without_secrets_is_the_very_same() -> None:
    node = Node(id="cache-key", gist="Cache keys include the tenant.", notes=("one",), tags=("cache",))
    assert scrub_node(node) is node
    marked = scrub_node(
        Node(
            id="a",
            gist=SECRETS["jwt"],
            notes=(SECRETS["password"],),
            touches=(SECRETS["npm-token"],),
            observer=SECRETS["github-token"],
        )
    )
    assert marked.gist == "[secret:jwt]"
    assert marked.notes == ("postgres://u:[secret:password]@h/db",)
    assert marked.touches == ("[secret:npm-token]",)
    assert (marked.observer, marked.observed) == ("[secret:github-token]", "")


def test_what_a_merge_set_aside_and_keys_that_nobody_knows_lose_their_secrets_too() -> None:
    odd, clean = {"login": [SECRETS["jwt"]], "n": 1}, {"login": ["[secret:jwt]"], "n": 1}
    plain = {"n": 1}
    node = Node(id="a", gist="g", extra=odd, conflicts=(plain, odd))
    edge = Edge(source="a", rel="needs", target="b", extra=odd)
    progress = Progress(state=plain, at=1, by="s", extra=odd)

    assert scrub_node(node) == replace(node, extra=clean, conflicts=(plain, clean))
    assert scrub_edge(edge) == replace(edge, extra=clean)
    assert scrub_progress(progress) == replace(progress, extra=clean)
    for scrubbed, kept in (
        (scrub_node, replace(node, extra=plain, conflicts=(plain,))),
        (scrub_edge, replace(edge, extra=plain)),
        (scrub_progress, replace(progress, extra=plain)),
    ):
        assert scrubbed(kept) is kept


def test_a_saved_state_loses_its_secrets_wherever_they_are_in_it() -> None:
    plain = Progress(state={"next": ["deploy"]}, at=1, by="s")
    assert scrub_progress(plain) is plain
    saved = Progress(state={"steps": [{"key": SECRETS["private-key"]}], "at": 3}, at=1, by="s")
    assert scrub_progress(saved) == replace(saved, state={"steps": [{"key": "[secret:private-key]"}], "at": 3})
    netrc = "machine api.example.org login bob password " + RANDOM
    assert scrub_progress(Progress(state={"how": netrc}, at=1, by="s")).state == {
        "text": '{"how": "machine api.example.org login bob password [secret:password]}'
    }


@given(
    st.lists(
        st.sampled_from([*SECRETS.values(), *(secret for _, secret in MORE), *SHORT, *HARMLESS, *HIDDEN])
        | st.text(max_size=30),
        max_size=6,
    ),
    st.sampled_from(["", " "]),
)
def test_scrubbing_twice_equals_scrubbing_once(pieces: list[str], between: str) -> None:
    once = scrub(between.join(pieces)).text
    assert scrub(once) == (once, ())


def test_of_two_secrets_that_run_into_each_other_none_is_left() -> None:
    postman = joined("PM", "AK-2aa50b47c92342ddda1dccb7-2aa50b47c92342ddda1dccb774e50e497d")
    assert scrub(postman + SECRETS["aws-access-key"]).text == "[secret:postman-key][secret:aws-access-key]"


def test_a_long_row_of_secrets_without_breaks_is_gone_after_a_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    replaced = secrets._replaced
    monkeypatch.setattr(secrets, "_replaced", lambda *of: passes.append(of[1].kind) or replaced(*of))
    shopify = joined("shp", "at_", "0a1b2c3d" * 4)

    found = scrub(f"before {shopify * 1_000} after")

    assert found.text == f"before {'[secret:shopify-token]' * 4} after"
    assert passes.count("shopify-token") < 10


@pytest.mark.parametrize(
    "text",
    ["mysql-" * 50_000, "a" * 300_001 + "://", f"password: {'_' * 300_002}a1.", "eyJ-" * 75_002],
    ids=len,
)
def test_of_a_long_run_each_character_is_looked_at_a_few_times_and_not_once_for_each_other(text: str) -> None:
    assert scrub(text) == (text, ())


def test_what_shows_nothing_hides_no_secret_that_another_one_has_covered() -> None:
    covered = joined("da", "pi", "a1" * 16, "\u00adBearer \u200b", RANDOM)
    assert scrub(covered).text == "[secret:databricks-token]Bearer [secret:bearer-token]"


def test_a_placeholder_in_a_name_is_no_secret_itself() -> None:
    name = scrub(SECRETS["password"], is_name=True).text
    assert scrub(name, is_name=True) == (name, ())
