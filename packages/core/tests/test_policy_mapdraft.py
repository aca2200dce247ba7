"""The map that a code base is proposed, and its text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model.globs import Glob
from kg_core.model.projectmap import Component, ProjectMap
from kg_core.policy.mapdraft import drafted, wanted
from kg_core.store.maptext import MapSource, map_text, parse_map


def brief(components: tuple[Component, ...]) -> dict[str, tuple[str, ...]]:
    return {each.slug: (*(glob.text for glob in each.paths), *each.depends_on, each.owner) for each in components}


def test_the_members_of_a_python_workspace_are_components_and_depend_as_they_say() -> None:
    texts = {
        "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*", "tools"]\n',
        "packages/core/pyproject.toml": '[project]\nname = "shop-core"\ndescription = "The shop."\n',
        "packages/web/pyproject.toml": '[project]\nname = "shop_web"\ndependencies = ["Shop.Core>=1", "click"]\n',
        "tools/pyproject.toml": '[project]\nname = "tools"\n',
        "examples/x/pyproject.toml": '[project]\nname = "example"\n',
    }
    components = drafted([*texts, "docs/index.md"], texts)
    assert brief(components) == {
        "core": ("packages/core/**", ""),
        "web": ("packages/web/**", "core", ""),
        "tools": ("tools/**", ""),
    }
    assert (components[0].name, components[0].responsibility) == ("shop-core", "The shop.")


def test_the_members_of_other_workspaces_are_components_too() -> None:
    node = {
        "package.json": '{"workspaces": {"packages": ["apps/*"]}}',
        "apps/site/package.json": '{"name": "@shop/site", "devDependencies": {"@shop/kit": "*", "left": "1"}}',
        "apps/kit/package.json": '{"name": "@shop/kit", "description": "Buttons"}',
    }
    assert brief(drafted(list(node), node)) == {"kit": ("apps/kit/**", ""), "site": ("apps/site/**", "kit", "")}
    rust = {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
        "crates/a/Cargo.toml": '[package]\nname = "a"\n[dependencies]\nb = { path = "../b" }\n',
        "crates/b/Cargo.toml": '[package]\nname = "b"\n',
    }
    assert brief(drafted(list(rust), rust)) == {"a": ("crates/a/**", "b", ""), "b": ("crates/b/**", "")}
    go = {
        "go.work": "go 1.22\n\nuse (\n\t./api // the interface\n\t./lib\n)\n",
        "api/go.mod": "module shop.test/api\n\nrequire (\n\tshop.test/lib v1.0.0\n)\n",
        "lib/go.mod": "module shop.test/lib\n",
    }
    assert brief(drafted(list(go), go)) == {"api": ("api/**", "lib", ""), "lib": ("lib/**", "")}


def test_without_a_workspace_the_folders_are_components_and_folders_of_folders_are_opened() -> None:
    files = [
        "README.md",
        "src/shop/auth/a.py",
        "src/shop/cart/b.py",
        "tests/t.py",
        ".github/x.yml",
        "lib/only/deep/c.py",
    ]
    assert brief(drafted(files, {})) == {
        "deep": ("lib/only/deep/**", ""),
        "auth": ("src/shop/auth/**", ""),
        "cart": ("src/shop/cart/**", ""),
        "tests": ("tests/**", ""),
    }


def test_code_owners_own_their_components_and_their_folders_are_components() -> None:
    texts = {
        ".github/CODEOWNERS": (
            "# comment\n\n*  @everybody\n/src/auth/ @security @alice # why\ndocs @writers\nsrc/**/deep @deep\n"
            "[Section] @x\nsrc/auth/keys/ @keys\n../bad @y\nnobody\n"
        )
    }
    files = ["src/auth/a.py", "src/auth/keys/k.py", "src/cart/b.py", "docs/index.md"]
    assert brief(drafted(files, texts)) == {
        "docs": ("docs/**", "@writers"),
        "auth": ("src/auth/**", "@security @alice"),
        "cart": ("src/cart/**", ""),
        "keys": ("src/auth/keys/**", "@keys"),
    }


def test_equal_names_are_told_apart_by_what_is_above_them() -> None:
    files = ["apps/site/a.ts", "apps/api/b.ts", "libs/api/c.ts", "libs/ui/d.ts"]
    assert list(brief(drafted(files, {}))) == ["api", "site", "libs-api", "ui"]


def test_what_cannot_be_understood_is_left_out() -> None:
    texts = {"pyproject.toml": "[[[", "package.json": "[1]", "Cargo.toml": "[workspace]\nmembers = 3\n"}
    assert brief(drafted([*texts, "src/a/x.py", "src/b/x.py"], texts)) == {"a": ("src/a/**", ""), "b": ("src/b/**", "")}
    assert drafted([], {}) == ()
    for endless in (f"a = {'9' * 5_000}", f"a = {'[' * 3_000}"):
        assert drafted(["Cargo.toml"], {"Cargo.toml": endless}) == ()


def test_only_manifests_and_owners_are_read() -> None:
    assert wanted(["a/pyproject.toml", "CODEOWNERS", "x/CODEOWNERS", "src/a.py", "go.work"]) == [
        "a/pyproject.toml",
        "CODEOWNERS",
        "go.work",
    ]


_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)


@settings(deadline=None)
@given(st.lists(st.tuples(_WORDS, _WORDS, st.sampled_from(["src/**", "a b/*.py", 'q"uote/x', "a\\b"])), max_size=4))
def test_what_is_written_is_read_back(drawn: list[tuple[str, str, str]]) -> None:
    components = tuple(
        Component(slug=f"c{number}", name=name, responsibility=what, paths=(Glob.of(glob),), priority=number)
        for number, (name, what, glob) in enumerate(drawn)
    )
    assert parse_map([MapSource("map.toml", map_text(components))]) == ProjectMap(components)


@settings(deadline=None)
@given(st.lists(st.text("ab/.", min_size=1, max_size=9).filter(lambda path: path.strip("/. ") == path), max_size=12))
def test_any_files_give_a_map_that_can_be_read(files: list[str]) -> None:
    components = drafted(files, {})
    assert parse_map([MapSource("map.toml", map_text(components))]).components == components
