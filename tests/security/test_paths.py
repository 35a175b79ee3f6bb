"""A policy and a project reach no file outside their repository; a user may name any."""

from __future__ import annotations

from pathlib import Path

import pytest
from loops import HEAD, Loop

SECRET = "machine-readable-nonsense: hunter2\n"
WORDS = "lexicon: words\nformat: 1\ntitle: W\nentries: [{id: a, phrase: all done, examples: [all done]}]\n"
BASE = HEAD + "rules: []\n"
CLAIMS = "facts: {claims: {extract: phrases, lexicon: '%s'}}\nrules: []\n"


@pytest.fixture
def outside(loop: Loop) -> Path:
    """Return a folder beside the project with files that nothing in the project may read."""
    folder = loop.root.parent / "outside"
    folder.mkdir()
    (folder / "secret.yaml").write_text(SECRET)
    (folder / "words.yaml").write_text(WORDS)
    (folder / "base.yaml").write_text(BASE)
    (folder / "state.json").write_text('{"state": "OPEN", "reason": "hunter2"}')
    home = loop.root.parent / "home"
    (home / "secret.yaml").write_text(SECRET)
    (loop.root / "link.yaml").symlink_to(folder / "secret.yaml")
    (loop.root / "linked").symlink_to(folder)
    (loop.root / "state.json").symlink_to(folder / "state.json")
    return folder


WAYS = [
    "{outside}/secret.yaml",
    "../outside/secret.yaml",
    "x/../../outside/secret.yaml",
    "./link.yaml",
    "linked/secret.yaml",
    "linked/words.yaml",
    "linked/base.yaml",
    "~/secret.yaml",
    "/etc/passwd/x.yaml",
    "/proc/self/environ.yaml",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("section", ["extends: '%s'\n", CLAIMS, "mask: {lexicon: '%s'}\nrules: []\n"])
@pytest.mark.parametrize("git", [True, False])
def test_a_policy_names_no_file_outside(loop: Loop, outside: Path, way: str, section: str, git: bool) -> None:
    if git:
        (loop.root / ".git").mkdir()
    loop.policy(section % way.format(outside=outside))
    ran = loop.run("validate", "./policy.yaml")
    assert "EP444" in ran.all
    assert ran.code != 0
    assert "hunter2" not in ran.all


def test_a_lexicon_names_no_file_outside(loop: Loop, outside: Path) -> None:
    loop.write("words.yaml", WORDS + "uses: [../outside/words.yaml]\n")
    loop.policy(CLAIMS % "./words.yaml")
    assert "EP444" in loop.run("validate", "./policy.yaml").all


def test_within_the_repository_anything_may_be_named(loop: Loop) -> None:
    (loop.root / ".git").mkdir()
    loop.write("shared/base.yaml", BASE)
    loop.write("shared/words.yaml", WORDS)
    loop.write(
        "deep/er/policy.yaml", HEAD + "extends: ../../shared/base.yaml\n" + CLAIMS % "../../shared/words.yaml"
    )
    (loop.root / "an/alias").mkdir(parents=True)
    (loop.root / "an/alias/policy.yaml").symlink_to(loop.root / "deep/er/policy.yaml")
    for name in ("./deep/er/policy.yaml", "./an/alias/policy.yaml", str(loop.root / "deep/er/policy.yaml")):
        assert loop.run("validate", name).code == 0, name


def test_a_user_may_name_any_policy(loop: Loop, outside: Path) -> None:
    (outside / "policy.yaml").write_text(HEAD + "extends: ./base.yaml\n" + CLAIMS % "words.yaml")
    for name in (str(outside / "policy.yaml"), "../outside/policy.yaml", "linked/policy.yaml"):
        assert loop.run("validate", name).code == 0, name


@pytest.mark.parametrize(
    "way", ["{outside}/base.yaml", "../../outside/base.yaml", "../linked/base.yaml", "~/x.yaml"]
)
def test_a_project_chooses_no_policy_outside(loop: Loop, outside: Path, way: str) -> None:
    (outside.parent / "home" / "x.yaml").write_text(BASE)
    loop.write(".bb3/config.yaml", f"exit_decision:\n  policy: {way.format(outside=outside)}\n")
    loop.write("r.md", "x")
    ran = loop.run("check", "r.md")
    assert (ran.code, "EP444" in ran.all) == (65, True)
    loop.write("own.yaml", BASE)
    loop.write(".bb3/config.yaml", "exit_decision:\n  policy: ../own.yaml\n")
    assert loop.run("check", "r.md").code == 0


BREAKER = (
    "circuit: {from: '%s'}\n"
    "rules: [{id: open, when: circuit.state is OPEN, exit: halted, because: '{circuit.reason}'}]\n"
)


@pytest.mark.parametrize(
    "way", ["{outside}/state.json", "../outside/state.json", "./a/../../outside/state.json", "~/x"]
)
def test_the_state_of_a_breaker_is_below_the_project(loop: Loop, outside: Path, way: str) -> None:
    loop.policy(BREAKER % way.format(outside=outside))
    loop.write("r.md", "x")
    ran = loop.run("check", "r.md", "--policy", "./policy.yaml")
    assert (ran.code, "EP444" in ran.all, "hunter2" in ran.all) == (65, True, False)


@pytest.mark.parametrize("way", ["state.json", "linked/state.json"])
def test_no_link_leads_the_breaker_out(loop: Loop, outside: Path, way: str) -> None:
    loop.policy(BREAKER % way)
    loop.write("r.md", "x")
    ran = loop.run("check", "r.md", "--policy", "./policy.yaml")
    assert (ran.code, "EP818" in ran.all, "hunter2" in ran.all) == (74, True, False)
    named = loop.run(
        "check", "r.md", "--policy", "./policy.yaml", "--source", f"circuit={outside}/state.json"
    )
    assert (named.code, "hunter2" in named.out) == (13, True)


NAMES = [
    "a\x1b[31mb.md",
    "a\nb.md",
    "$(touch ran).md",
    "-rf.md",
    "a'; touch ran;'.md",
    "..%2f..%2fetc.md",
    "ü\u202e.md",
]


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_of_files_are_names(loop: Loop, name: str) -> None:
    loop.write(name, "- [x] one\n")
    loop.write("r.md", "x")
    for form in ("text", "json", "github"):
        ran = loop.run("check", "r.md", f"./{name}", "--policy", "bb3", "--format", form)
        assert ran.code == 10
        assert not {"\x1b", "\u202e"} & set(ran.all)
    gone = loop.run("check", "r.md", f"./none{name}", "--policy", "bb3")
    assert gone.code == 66
    assert not {"\x1b", "\u202e"} & set(gone.all)
    assert not (loop.root / "ran").exists()
