"""What secrets look like.

A rule fires on what only a secret looks like: a provider's prefix, a key block, a password in a URL, or a value that is
random *and* assigned to a name that says secret. Hashes, UUIDs, identifiers and prose about keys are none.
Why these rules and no library: ``docs/decisions/secrets.md``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kg_core.policy.secretvalues import has_digit, is_credential, is_mixed, is_password, is_random, is_strong

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What one kind looks like. ``hints`` are texts of which one is in every match: looking for them is cheap.

    The group ``secret`` of ``pattern``, or all of the match, is the secret where ``accepts`` agrees.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] | None = None


_START: Final = r"(?<![A-Za-z0-9])"
"""No letter or digit comes before: ``task-list`` holds no ``sk-list``."""
_END: Final = r"(?![A-Za-z0-9])"
_PRIVATE_KEY: Final = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_GAP: Final = r"(?:\s|\\[nrt])*"
"""Space, or line breaks as JSON writes them."""
_GIVEN: Final = r"\\?[\"']?\s*(?::=|=>|[:=：])\s*\\?[\"'`]?"
"""What stands between a name and its value, also within a text of JSON."""
_PASSWORDS: Final = ("contraseña", "mot de passe", "пароль", "Пароль", "密码", "密碼", "パスワード", "비밀번호")
"""What a password is called elsewhere; German has it among the others."""
_NO_CALL: Final = r"(?![A-Za-z_][\w.]*+(?:\(|\[(?!secret:)))"
"""What follows is no call and no lookup in code: ``os.environ["PASSWORD"]``."""
_VALUE: Final = r"(?:(?!&[\w.-]+=)[^\s\"'`,;<>{}()\[\]$\\])"
"""A character of a password; the next parameter of an address is none of it."""


def _prefixed(
    kind: str, *prefixes: str, rest: str, accepts: Callable[[str], bool] | None = None, hint: str = ""
) -> Rule:
    """A token that starts with one of these prefixes."""
    starts = "|".join(re.escape(prefix) for prefix in prefixes)
    return Rule(kind, (hint,) if hint else prefixes, re.compile(rf"{_START}(?:{starts}){rest}"), accepts)


_RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        re.compile(
            rf"-----BEGIN {_PRIVATE_KEY}"
            rf"(?:(?:(?!-----BEGIN)[A-Za-z0-9+/=\s\\:,.()-]){{1,20000}}?-----END {_PRIVATE_KEY}"
            rf"|(?:{_GAP}[A-Za-z0-9+/=]{{16,}})+)"
        ),
    ),
    _prefixed("private-key", "AGE-SECRET-KEY-1", rest="[A-Z0-9]{40,}"),
    _prefixed("aws-access-key", "AKIA", rest=rf"[A-Z0-9]{{16}}{_END}"),
    _prefixed("aws-access-key", "ASIA", "ABIA", "ACCA", rest=rf"[A-Z0-9]{{16}}{_END}", accepts=has_digit),
    Rule(
        "aws-secret-key",
        ("aws", "AWS", "Aws"),
        re.compile(
            r"(?i)aws.{0,20}(?:secret|access).{0,20}?[=:]\s*[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        is_mixed,
    ),
    _prefixed("github-token", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", rest="[A-Za-z0-9]{30,}"),
    _prefixed("github-token", "github_pat_", rest="[A-Za-z0-9_]{22,}"),
    _prefixed(
        "gitlab-token",
        *("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "gloas-", "glimt-", "glagent-"),
        rest=r"[\w.-]{20,}",
        accepts=has_digit,
        hint="gl",
    ),
    _prefixed(
        "slack-token",
        *("xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-", "xoxr-", "xoxs-", "xoxc-", "xoxd-"),
        rest=r"[\w%.-]{10,}",
        accepts=has_digit,
        hint="xox",
    ),
    _prefixed("slack-token", "xapp-", rest=r"[\w-]{10,}", accepts=has_digit),
    Rule(
        "slack-webhook", ("hooks.slack.com/",), re.compile(r"hooks\.slack\.com/(?P<secret>\w+/T\w{6,}/B\w{6,}/\w{16,})")
    ),
    _prefixed("stripe-key", "sk_live_", "rk_live_", rest="[A-Za-z0-9]{16,}", hint="k_live_"),
    _prefixed("stripe-key", "sk_test_", "rk_test_", rest="[A-Za-z0-9]{16,}", hint="k_test_"),
    _prefixed("stripe-key", "whsec_", rest="[A-Za-z0-9+/=]{24,}"),
    _prefixed("anthropic-key", "sk-ant-", rest=r"[\w-]{16,}"),
    _prefixed("openai-key", "sk-proj-", "sk-svcacct-", "sk-admin-", rest=r"[\w-]{20,}"),
    _prefixed("api-key", "sk-or-v1-", rest="[A-Za-z0-9]{20,}"),
    _prefixed("openai-key", "sk-", rest="[A-Za-z0-9]{20,}", accepts=is_mixed),
    _prefixed("google-key", "AIza", rest=r"[\w-]{32,}"),
    _prefixed("google-key", "GOCSPX-", rest=r"[\w-]{24,}"),
    _prefixed("google-token", "ya29.", rest=r"[\w.-]{20,}"),
    _prefixed("hugging-face-token", "hf_", rest="[A-Za-z0-9]{30,}"),
    _prefixed("npm-token", "npm_", rest="[A-Za-z0-9]{30,}"),
    _prefixed("pypi-token", "pypi-AgE", rest=r"[\w-]{40,}"),
    _prefixed("sendgrid-key", "SG.", rest=r"[\w-]{16,}\.[\w-]{16,}"),
    _prefixed("digitalocean-token", "dop_v1_", "doo_v1_", "dor_v1_", rest="[a-f0-9]{40,}", hint="_v1_"),
    _prefixed("shopify-token", "shpat_", "shpca_", "shppa_", "shpss_", rest="[a-fA-F0-9]{32}", hint="shp"),
    _prefixed("docker-token", "dckr_pat_", rest=r"[\w-]{20,}"),
    _prefixed("vault-token", "hvs.", "hvb.", rest=r"[\w-]{24,}"),
    _prefixed("databricks-token", "dapi", rest=rf"[a-f0-9]{{32}}{_END}"),
    _prefixed("api-key", "gsk_", "xai-", "pplx-", "lin_api_", "ntn_", rest="[A-Za-z0-9]{36,}", accepts=is_mixed),
    _prefixed("api-key", "figd_", "HRKU-", "sntrys_", "sntryu_", rest=r"[\w-]{32,}", accepts=is_mixed),
    _prefixed("api-key", "r8_", rest=r"[A-Za-z0-9]{37}(?![\w-])", accepts=is_mixed),
    _prefixed("api-key", "sbp_", "rubygems_", rest="[a-f0-9]{40,}"),
    _prefixed("atlassian-token", "ATATT3", "ATCTT3", rest=r"[\w=-]{40,}"),
    _prefixed("doppler-token", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", rest=r"[\w.-]{36,}", hint="dp."),
    _prefixed("planetscale-token", "pscale_pw_", "pscale_tkn_", "pscale_oauth_", rest=r"[\w.-]{28,}", hint="pscale_"),
    _prefixed("postman-key", "PMAK-", rest="[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefixed("fly-token", "fm1_", "fm2_", rest=r"[A-Za-z0-9+/=]{40,}"),
    Rule("telegram-token", (":AA",), re.compile(rf"{_START}[0-9]{{8,10}}:AA[\w-]{{33}}(?![\w-])")),
    Rule(
        "discord-token",
        ("MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"),  # how the number of an account begins in base64
        re.compile(rf"{_START}[MNO][A-Za-z0-9]{{22,26}}\.[\w-]{{6}}\.[\w-]{{27,40}}(?![\w-])"),
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        re.compile(r"discord(?:app)?\.com/api/webhooks/\d{17,20}/(?P<secret>[\w-]{60,})"),
    ),
    _prefixed("jwt", "eyJ", rest=r"[\w-]{8,4000}+\.eyJ[\w-]{4,}+\.[\w-]*"),
    Rule(
        "azure-key",
        ("AccountKey=", "SharedAccessKey="),
        re.compile(r"(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/=]{40,})"),
    ),
    Rule("azure-key", ("sig=",), re.compile(r"[?&]sig=(?P<secret>(?:[A-Za-z0-9+/]|%2[BbFf]){40,}(?:=|%3[Dd])?)")),
    Rule(
        "aws-session-token",
        ("ession_token", "ESSION_TOKEN", "essionToken"),
        re.compile(rf"(?i)session_?token{_GIVEN}(?P<secret>[A-Za-z0-9/+=]{{40,}})"),
        is_mixed,
    ),
    Rule("private-key", ("client-key-data",), re.compile(r"client-key-data:\s*(?P<secret>[A-Za-z0-9+/=]{40,})")),
    Rule(
        "password",
        ("://",),
        re.compile(r"[A-Za-z][\w+.-]{0,30}://[^\s/:@?#'\"<>]*:(?P<secret>(?![$<{*%\[])[^\s/'\"<>\[\]]+)@[\w.\[-]"),
    ),
    Rule(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        re.compile(
            r"(?i)authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})"
        ),
        is_credential,
    ),
    Rule(
        "bearer-token",
        ("earer ", "EARER "),
        re.compile(r"(?i)\bbearer\s+(?P<secret>[A-Za-z0-9._~+/=-]{16,})"),
        is_mixed,
    ),
    Rule(
        "api-key",
        ("key", "KEY", "Key", "oken", "OKEN", "ecret", "ECRET"),
        re.compile(
            r"(?i)(?:api|access|secret|auth|private|client|encryption|signing|refresh)[_. -]?(?:key|token|secret)"
            rf"{_GIVEN}(?P<secret>[^\s\"'`,;<>{{}}()\[\]$\\]{{16,}})"
        ),
        is_random,
    ),
    Rule(
        "password",
        ("assw", "ASSW", "assphrase", "ASSPHRASE", "_PWD", "_PASS", "pw", "PW", *_PASSWORDS),
        re.compile(
            rf"(?i)(?:passw(?:or)?[dt]|passphrase|(?<![a-z0-9])pw|(?-i:[A-Z]_(?:PWD|PASS))|{'|'.join(_PASSWORDS)})"
            rf"(?:\s*:\s*[A-Za-z]\w{{0,20}}(?=\s*=[^=]))?{_GIVEN}{_NO_CALL}(?P<secret>{_VALUE}{{6,}})"
        ),
        is_password,
    ),
    Rule(
        "password",
        ("pwd", "PWD", "Pwd", "_pass", "_PASS"),
        re.compile(rf"(?i)(?:pwd|_pass){_GIVEN}{_NO_CALL}(?P<secret>{_VALUE}{{8,}})"),
        is_strong,
    ),
    Rule(
        "password",
        ("assword ", "ASSWORD ", "-pass", "dentified by", "DENTIFIED BY", "requirepass", "sshpass"),
        re.compile(
            r"(?i)(?:(?<![\w-])--?pass(?:word|wd|phrase)?\s+[\"']?|\b(?:password|identified\s+by)\s+(?=[\"'])[\"']"
            rf"|\brequirepass\s+[\"']?|\bsshpass\s+-p\s*[\"']?){_NO_CALL}(?P<secret>{_VALUE}{{6,}})"
        ),
        is_password,
    ),
    Rule(
        "password",
        ("mysql", "mariadb"),
        re.compile(
            rf"\b(?:mysql|mariadb)[\w-]{{0,30}}\s(?:(?!mysql|mariadb)[^\n|;&]){{0,200}}?(?<=\s)-p[\"']?(?P<secret>{_VALUE}{{6,}})"
        ),
        is_password,
    ),
    Rule("npm-token", ("_authToken",), re.compile(rf"_authToken\s*=\s*[\"']?(?P<secret>{_VALUE}{{16,}})"), is_mixed),
    Rule(
        "password",
        ("curl ",),
        re.compile(
            r"\bcurl (?:(?!curl )[^\n|;&]){0,300}?(?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,100}"
            r":(?P<secret>[^\s\"'$<>{}\[\]]{6,})"
        ),
        is_password,
    ),
    Rule(
        "password",
        ("machine ",),
        re.compile(r"\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(?P<secret>[^\s<>{}\[\]$]{6,})"),
        has_digit,
    ),
)


def _by_hint() -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    found: dict[str, list[Rule]] = {}
    for rule in _RULES:
        for hint in rule.hints:
            found.setdefault(hint, []).append(rule)
    return tuple((hint, tuple(rules)) for hint, rules in found.items())


BY_HINT: Final = _by_hint()
"""The rules by what to look for first, in the order of the rules; a rule with several hints stands under each."""
