"""What the resident process decides, prints and writes is what the command's own process would have."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from resident_place import POLICY, Place, by_resident, left_in, timeless

ROOT = Path(__file__).parents[3]
PLAN = "# Plan\n\n- [x] one\n- [ ] two\n"


def cases() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield policies, each with the sources of one of its own tests; `recommended` with three."""
    for path in sorted((ROOT / "policies").glob("*/tests.yaml")):
        known = [
            case["sources"]
            for case in yaml.safe_load(path.read_text())["tests"]
            if isinstance(case.get("sources"), dict) and isinstance(case["sources"].get("response"), str)
        ]
        count = 3 if path.parent.name == "recommended" else 1
        for sources in known[:: max(1, len(known) // count)][:count]:
            yield path.parent.name, {name: text for name, text in sources.items() if isinstance(text, str)}


def both(place: Place, ask: Callable[[dict[str, str]], object]) -> tuple[object, object]:
    """Return what comes of a question asked in process and of the resident one, from the same beginning."""
    kept = place.project.with_name("kept")
    shutil.copytree(place.project, kept, symlinks=True)
    found = []
    for variables in ({"EXITGATE_SERVE": "off"}, {}):
        shutil.rmtree(place.project)
        shutil.copytree(kept, place.project, symlinks=True)
        shutil.rmtree(place.project.parent / "state", ignore_errors=True)
        said = ask(variables)
        found.append((said, left_in(place.project), left_in(place.project.parent / "state")))
    shutil.rmtree(kept)
    return found[0], found[1]


def differ(here: object, there: object) -> None:
    """Fail where two answers differ, and say in what."""
    if isinstance(here, dict) and isinstance(there, dict):
        assert sorted(here) == sorted(there)
        for name, one in here.items():
            differ((name, one), (name, there[name]))
    elif isinstance(here, list | tuple) and isinstance(there, list | tuple):
        assert len(here) == len(there)
        for one, other in zip(here, there, strict=True):
            differ(one, other)
    else:
        assert there == here


def told(place: Place, *words: str, given: str | None = None, **variables: str) -> tuple[int, str, str]:
    ran = place.run(*words, given=given, **variables)
    return ran.returncode, timeless(ran.stdout), timeless(ran.stderr)


def asked(place: Place) -> int:
    """Return how many requests the resident process had."""
    return int(place.run("serve", "--status").stdout.partition(": ")[2].split()[0])


def test_shipped_policies_decide_the_same(place: Place) -> None:
    place.serve()
    count = 0
    for policy, sources in cases():
        shutil.rmtree(place.project)
        place.project.mkdir()
        place.repository()
        place.write("response.md", sources["response"])
        place.write("fix_plan.md", sources.get("plan", PLAN))

        def ask(variables: dict[str, str], policy: str = policy) -> object:
            words = "check", "response.md", "fix_plan.md", "-p", policy
            first = told(place, *words, **variables)
            return first, told(place, *words, "--format", "json", **variables)

        here, there = both(place, ask)
        differ(here, there)
        count += 1
    assert asked(place) == 2 * count
    assert count > 12


@pytest.mark.parametrize(
    "words",
    [
        ("check", "-", "-p", "small.yaml"),
        ("check", "-", "-p", "small.yaml", "--format", "github"),
        ("check", "-", "-p", "small.yaml", "--quiet", "--exit-codes", "simple"),
        ("check", "-", "-p", "small.yaml", "--no-record"),
        ("check", "-", "-p", "small.yaml", "--color", "always"),
        ("check", "missing.md", "-p", "small.yaml"),
        ("check", "-p", "nowhere"),
        ("check", "--nonsense"),
        ("check", "--help"),
        ("check", "-", "-p", "small.yaml", "--iteration", "1", "--run", "night"),
    ],
    ids=" ".join,
)
def test_forms_of_a_check_print_the_same(place: Place, words: tuple[str, ...]) -> None:
    place.write("small.yaml", POLICY)
    place.serve()
    here, there = both(place, lambda variables: told(place, *words, given="It is all done.\n", **variables))
    differ(here, there)
    assert asked(place) == 1


def test_a_hook_answers_the_same(place: Place) -> None:
    place.write("small.yaml", POLICY)
    place.repository()
    place.serve()
    payload = json.dumps({
        "session_id": "s-1", "hook_event_name": "Stop", "stop_hook_active": False, "cwd": str(place.project),
        "transcript_path": "", "last_assistant_message": "Working on it.",
    })  # fmt: skip

    def ask(variables: dict[str, str]) -> object:
        words = "hook", "claude-code", "-p", "small.yaml"
        variables = {**variables, "EXITGATE_LOOP": "1"}
        return [told(place, *words, given=text, **variables) for text in (payload, "{nonsense", payload)]

    here, there = both(place, ask)
    differ(here, there)
    assert asked(place) == 3


def test_a_step_of_the_shim_is_the_same(place: Place) -> None:
    place.write(".ralph/logs/claude_output_1.log", "It is all done.\n")
    place.write(".ralph/fix_plan.md", PLAN)
    place.serve()

    def ask(variables: dict[str, str]) -> object:
        return [
            told(place, "shim", "ralph-step", *words, given="Shall I go on?\n", **variables)
            for words in (
                ("analyze", ".ralph/logs/claude_output_1.log", "1"), ("questions",), ("ask", "1"),
                ("record", "1", "2", "false"), ("nonsense",),
            )
        ]  # fmt: skip

    here, there = both(place, ask)
    differ(here, there)
    assert asked(place) == 5


def test_modes_of_files_follow_the_client(place: Place) -> None:
    place.write("small.yaml", POLICY)
    place.serve()

    def ask(variables: dict[str, str]) -> object:
        import os

        before = os.umask(0o007)
        try:
            return told(place, "check", "-", "-p", "small.yaml", given="x\n", **variables)
        finally:
            os.umask(before)

    here, there = both(place, ask)
    differ(here, there)


def test_verbose_and_log_say_who_decided(place: Place) -> None:
    place.write("small.yaml", POLICY)
    server = place.serve()
    for option in ("-v", "-vv"):
        ran = place.run("check", "-", "-p", "small.yaml", option, given="x\n")
        assert ran.stderr == f"decided by the resident process {server.pid}\n"
    logged = place.run("check", "-", "-p", "small.yaml", "--log-level", "info", given="x\n").stderr
    events = [json.loads(line) for line in logged.splitlines()]
    noted = next(event for event in events if event["event"] == "resident_process")
    assert noted["note"] == f"decided by the resident process {server.pid}"
    assert not by_resident(place.run("check", "-", "-p", "small.yaml", given="x\n"))
    assert place.run("check", "-", "-p", "small.yaml", "-v", given="x\n", EXITGATE_SERVE="off").stderr == ""


def test_timings_come_through(place: Place) -> None:
    place.write("small.yaml", POLICY)
    place.serve()
    ran = place.run("check", "-", "-p", "small.yaml", "--timings", given="x\n")
    assert "observe" in ran.stderr
    assert asked(place) == 1
