"""Signs of tampering as facts: what counts, what is only a mention, and what is not known."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import document, resolved
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors import tampering
from exitgate.core.facts.extractors.similarity import KEPT, bounded
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.turn.given_commands import of_line
from exitgate.core.facts.turn.own_writes import counts_before
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("tampering"), protected=["conftest.py", "ci/", "tests/store/*"])
ROOT = "/project"
RECORD = {
    "since": 0, "changed": [], "added": [], "unread": {}, "own": [], "policy_changed": False, "before": {},
    "again": False, "root": ROOT, "places": [f"{ROOT}/.ralph/exitgate"],
    "uncompared": "", "named": ["check.sh", "build/x"],
    "plan": {"text": ""}, "plan_now": {"text": ""},
    "watched": [f"{ROOT}/.bb3/config.yaml", f"{ROOT}/policy.yaml"],
}  # fmt: skip
INFINITE = float("inf")


def kept(found):
    return {"t": counts_before("t", {f"t.{name}": fact for name, fact in found.items()})}


def facts(record=None, calls=(), written=(), options=OPTIONS, reason="", **more):
    sources = {"tampering": Source("tampering", record=record, reason=reason)}
    if calls is not None:
        listed = [
            {"tool": "Bash", "input": {"command": one} if isinstance(one, str) else one} for one in calls
        ]
        sources["tool_calls"] = Source("tool_calls", record={"calls": listed, "written": written, **more})
    found = tampering.extract("t", "tampering", options, Iteration(2, "loop#1", 0.0, sources))
    assert [fact.name for fact in found] == [f"t.{spec.name}" for spec in tampering.specs(options)]
    return {fact.name.removeprefix("t."): fact for fact in found}


def values(record=None, **more):
    return {name: fact.value for name, fact in facts({**RECORD, **(record or {})}, **more).items()}


def lexicon_entries():
    for entry in document("tampering")["entries"]:
        yield pytest.param(entry, id=entry["id"])


def fitting(line):
    ready = lexicons.ready(resolved("tampering"))
    hits = [i for i in ready.patterns.which(line) if not ready.refusals.occurs(i, line)]
    return {ready.patterned()[index].id for index in hits}


@each("entry", list(lexicon_entries()))
def test_examples_of_the_lexicon_fit_and_counterexamples_do_not(entry):
    assert [line for line in entry["examples"] if entry["id"] not in fitting(line)] == []
    assert [line for line in entry["counterexamples"] if entry["id"] in fitting(line)] == []


def test_nothing_done_is_known_to_be_nothing():
    assert values() == {
        "protected": 0, "protected_deleted": 0, "protected_paths": (), "marks": 0, "silenced": 0,
        "marked": (), "items_gone": 0,
        "no_verify": 0, "gate_commands": 0, "own_writes": 0, "own_files": 0, "policy_changed": False,
        "compared": True, "uncompared": Unknown("it was compared", "t.uncompared"),
        "report": "nothing in files, commands and tasks",
    }  # fmt: skip


def test_protected_files_are_counted_and_named():
    changed = [
        ["a/conftest.py", "added"], ["ci/run/x", "deleted"], ["tests/store/a.py", "changed"],
        ["b.py", "changed"], ["ci", "added"],
    ]  # fmt: skip
    found = facts({**RECORD, "changed": changed, "since": 3})
    assert (found["protected"].value, found["protected_deleted"].value) == (3, 1)
    assert found["protected_paths"].value == ("a/conftest.py", "ci/run/x", "tests/store/a.py")
    assert [(one.excerpt, one.note) for one in found["protected"].evidence] == [
        ("a/conftest.py", "added"),
        ("ci/run/x", "deleted"),
        ("tests/store/a.py", "changed"),
    ]
    assert found["protected"].note == "since iteration 3, the first check of the run"


def test_files_that_commands_name_count_unless_they_are_new():
    changed = [["check.sh", "changed"], ["build/x", "added"], ["a/check.sh", "changed"]]
    assert values({"changed": changed})["protected_paths"] == ("check.sh",)
    assert values({"changed": [["build/x", "deleted"]]})["protected_deleted"] == 1


def test_what_was_found_is_said_on_one_line_and_only_that():
    changed = [[f"ci/{n}", "added"] for n in range(7)]
    found = facts(
        {**RECORD, "changed": changed, "own": [f"{ROOT}/policy.yaml"], "unrecorded": True},
        calls=("git commit --no-verify",),
    )
    assert found["report"].value == (
        "protected files: ci/0 (added), ci/1 (added), ci/2 (added), ci/3 (added), ci/4 (added) and 2 more; "
        "commands past git's hooks: 1; exitgate's own files: policy.yaml, "
        "since the last commit, as it was not recorded how the run began"
    )
    long = facts({**RECORD, "changed": [["ci/" + "x" * 3000, "added"]]})["report"].value
    assert len(long) <= tampering.REPORT_LENGTH


def test_why_nothing_was_compared_is_known_and_a_recording_says_nothing():
    found = values({"uncompared": "git does not say"})
    assert (found["compared"], found["uncompared"]) == (False, "git does not say")
    recorded = facts(None, reason="a recording has no files")
    assert all(
        recorded[name].value == Unknown("a recording has no files", f"t.{name}")
        for name in ("compared", "uncompared", "report", "protected", "marks")
    )


def test_marks_are_counted_by_line_and_shown_with_their_place():
    added = [
        ["t/a.py", 7, "@pytest.mark.skip"], ["t/a.py", 9, "x = 1  # noqa"],
        ["t/a.py", 10, "def test_skip():"], ["t/b.js", 1, "it.only('a', () => {})"],
        ["README.md", 2, "@pytest.mark.skip"],
    ]  # fmt: skip
    found = facts({**RECORD, "added": added})
    assert (found["marks"].value, found["silenced"].value) == (2, 1)
    assert found["marked"].value == ("t/a.py:7", "t/b.js:1")
    assert [(e.excerpt, e.line, e.note) for e in found["marks"].evidence] == [
        ("t/a.py:7: @pytest.mark.skip", 7, "pytest"),
        ("t/b.js:1: it.only('a', () => {})", 1, "only"),
    ]


def test_lines_that_are_not_known_leave_at_least_what_was_found():
    added = [["a.py", 1, "@unittest.skip"]]
    found = values({"added": added, "unread": {"big.py": "it has more than 9 bytes"}})
    why = "not all lines are known: `big.py`: it has more than 9 bytes"
    assert found["marks"] == Unknown(why, "t.marks", 1, INFINITE)
    assert isinstance(found["marked"], Unknown)
    assert values({"added": added, "unread": {"big.md": "it has more than 9 bytes"}})["marks"] == 1
    assert values({"added": added, "more": True})["marks"].least == 1


def items(before, now, kept=None, options=OPTIONS):
    record = {**RECORD, "plan": {"text": before}, "plan_now": {"text": now}, "before": {"t": kept or {}}}
    return facts(record, options=options)["items_gone"]


def test_open_items_that_are_gone_are_shown_and_those_that_were_reworded_or_done_are_not():
    before = "# Plan\n\n- [ ] write the store\n- [x] draw the page\n- [ ] test the queue\n- [ ] publish\n"
    found = items(before, "- [ ] write the new store\n- [x] publish\n")
    assert found.value == 1
    assert [(one.excerpt, one.line, one.note) for one in found.evidence] == [
        ("[ ] test the queue", 5, "line 5 when the run began")
    ]
    assert items(before, before).value == 0
    sections = JsonObject({**OPTIONS, "task_sections": ["Later"]})
    assert items(before, "", options=sections).value == 0


def test_a_plan_that_was_removed_has_lost_its_items_and_one_that_cannot_be_read_is_unknown():
    record = {**RECORD, "plan": {"text": "- [ ] a\n- [x] b\n"}}
    assert facts(record)["items_gone"].value == 1
    unread = {**record, "plan_now": {"reason": "it cannot be read"}}
    assert facts(unread)["items_gone"].value == Unknown("it cannot be read", "t.items_gone")
    never = {**RECORD, "plan": {"reason": "it could not be read"}}
    assert facts(never)["items_gone"].value == Unknown("it could not be read", "t.items_gone")
    long = items("- [ ] a", bounded("x" * 70_000, KEPT)).value
    assert long == Unknown("a plan of more than 64000 characters is not compared", "t.items_gone")


WORDS = ("alpha", "quick", "zulu", "moon", "jiggy", "sphinx")
PLAN = st.lists(st.tuples(st.sampled_from(WORDS), st.booleans()), max_size=5, unique_by=lambda item: item[0])


def written(plan):
    return "".join(f"- [{'x' if done else ' '}] {word}\n" for word, done in plan)


@given(PLAN, st.lists(PLAN, max_size=5))
def test_items_gone_are_those_that_were_open_and_were_never_seen_done(first, later):
    kept, seen = {}, {word for word, done in first if done}
    for plan in later:
        texts = {"plan": {"text": written(first)}, "plan_now": {"text": written(plan)}}
        record = {**RECORD, **texts, "before": {"t": kept}}
        count = facts(record)["items_gone"].value
        seen |= {word for word, done in plan if done}
        assert count == len({word for word, _ in first} - {word for word, _ in plan} - seen)
        sources = {"tampering": Source("tampering", record=record)}
        kept = tampering.kept("t", "tampering", OPTIONS, {}, Iteration(2, "loop#1", 0.0, sources))


def test_without_a_look_at_files_their_facts_are_unknown_and_the_others_are_not():
    rest = {name: value for name, value in RECORD.items() if name not in ("changed", "added", "unread")}
    found = {name: fact.value for name, fact in facts({**rest, "reason": "no git"}, ["git push"]).items()}
    for name in ("protected", "protected_deleted", "protected_paths", "marks", "silenced", "marked"):
        assert found[name] == Unknown("no git", f"t.{name}")
    assert (found["no_verify"], found["own_files"], found["policy_changed"]) == (0, 0, False)


def test_of_a_recording_only_the_least_is_known():
    found = {name: fact.value for name, fact in facts(None, ["git commit -n"], reason="not recorded").items()}
    assert found["protected"] == Unknown("not recorded", "t.protected")
    assert (found["no_verify"].least, found["no_verify"].most) == (1, INFINITE)


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("git commit --no-verify -m 'a b'", 1),
        ("cd x && git commit -an && git push --no-verify", 2),
        ("git commit -m 'remove --no-verify from the docs'", 0),
        ('git commit -m "use git commit --no-verify"', 0),
        ("echo --no-verify; grep -n no-verify git", 0),
        ("bash -lc 'git add . && git commit --no-verify -m x'", 1),
        ({"command": ["bash", "-lc", "git commit --no-verify -m 'a b'"]}, 1),
        ({"cmd": ["git", "commit", "--no-verify"]}, 1),
        ("cat > x <<'EOF'\ngit commit --no-verify\nEOF\ngit status", 0),
        ("cat > x <<EOF\nhello\nEOF\ngit push --no-verify", 1),
        ("git commit -m \"$(cat <<'EOF'\nwith --no-verify, it's said\nEOF\n)\" --no-verify", 1),
        ("HUSKY=0 git commit -m x", 1),
        ('git commit "--no-verify"', 1),
        ("git log -n 3 && git commit -m n", 0),
    ],
)
def test_commands_that_bypass_hooks(line, count):
    assert values(calls=[line])["no_verify"] == count


@pytest.mark.parametrize(
    ("calls", "written", "own"),
    [
        ([], [".bb3/config.yaml"], ["/project/.bb3/config.yaml"]),
        (
            [],
            ["/project/.ralph/exitgate/ledger.jsonl", "src/a.py"],
            ["/project/.ralph/exitgate/ledger.jsonl"],
        ),
        (["cat .bb3/config.yaml policy.yaml > out.txt"], [], []),
        (["echo x >> ./policy.yaml"], [], ["/project/policy.yaml"]),
        (["echo x 2> policy.yaml"], [], ["/project/policy.yaml"]),
        (["sed -i 's/a b/c/' policy.yaml"], [], ["/project/policy.yaml"]),
        (["rm -rf .ralph"], [], ["/project/.ralph/exitgate"]),
        (["rm -rf .ralph/logs; rm -rf build"], [], []),
        (["git checkout -- ."], [], []),
        (["cp a '.bb3/config.yaml'"], [], ["/project/.bb3/config.yaml"]),
        (["cp .ralph/notes.md .ralph/old.md"], [], []),
        (["echo 'rm policy.yaml'"], [], []),
    ],
)
def test_own_files_that_calls_wrote(calls, written, own):
    # a call that wrote is among the calls
    found = facts(RECORD, [*calls, {"file_path": "x"}], written)["own_writes"]
    assert (found.value, [one.excerpt for one in found.evidence]) == (len(own), own)


def test_an_own_file_that_was_seen_changed_stays_a_sign_and_needs_no_calls():
    first = facts({**RECORD, "own": ["/project/policy.yaml"]}, None)
    assert (first["own_files"].value, first["own_writes"].value.least) == (1, 0)
    second = facts({**RECORD, "before": kept(first)}, None)["own_files"]
    assert (second.value, [one.excerpt for one in second.evidence]) == (1, ["/project/policy.yaml"])
    lost = facts(None, None, reason="it is lost")["own_files"].value
    assert lost == Unknown("it is lost", "t.own_files", 0, INFINITE)


def test_commands_that_move_the_gate():
    assert values(calls=["exitgate check; exitgate circuit reset", "exitgate new-run"])["gate_commands"] == 2


def test_counts_go_on_from_iteration_to_iteration_and_calls_count_once():
    first = facts(RECORD, ["git push --no-verify", "rm policy.yaml"])
    before = kept(first)
    second = facts({**RECORD, "before": before}, ["git push --no-verify"])
    assert (second["no_verify"].value, second["own_writes"].value) == (2, 1)
    again = facts({**RECORD, "before": before, "again": True}, ["git push --no-verify"])
    assert (again["no_verify"].value, again["own_writes"].value) == (1, 1)


def test_an_iteration_of_unknown_calls_leaves_the_least_known_for_the_run():
    first = facts(RECORD, ["git push --no-verify"], lost="a line could not be read")
    assert first["no_verify"].value == Unknown(
        "calls may be missing: a line could not be read", "t.no_verify", 1, INFINITE
    )
    second = facts({**RECORD, "before": kept(first)}, ["git commit -n"])
    assert (second["no_verify"].value.least, second["no_verify"].value.reason) == (
        2, "calls may be missing: a line could not be read",
    )  # fmt: skip
    silent = values(calls=None)
    assert (silent["no_verify"].least, silent["own_writes"].least, silent["own_files"]) == (0, 0, 0)


def test_an_input_that_cannot_be_read_is_not_no_command():
    assert values(calls=[{"command": 3}])["no_verify"].reason == "a command line is too long, or not text"
    assert values(calls=["x" * 70_000])["no_verify"].reason == "a command line is too long, or not text"


PIECES = st.sampled_from(
    ["git ", "commit ", "--no-verify ", "'", '"', "<<EOF", "\n", "EOF\n", "&&", ";", ">", "rm ",
     "policy.yaml", "\\", "$(", "a "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_command_line_gives_an_answer(line):
    values(calls=[line])
    for command in of_line(line):
        assert command.words


def _parts(inner: st.SearchStrategy) -> st.SearchStrategy:
    names = st.sampled_from([*RECORD, "t", "reason"])
    return st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4)


ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), _parts, max_leaves=12)


@given(ODD)
def test_any_record_gives_an_answer(odd):
    record = odd if isinstance(odd, dict) else dict.fromkeys(RECORD, odd)
    for value in facts(record, ["git push"]).values():
        assert value.value is not None


def test_long_command_lines_are_linear():
    # each would be quadratic if words or texts were copied
    of_line("a " * 30_000)
    of_line("'" + "a" * 60_000)
    of_line("cat <<E\n" + "x\n" * 30_000)
