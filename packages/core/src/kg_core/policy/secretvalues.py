"""What stands behind a name that says secret: a secret, or a word about one. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Final

from kg_core.policy.plainwords import is_plain
from kg_core.policy.stems import stem
from kg_core.policy.text import is_stop

_RANDOM: Final = 3.2
_RUN: Final = re.compile(r"[A-Za-z0-9+/]{16,}")
_DIGEST: Final = re.compile(r"(?i)(?:sha|md)-?\d")
_TYPE: Final = re.compile(r"[a-z0-9](?:Key|Token|Secret)")
"""The name of a type: ``Ed25519PrivateKey``."""
_STOP: Final = r"(?:[:#]L?\d+(?:-L?\d+)?)?[.:…]*$"
"""Lines of a file, and what ends a sentence."""
_MEMBER: Final = re.compile(rf"[A-Za-z_]\w*(?:\.\w+)+{_STOP}")
"""A member of something: ``process.env.PASSWORD_2``; a file: ``auth.py:42``."""
_REFERENCE: Final = re.compile(r"[*=:]|%\w+%$")
"""What begins like no value, in YAML and in code, and a variable of Windows."""
_STAND_IN: Final = re.compile(r"(?i)your|token|example|placeholder|access|secret|x{4}|\.{3}")
_STRONG: Final = 8
"""Characters that a password has at least, where nothing but its characters tells that it is one."""
_PLACE: Final = re.compile(r"\w+://|(?:\.{0,2}|~|[A-Za-z]:)/|(?:env|fd|file):")
"""How the address of a file begins, or of something on a network, or where a program is told to look."""
_KEEPER: Final = re.compile(r"(?i)(?:1password|keepass(?:xc)?\d?)(?![a-z0-9])")
"""A program that keeps passwords."""
_PATH: Final = re.compile(rf"[\w.-]+(?:/[\w.-]+)+/?{_STOP}")
"""A file below some folder. What is drawn by lot may look so, too."""
_AMOUNT: Final = re.compile(
    r"(?i)v?\d+(?:\.\d+)+"
    r"|\d+[-_]?(?:char|caract|zeichen|stell|digit|byte|bit|letter|symbol|word|round|iteration|attempt|time|sec|min"
    r"|hour|day|week|month|year)"
)
"""How long, how often or which release."""
_STANDARD: Final = re.compile(r"[A-Z]{2,5}-?\d[\d.-]*[a-z]?[.,:;]*$")
"""The name of a standard or of a ticket."""
_ABOUT: Final = re.compile(
    r"[@%&#!|]"  # a reference
    r"|(?:argon2|bcrypt|scrypt|yescrypt|scram|pbkdf2|sha-?\d|md-?\d|crc|hmac|base-?\d|utf-?\d|ascii|latin-?\d|cp\d|iso-?\d|aes-?\d"
    r"|rsa-?\d|ed25519|x509|p256|pkcs|[hrep]s(?:256|384|512)|oauth-?2|http-?\d|ipv[46]|ldapv?\d|ntlm|tls-?\d|srp-?\d|win32"
    r"|i18n|k8s|fido2|webauthn)"
    r"|(?:arg|param|field|value|val|var|input|str|string|text|n?varchar|char|u?int|float|bytes?|line|step|col|column"
    r"|option|opt|temp|tmp|foo|bar|item|row|new|old|user|name|attempt|retry|try|case|phase|part|page|section|chapter"
    r"|level|stage|rule|issue|screen|form|table|figure|version|rev|key|login|account|module|class|type|mode|state|index"
    r"|group|slot|node|host|server|client|label|entry|version|variant|req|res|id)[-_.]?\d+\W*$",
    re.IGNORECASE,
)
"""How a word on a password begins: a way to hash or to encode, a name in code."""
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][^\W_]*_\w*[.:…]*|[A-Z]{2,}-\d+|[Ll]\d+(?:-[Ll]?\d+)?")
"""A variable, the name of a ticket, or lines of a file."""
_RELEASE: Final = re.compile(
    r"(?:python|py|node|php|ruby|rails|java|jdk|spring|django|laravel|symfony|angular|react|vue|postgres(?:ql)?|mysql"
    r"|mariadb|redis|mongo(?:db)?|oracle|keycloak|vault|openssl|openssh|nginx|docker|ubuntu|debian|centos|fedora|rhel"
    r"|alpine|windows|win|macos|android|ios|chrome|firefox|log4j|junit|pytest|g?libc)-?v?\d{1,2}(?:\.\d+)*\W*$",
    re.IGNORECASE,
)
"""A program in one of its releases."""
_NEVER: Final = (_MEMBER, _PLACE, _KEEPER, _REFERENCE, _AMOUNT, _STANDARD)
"""What is no password however it is mixed."""
_WORDS: Final = re.compile(r"(?i)your|example|placeholder|redact|change|dummy|sample|passw|pwd|secret|token|x{3}|\.{3}")
"""What stands for a password."""


def has_digit(text: str) -> bool:
    """Whether there is a digit in it."""
    return any(character.isdigit() for character in text)


def is_mixed(text: str) -> bool:
    """Whether letters and digits are mixed, as words are not."""
    return has_digit(text) and any(character.isalpha() for character in text)


def is_random(text: str) -> bool:
    """Whether some unbroken run looks drawn by lot, and nothing says that it is a digest."""
    if _DIGEST.match(text) or _TYPE.search(text):
        return False
    return any(is_mixed(run) and _entropy(run) >= _RANDOM for run in _RUN.findall(text))


def is_strong(text: str) -> bool:
    """Whether it has lower and upper case and a digit, or a digit and a symbol: a password, not a remark on one."""
    has_case = any(c.islower() for c in text) and any(c.isupper() for c in text)
    has_symbol = any(c in "!@#%^&*+?~" for c in text)
    is_long = len(text) >= _STRONG and has_digit(text) and (has_case or has_symbol)
    return is_long and not any(about.match(text) for about in _NEVER)


def is_password(text: str) -> bool:
    """Whether it is a password behind a name that says nothing else, strong or not (``hunter2``): letters and digits
    in one word that is no name, place, amount or algorithm.
    """
    return is_strong(text) or (is_mixed(text) and not _is_about(text))


def is_credential(text: str) -> bool:
    """Whether the value of an ``Authorization`` header is one, and no stand-in for it."""
    return not _STAND_IN.search(text)


def _is_about(text: str) -> bool:
    """Whether it is a word on a password rather than one."""
    if any(about.match(text) for about in (*_NEVER, _PATH, _ABOUT, _RELEASE)) or _WORDS.search(text):
        return True
    return _IDENTIFIER.fullmatch(text) is not None or _is_prose(text)


def _is_prose(text: str) -> bool:
    """Whether it is everyday words and numbers that are joined: ``at-least-12-characters``."""
    parts = [part for part in re.split(r"[\W_]+", text) if part]
    return len(parts) > 1 and all(part.isdigit() or _is_everyday(part.casefold()) for part in parts)


def _is_everyday(word: str) -> bool:
    return is_stop(word) or is_plain(stem(word))


def _entropy(text: str) -> float:
    """Bits per character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
