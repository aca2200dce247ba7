"""How much one request, one head and one field may carry, and where a name that looks like a path can lead."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.model.ids import is_legal
from kg_server import carrier
from kg_server.heads import LARGEST_HEAD
from kg_server.security import LARGEST_BODY

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

SECRET = "the-secret-of-another-file"
ESCAPES = [
    "../../secret",
    "..",
    ".",
    "/etc/passwd",
    "../../../../../../etc/passwd",
    "..\\..\\secret",
    "%2e%2e%2f%2e%2e%2fsecret",
    "....//....//secret",
    "secret\0.json",
    "~/secret",
    "file:///etc/passwd",
    "C:\\secret",
    "\\\\host\\share",
    "con",
    "a" * 5_000,
    "line\nbreak",
    "\u202etxt.terces",
]


@pytest.fixture(scope="module")
def server(start: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    person = tmp_path_factory.mktemp("person")
    return start(person / "kg home", HOME=str(person))


@pytest.fixture
def unchanged(server: Any):
    """Nothing may have been written, and the server must still answer."""
    before = server.health()["sequence"]
    yield
    assert server.health()["sequence"] == before


@pytest.mark.usefixtures("unchanged")
def test_a_body_of_the_largest_size_is_read_and_one_byte_more_is_not(server: Any) -> None:
    for path in ("/mcp", "/hooks/claude/UserPromptSubmit", "/ack", "/api/v1/plugins/x/y"):
        assert server.ask("POST", path, b" " * LARGEST_BODY).status != 413
        with contextlib.suppress(ConnectionError):  # the refusal may come before the body is sent
            assert server.ask("POST", path, b" " * (LARGEST_BODY + 1)).status == 413


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("length", ["-1", "0x10", "1e3", "9" * 30, "1_000", " ", "١"])
def test_a_length_that_is_none_is_refused(server: Any, length: str) -> None:
    head = ["POST /mcp HTTP/1.1", f"Host: 127.0.0.1:{server.where.port}", f"Authorization: Bearer {server.where.token}"]
    head += ["Content-Type: application/json", f"Content-Length: {length}", "Connection: close"]
    with socket.create_connection(("127.0.0.1", server.where.port), timeout=10) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode() + b"{}")
        received = b"".join(iter(lambda: connection.recv(65536), b""))

    assert received.split(b" ")[1] in {b"400", b"413"}


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("part", ["target", "header", "headers"])
def test_a_head_without_end_is_hung_up_on(server: Any, part: str) -> None:
    begin = {
        "target": b"GET /health?",
        "header": b"GET /health HTTP/1.1\r\nX-Long: ",
        "headers": b"GET /health HTTP/1.1\r\n",
    }[part]
    more = b"X-Many: y\r\n" * 1_000 if part == "headers" else b"x" * 11_000
    sent = 0
    with socket.create_connection(("127.0.0.1", server.where.port), timeout=10) as connection:
        connection.sendall(begin)
        with contextlib.suppress(ConnectionError):
            while sent < 100 * LARGEST_HEAD:
                connection.sendall(more)
                sent += len(more)

    assert sent < 100 * LARGEST_HEAD, "the whole of it was taken"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "wrong",
    [
        {"id": "x" * 129},
        {"id": "one-two-three-four-five-six-seven-eight-nine"},
        {"gist": "x" * 1_001},
        {"gist": ""},
        {"notes": [str(number) for number in range(201)]},
        {"notes": ["x" * 8_001]},
        {"touches": [f"file-{number}" for number in range(101)]},
        {"touches": ["x" * 513]},
        {"tags": [str(number) for number in range(33)]},
        {"tags": ["x" * 65]},
        {"level": "x" * 100_000},
        {"unknown": "x" * 100_000},
        {"session_id": "x" * 100_000},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_field_beyond_its_limit_is_refused_in_a_short_sentence(server: Any, wrong: dict[str, object]) -> None:
    is_error, text = server.call("kg_put_node", **{"level": "user", "id": "too-much", "gist": "Fits.", **wrong})

    assert is_error is True
    assert 0 < len(text) < 1_000


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "wrong",
    [{"rel": "x" * 65}, {"from_node": "x" * 200}, {"to_node": "/" + "x" * 600}, {"notes": ["x" * 8_001]}],
    ids=lambda wrong: next(iter(wrong)),
)
def test_an_edge_beyond_its_limits_is_refused(server: Any, wrong: dict[str, object]) -> None:
    names = {"from_node": "from", "to_node": "to"}
    edge = {"from_node": "a", "to_node": "b/c", "rel": "needs", "level": "user", **wrong}

    is_error, text = server.call("kg_put_edge", **{names.get(name, name): value for name, value in edge.items()})

    assert is_error is True
    assert len(text) < 1_000


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("name", ["harness", "event", "carrier"])
def test_a_huge_event_is_answered_at_once_and_briefly(server: Any, name: str) -> None:
    path = {"harness": "x" * 20_000, "event": "UserPromptSubmit"}
    path |= {name: "x" * 20_000} if name in path else {}
    body = {"carrier": "x" * 20_000 if name == "carrier" else "hook_client", "payload": {"prompt": "word " * 500_000}}

    answer = server.ask("POST", f"/hooks/{path['harness']}/{path['event']}", json.dumps(body).encode())

    assert answer.status in {200, 400}
    assert len(answer.text) < 1_000


@pytest.fixture(scope="module")
def canary(server: Any) -> Path:
    """A file beside the memory that no request may reach."""
    path: Path = server.home.root.parent / "secret"
    path.write_text(SECRET, encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps({"tools": {"tools": [SECRET]}, "text": SECRET}), encoding="utf-8")
    return path


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture
def contained(server: Any, canary: Path):
    """No file may appear but where the memory keeps its own, under names that it chose."""
    before = names(canary.parent)
    yield
    new = names(canary.parent) - before
    ours = tuple(f"{server.home.root.name}/{folder}/" for folder in ("memory", "state"))
    assert [name for name in new if not name.startswith(ours) or "secret" in name or ".." in name] == []
    assert canary.read_text(encoding="utf-8") == SECRET


def quoted(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode("utf-8", "replace"))


@pytest.mark.usefixtures("contained")
@pytest.mark.parametrize("name", ESCAPES, ids=lambda name: ascii(name[:20]))
def test_no_name_in_a_path_or_a_query_leads_out_of_the_memory(server: Any, name: str) -> None:
    spelt = quoted(name)
    event = b'{"carrier":"hook_client","payload":{"session_id":"s"}}'
    for method, target, body in [
        ("POST", f"/hooks/{spelt}/SessionStart", event),
        ("POST", f"/hooks/claude/{spelt}", event),
        ("GET", f"/api/v1/preview?harness={spelt}&cwd=/", None),
        ("GET", f"/api/v1/preview?harness=claude&cwd={spelt}", None),
        ("GET", f"/api/v1/show?cwd={spelt}", None),
        ("GET", f"/api/v1/show?id={spelt}", None),
        ("GET", f"/api/v1/search?cwd={spelt}&query=secret", None),
        ("GET", f"/api/v1/plugins/{spelt}/status", None),
        ("POST", f"/api/v1/plugins/search/{spelt}", b"{}"),
        ("GET", f"/{spelt}", None),
    ]:
        answer = server.ask(method, target, body)
        assert answer.status in {200, 400, 404, 405}, f"{method} {target}: {answer}"
        assert SECRET not in answer.text
        assert "root:" not in answer.text


@pytest.mark.usefixtures("contained")
@pytest.mark.parametrize("name", ESCAPES, ids=lambda name: ascii(name[:20]))
def test_no_name_in_a_payload_leads_out_of_the_memory(server: Any, name: str) -> None:
    for payload in [
        {"session_id": name, "cwd": "/"},
        {"session_id": "s", "cwd": name},
        {"session_id": "s", "cwd": "/", "transcript_path": name},
        {"session_id": "s", "cwd": "/", "agent_id": name},
    ]:
        answer = server.event("claude", "SessionStart", source="startup", **payload)
        assert answer.status == 200
        assert SECRET not in answer.text
    for tool, arguments in [
        ("kg_read", {"ids": [name]}),
        ("kg_read", {"cwd": name}),
        ("kg_read", {"more": name}),
        ("kg_read", {"session_id": name}),
        ("kg_put_node", {"level": name, "id": "x", "gist": "x"}),
        ("kg_delete_node", {"id": name}),
        ("kg_rename_node", {"id": "x", "new_id": name}),
        ("kg_search", {"query": name}),
        ("kg_progress", {"task": name}),
        (name, {}),
    ]:
        _, text = server.call(tool, **arguments)
        assert SECRET not in text
        assert "root:" not in text


@pytest.mark.usefixtures("contained")
@pytest.mark.parametrize("name", [name for name in ESCAPES if "/" in name or "\\" in name or "." in name])
def test_a_name_that_looks_like_a_path_is_no_id(server: Any, name: str) -> None:
    before = server.health()["sequence"]

    is_error, _ = server.call("kg_put_node", level="user", id=name, gist="Written.")

    if not is_error:  # a legal id that merely has a full stop in it
        assert "/" not in name
        assert "\\" not in name
    else:
        assert server.health()["sequence"] == before


def test_a_project_is_kept_under_a_name_of_our_own_wherever_its_folder_lies(server: Any, canary: Path) -> None:
    odd = ["..hidden", "a b", "-rf", "con", "*", "x" * 200, "new\nline", "été", "..."]
    for name in odd:
        folder = canary.parent / "work" / name
        folder.mkdir(parents=True)
        (folder / ".git").mkdir()
        for spelling in (str(folder), f"{folder}/", f"{folder}/../{name}", f"{folder}/.git/.."):
            _, opened = server.call("kg_read", cwd=spelling)
            session = opened.split("session_id: ")[1].split()[0]
            is_error, said = server.call(
                "kg_put_node", level="project", id="where-it-lies", gist="Kept.", session_id=session
            )
            assert is_error is False or "where-it-lies" in said, said

    kept = [path.name for path in server.home.projects.iterdir()]
    assert len(kept) == len(odd)
    assert all(is_legal(name) and not name.startswith(".") for name in kept)
    assert all(name.isprintable() for name in names(server.home.projects))


def test_a_carrier_told_a_name_that_looks_like_a_path_reads_no_other_file(server: Any, canary: Path) -> None:
    """The static answers of a shim lie in a file that its harness names."""
    (server.home.root / "secret.json").write_bytes(canary.with_suffix(".json").read_bytes())
    asked = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    run = Path(carrier.__file__ or "").with_name("run.py")
    for name in ("../../secret", str(canary), "../mcp/../../secret"):
        command = [sys.executable, "-I", "-S", str(run), "mcp", "--harness", name, "--home", str(server.home.root)]
        done = subprocess.run(command, input=asked, capture_output=True, timeout=30, check=True)

        assert SECRET not in done.stdout.decode()
