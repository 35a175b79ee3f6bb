"""`errors` beside what commands printed: only failures that last to the end of the iteration count."""

from __future__ import annotations

from cases import each
from fact_reading import resolved
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts import registry
from exitgate.core.facts.extractors import error_lines
from exitgate.core.facts.turn.calls import failed_output
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = {"lexicon": resolved("errors"), "tool_results": True, "shows": ["grep", "cat", "ls"]}
BOOM = "src/mast.ts(3,1): error TS2304: Cannot find name 'Sail'."
OTHER = "src/keel.ts(9,4): error TS2322: Type 'Oak' is not assignable."


def ran(command: str, result: str, *, error: bool = True, status: int | None = None) -> dict[str, object]:
    told = {"tool": "Bash", "input": {"command": command}, "result": result, "error": error}
    return told if status is None else {**told, "exit_status": status}


def read(response: str, *calls: dict[str, object], **options: object) -> dict[str, object]:
    sources = {"response": Source("response", response)}
    sources["tool_calls"] = Source("tool_calls", record={"calls": calls})
    iteration = Iteration(1, "m#1", 0.0, sources)
    return {
        f.name[7:]: f
        for f in error_lines.extract("errors", "response", JsonObject(OPTIONS | options), iteration)
    }


def count(*calls: dict[str, object], response: str = "I rigged it.", **options: object) -> object:
    return read(response, *calls, **options)["count"].value


def test_a_command_that_failed_last_counts_with_what_it_printed():
    found = read("I rigged it.", ran("npx tsc", f"{BOOM}\n{OTHER}"))
    assert (found["count"].value, found["present"].value) == (2, True)
    assert [one.source for one in found["count"].evidence] == ["tool_calls", "tool_calls"]
    assert isinstance(found["signature"].value, Unknown)
    assert (found["patterns"].value, len(found["kinds"].value)) == ((), 1)
    assert count(ran("npx tsc", BOOM, error=False, status=2)) == 1


def test_an_error_that_the_words_repeat_counts_once_and_others_add_up():
    assert count(ran("npx tsc", BOOM), response=BOOM) == 1
    assert count(ran("npx tsc", BOOM), response=OTHER) == 2
    found = read(OTHER, ran("npx tsc", BOOM))
    assert [one.source for one in found["count"].evidence] == ["tool_calls", "response"]
    assert found["signature"].value == read(OTHER)["signature"].value


@each(
    "calls",
    [
        [ran("npx tsc", BOOM, error=False)],
        [ran("npx tsc", BOOM, error=False, status=0)],
        [ran("npx tsc", BOOM), ran("npx tsc", "", error=False)],
        [ran("npx tsc -p a", BOOM), ran("cd /b && npx tsc", "ok", error=False)],
        [ran("make mast", BOOM), ran("make", "built", error=False)],
        [ran("grep -rn error src", BOOM)],
        [ran("cat a.log b.log", BOOM)],
        [ran("npx tsc | grep error", BOOM)],
        [ran("ls errors", BOOM)],
        [ran("npx tsc", "no such project")],
        [{"tool": "Read", "input": {"file_path": "a.log"}, "result": BOOM, "error": True}],
        [{"tool": "Bash", "input": {"command": "npx tsc"}}],
    ],
)
def test_what_was_shown_repaired_or_went_well_is_no_error(calls):
    assert count(*calls) == 0


def test_a_failure_that_comes_back_or_that_another_command_follows_counts():
    fails, passes = ran("npx tsc", BOOM), ran("npx tsc", "", error=False)
    assert count(fails, passes, fails) == 1
    assert count(fails, fails, fails) == 1
    assert count(fails, ran("git status", "clean", error=False)) == 1
    assert count(ran("npm test", BOOM), ran("npm install", "ok", error=False)) == 1
    assert count(ran("npx tsc", BOOM), ran("npm run lint", OTHER)) == 2


def test_only_an_entry_that_asks_for_it_looks_at_calls():
    assert count(ran("npx tsc", BOOM), tool_results=False) == 0
    assert registry.beside("error_lines", JsonObject({"tool_results": True})) == ("tool_calls",)
    assert registry.beside("error_lines", JsonObject()) == ()
    assert registry.beside("tests", JsonObject()) == ("tool_calls",)


@given(
    st.lists(
        st.tuples(st.text() | st.sampled_from(["a b", "a; b", "make"]), st.text(), st.booleans()), max_size=20
    )
)
def test_no_call_is_too_odd_and_a_success_leaves_nothing_of_its_own(rows):
    calls = [ran(command, printed, error=error) for command, printed, error in rows]
    assert isinstance(failed_output(calls, ()), str)
    passed = [ran(command, "", error=False) for command, _, _ in rows]
    assert failed_output([*calls, *passed], ()) == ""
