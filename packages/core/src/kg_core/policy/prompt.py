"""What a person said in a prompt, without what was pasted or injected."""

from __future__ import annotations

import re
from typing import Final

LONGEST: Final = 20_000
"""Of a longer prompt the beginning is looked at: what follows is pasted."""

_FRAME: Final = re.compile(r"(?:<|&lt;|\\u003[cC])(/?)kg-memory[ \t]+([0-9A-Za-z]{1,64})[ \t]*(?:>|&gt;|\\u003[eE])")
"""As it was put in, and as clients and logs escape it."""
_MACHINE: Final = re.compile(
    r"<(system-reminder|task-notification|local-command-stdout|command-(?:name|message|args))>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_ADDED: Final = re.compile(
    r"<(hook_context|environment_context|persisted-output|ide_(?:opened_file|selection|diagnostics)"
    r"|bash-(?:input|stdout|stderr)|local-command-(?:stderr|caveat))(?:\s[^<>]{0,200})?>.*?</\1>",
    re.DOTALL,
)
"""What else clients put beside the words of a person; it counts as that only where it is closed."""
_PLACEHOLDER: Final = re.compile(r"\[(?:Image|Pasted text|Attachment)\b[^\]\n]{0,200}\]", re.IGNORECASE)
_DATA: Final = re.compile(r"data:[\w./+-]{1,100};base64,[A-Za-z0-9+/=]+|[A-Za-z0-9+/=]{200,}")
_ABSOLUTE: Final = re.compile(
    r"(?<![\w./~\\-])(?:~?/|\\\\)[!-~]+|(?<![A-Za-z0-9])(?:[A-Za-z]:[\\/]|[A-Za-z][A-Za-z0-9+.-]{0,20}://)[!-~]*"
)
_LONGEST_LINE: Final = 300
"""What tools print when all is well are short lines."""
_PATH: Final = r"[!-~]*[/\\][!-~]*"
_OUTPUT: Final = re.compile(
    rf"""
      (?:On\ branch|HEAD\ detached|Your\ branch\ (?:is|and)|nothing\ (?:added\ )?to\ commit|no\ changes\ added)\b.*
    | (?:Changes\ (?:to\ be|not\ staged)|Untracked\ files)\b.*:
    | (?:Switched\ to|Already\ on)\ [^']*'[^']*' | Already\ up\ to\ date\. | Fast-forward
    | \[\S+\ (?:\(root-commit\)\ )?[0-9a-f]{{7,40}}\]\ .*     # git commit
    | (?:create|delete)\ mode\ \d+\ .* | \d+\ files?\ changed\b.* | \S+\ +\|\ +\d+\ [-+]*
    | (?:[ACDMRTU?!]{{1,2}})\ +(?=\S*[./])\S+(?:\ ->\ \S+)?  # git status --short
    | (?:ok|\?)\ *\t\S+\t.*                              # go test: packages that pass or have no tests
    | ===\ +RUN\b.* | ---\ PASS:\ .*
    | PASS(?:\ {_PATH})? | \#\ (?:tests|pass|skipped)\ \d+
    | [✓✔√]\ .*(?:[/.]\S|\d\ ?m?s\b).* | (?:Test\ Files|Tests|Test\ Suites)\b.*\bpassed\b.*
    | \S+::\S+\ (?:PASSED|SKIPPED|XFAIL)\b.* | \S+\.py\ [.sx]+(?:\ +\[\ *\d+%\])?   # pytest
    | running\ \d+\ tests? | test\ \S+\ \.\.\.\ (?:ok|ignored) | test\ result:\ ok\..*   # cargo
    | (?:Compiling|Checking|Downloaded)\ \S+\ v\d.* | Finished\ .*\btarget\(s\)\ in\b.*
    | \#\d+\ (?:\[(?:\S+\ +)?\d+/\d+\]\ .*|CACHED|DONE\b.*) | \[\d+/\d+\]\ .*  # docker, ninja
    | added\ \d+\ packages?\b.* | found\ 0\ vulnerabilities | \S+\ +[\d.,]+\ kB\b.*  # npm, bundlers
    | Success:\ no\ issues\ found.* | All\ checks\ passed! | \S+(?:\ +\d+)+\ +\d+%(?:\ .*)?  # linters, coverage
    | ={{3,}}(?:[^=].*[^=])?={{3,}} | -{{5,}}(?:[^-].*[^-])?-{{5,}}                         # rules across the terminal
    | .*\b\d{{1,3}}%\ ?\|.*\|.*                             # progress bars
    | [│├└─\ ]*[├└]──\ .*                                 # tree
    | total\ \d+ | [bcdlps-](?:[r-][w-][xsStT-]){{3}}[.+@]?\ .*  # ls -l
    """,
    re.VERBOSE,
)


_PURPOSE: Final = 1_000
"""Characters. What a prompt is for is said at its beginning."""
_ASIDE: Final = re.compile(
    r"""
      \A\W*what(?:'s|\ is|\ are|\ was|\ were)\ (?:an?\ )?        # a thing as such, unless its name is all that is said
      (?!(?:the|this|that|these|those|our|my|your|it|there|left|wrong|next|new|in|on|at|up|behind)\b|\S+\W*\Z)\w
    | \A\W*what\ (?:do|does|did)\ .{1,60}\ (?:mean|stand\ for)\b
    | \bwhat(?:'s|\ is|\ are)\ the\ (?:difference|meaning)s?\b
    | \A\W*(?:is|are|was|were)\ \S+\ (?:older|newer|younger|bigger|larger|faster|better)\ than\b
    | \b(?:poems?|haikus?|limericks?|sonnets?|lyrics|rhymes?|jokes?|puns?|riddles?|anecdotes?|quiz|crossword)\b
    | \bwho\ (?:first\ )?(?:invented|coined|wrote|founded|discovered|came\ up\ with)\b
    | \b(?:history|origins?|etymology|inventors?)\ of\b | \bnamed\ after\b | \bdo\ (?:I|you)\ pronounce\b
    | \bwhy\ (?:is|are|was|were)\ .{1,60}\ (?:called|named)\b | \bwhere\ (?:does|do|did)\ the\ (?:name|word|term)\b
    | \b(?:when|what\ year)\ (?:was|were|did)\ .{1,60}\ (?:invented|founded|born|first\ released)\b
    | \b(?:latest|newest)\ (?:stable\ )?(?:version|release)\ of\b
    | \bin\ (?:general|theory|principle|a\ nutshell|(?:one|a\ single|two|three)\ (?:sentence|word|paragraph)s?)\b
    | \b(?:fun\ fact|trivia|out\ of\ curiosity|just\ curious|off[-\ ]topic|unrelated\ question|pros\ and\ cons|ELI5)\b
    | \b(?:textbook|cheat\ ?sheet|tutorial)\b
    | \b(?:for|to)\ (?:an?\ |my\ |our\ |the\ )?(?:child(?:ren)?|kids?|grand(?:mother|father|ma|pa)|beginners?|laymen
      |visitors?|school\ class|magazine|poster)\b
    | \b(?:Gedichte?|Witz|Rätsel|für\ Kinder|wer\ hat\ .{1,60}\ erfunden)\b
    | \b(?:poème|blague|devinette|poema|chiste|adivinanza)\b
    | \b(?:стих|стихотворение|анекдот|загадк\w+|кто\ (?:придумал|изобр\w+)|вірш|شعر|نكتة|لطیفه|בדיחה|חידה)\b
    | 俳句|冗談|なぞなぞ|写一首|笑话|谜语|谁发明
    """,
    re.VERBOSE | re.IGNORECASE,
)


def said(prompt: str) -> str:
    """The words of a prompt. Left out are kg's own frames, text that the client put in, image and paste marks, encoded
    data, addresses and absolute paths, and lines that are nothing but paths or that a tool prints when all is well.
    What it prints when something fails stays: an error may be what a lesson is about.
    """
    text = without_frames(prompt[:LONGEST])
    for noise in (_MACHINE, _ADDED, _PLACEHOLDER, _DATA):
        text = noise.sub(" ", text)
    lines = (line for line in text.splitlines() if not (_is_path(line) or _is_output(line.strip())))
    return _ABSOLUTE.sub(" ", "\n".join(lines)).strip()


def is_aside(words: str) -> bool:
    """Whether a prompt says itself that it asks for general knowledge or for play, as *what is a*, *who invented* or
    *a poem* do."""
    return _ASIDE.search(words, 0, _PURPOSE) is not None


def without_frames(text: str) -> str:
    """``text`` without what kg itself once injected: from each opening line of a frame to the end of the frame.

    A frame ends where its own seal says, whatever is nested in it, and at the end of the text if its end is cut off.
    """
    kept: list[str] = []
    position = 0
    while (found := _FRAME.search(text, position)) is not None:
        kept.append(text[position : found.start()])
        position = found.end()
        if not found[1]:
            ends = (end.end() for end in _FRAME.finditer(text, position) if end[1] and end[2] == found[2])
            position = next(ends, len(text))
    return "".join(kept) + text[position:]


def _is_output(line: str) -> bool:
    return len(line) <= _LONGEST_LINE and _OUTPUT.fullmatch(line) is not None


def _is_path(line: str) -> bool:
    words = line.strip(" \t-*>@\"'`,;:()").split()
    return bool(words) and all(word.isascii() and ("/" in word or "\\" in word) for word in words)
