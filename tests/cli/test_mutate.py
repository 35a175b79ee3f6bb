"""`exitgate mutate`: what it shows, its gates and exit codes, its forms, and the cases it writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jsonschema
import pytest

from exitgate.cli.main import main
from exitgate.core.policy.shipped import schema

POLICY = """\
policy: small
format: 1
version: 1.2.0
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: enough, when: tasks.percent >= $enough, exit: complete, because: enough}
  - {id: late, when: tasks.done > 90, exit: stuck, because: late}
otherwise: continue
"""
TESTS = """\
format: 1   # of this file
tests:
    # what ends it
    - name: most are done
      facts: {tasks.total: 10, tasks.done: 9}   # nine
      expect: {class: complete, rule: enough}

    - name: half are done
      facts: {tasks.total: 10, tasks.done: 5}
      expect: {verdict: CONTINUE}
    # the end
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def mutate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """Return a function that runs the command in a folder with a policy and its tests."""
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY)
    Path("tests.yaml").write_text(TESTS)

    def run(*words: str) -> Ran:
        code = main(["mutate", *words])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


def test_survivors_are_shown_with_what_changed_and_a_case(mutate: Callable[..., Ran]) -> None:
    ran = mutate("tests.yaml", "--rule", "enough", "--kinds", "comparison,effect")
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.out
        == """\
./policy.yaml:9:10: enough:comparison:1 survived
  - tasks.percent >= $enough
  + tasks.percent > $enough
  a case that would catch it:
    - name: "notices enough:comparison:1"
      facts: {tasks.percent: 80}
      expect: {verdict: EXIT, class: complete, rule: enough}

✗ tests.yaml  small 1.2.0: 2 cases
  3 mutants: 2 killed, 1 survived

66.6% killed of 3 that count
"""
    )


def test_the_gate_counts_what_is_left(mutate: Callable[..., Ran]) -> None:
    assert mutate("tests.yaml", "--kinds", "comparison", "--fail-under", "0").code == 0
    ran = mutate("tests.yaml", "--kinds", "comparison", "--fail-under", "50%")
    assert ran.code == 69
    assert ran.out.endswith("tests.yaml: 0% killed, and `--fail-under` asks for 50%\n")
    assert mutate("tests.yaml", "--kinds", "dropped_rule", "--fail-under", "50").code == 0


def test_stale_excuses_are_findings(mutate: Callable[..., Ran]) -> None:
    excuse = "mutants: {excused: [{id: enough:effect:1, why: so}, {id: enough:comparison:1, why: may}]}\n"
    Path("tests.yaml").write_text(TESTS + excuse)
    ran = mutate("tests.yaml")
    assert ran.code == 69
    assert "error[EP516]: the mutant `enough:effect:1` is killed by `most are done`" in ran.out
    assert "enough:comparison:1 survived" not in ran.out
    assert "1 excused" in ran.out


def test_json_fits_its_schema_and_is_the_same_twice(mutate: Callable[..., Ran]) -> None:
    ran = mutate("tests.yaml", "--format", "json")
    found = json.loads(ran.out)
    jsonschema.Draft202012Validator(schema("mutation")).validate(found)
    assert ran.out == mutate("tests.yaml", "--format", "json").out
    assert found["schema"] == "exitgate/mutation@2"
    policy = found["policies"][0]
    assert sum(policy["counts"].values()) == len(policy["mutants"])
    killed = next(one for one in policy["mutants"] if one["id"] == "enough:effect:1")
    assert (killed["status"], killed["by"], killed["case"]) == ("killed", "most are done", None)
    assert policy["percent"] == found["percent"] < 100


def test_markdown_has_a_table_and_each_survivor(mutate: Callable[..., Ran]) -> None:
    ran = mutate("tests.yaml", "--format", "markdown", "--kinds", "comparison")
    assert "| small 1.2.0 | 2 | 0 | 2 | 0 | 0 | 0 | 0% |" in ran.out
    assert "**`enough:comparison:1`** survived (./policy.yaml:9:10)" in ran.out
    assert "```diff\n- tasks.percent >= $enough\n+ tasks.percent > $enough\n```" in ran.out
    assert '```yaml\n  - name: "notices enough:comparison:1"' in ran.out


def test_the_result_goes_to_a_file_and_the_text_to_stdout(mutate: Callable[..., Ran]) -> None:
    ran = mutate("tests.yaml", "--kinds", "effect", "--format", "json", "-o", "found.json")
    assert json.loads(Path("found.json").read_text())["schema"] == "exitgate/mutation@2"
    assert ran.out.startswith("✗ tests.yaml") or "survived" in ran.out


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_cases_are_added_and_the_file_stays_as_it_was(mutate: Callable[..., Ran], line_end: str) -> None:
    before = TESTS.replace("\n", line_end)
    Path("tests.yaml").write_bytes(before.encode())
    ran = mutate("tests.yaml", "--write-tests", "tests.yaml")
    added = int(ran.err.split()[1])
    assert ran.err == f"added {added} cases to tests.yaml\n"
    after = Path("tests.yaml").read_bytes().decode()
    head, _, tail = before.partition("    # the end")
    assert after.startswith(head)
    assert after.endswith("    # the end" + tail)
    new = after[len(head) : -len("    # the end" + tail)]
    assert new.count("- name: ") == added
    assert all(line.startswith("    ") for line in new.split(line_end) if line)
    assert "\n" not in new.replace(line_end, "")
    again = mutate("tests.yaml", "--write-tests", "tests.yaml", "--fail-under", "100")
    assert (again.code, again.err) == (0, "nothing to add to tests.yaml\n")
    assert Path("tests.yaml").read_bytes().decode() == after


def test_cases_begin_a_file_that_is_not_there(mutate: Callable[..., Ran]) -> None:
    Path("more").mkdir()
    ran = mutate("tests.yaml", "--write-tests", "more/boundaries.yaml")
    assert ran.err.startswith("wrote ")
    text = Path("more/boundaries.yaml").read_text()
    assert text.startswith("format: 1\npolicy: ../policy.yaml\ntests:\n  - name: ")
    assert main(["test", "more/boundaries.yaml"]) == 0


def test_a_file_that_takes_no_cases_stays_as_it_was(mutate: Callable[..., Ran]) -> None:
    flow = "format: 1\npolicy: policy.yaml\ntests: [{name: one, expect: {verdict: CONTINUE}}]\n"
    Path("flow.yaml").write_text(flow)
    ran = mutate("tests.yaml", "--write-tests", "flow.yaml")
    assert ran.code == 65
    assert "EP518" in ran.err
    assert Path("flow.yaml").read_text() == flow
    other = POLICY.replace("default: 80", "default: 30")
    Path("other.yaml").write_text(other)
    wrong = "format: 1\npolicy: other.yaml\ntests:\n  - {name: one, expect: {verdict: CONTINUE}}\n"
    Path("wrong.yaml").write_text(wrong)
    ran = mutate("tests.yaml", "--write-tests", "wrong.yaml")
    assert ran.code == 65
    assert "would fail in `wrong.yaml`" in ran.err
    assert Path("wrong.yaml").read_text() == wrong


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--kinds", "boundry"), 64, "did you mean `boundary`"),
        (("--fail-under", "most"), 64, "`most` is not a percentage"),
        (("--fail-under", "101"), 64, "`101` is not a percentage"),
        (("--rule", "nobody"), 66, "there is no mutant of `nobody`"),
        (("--kinds", "member"), 66, "there is no mutant of these kinds"),
        (("-k", "nothing_like_it"), 66, "no case is selected by `-k nothing_like_it`"),
        (("-k", "a and"), 64, "`-k` cannot be read"),
        (("--set", "nobody=1"), 65, "nobody"),
        (("-o", "x.txt", "--write-tests", "x.txt"), 64, "name two files"),
        (("-o", "tests.yaml"), 64, "tests.yaml"),
    ],
)
def test_mistakes_on_the_command_line(
    mutate: Callable[..., Ran], words: tuple[str, ...], code: int, said: str
) -> None:
    ran = mutate("tests.yaml", *words)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err


def test_paths_that_lead_to_no_tests(mutate: Callable[..., Ran]) -> None:
    Path("tests.yaml").unlink()
    ran = mutate("policy.yaml")
    assert (ran.code, ran.out) == (66, "")
    assert mutate("gone.yaml").code == 66
    Path("tests.yaml").write_text(TESTS + "  nonsense: 1\n")
    assert mutate("tests.yaml").code == 65


def test_a_failing_case_comes_first(mutate: Callable[..., Ran]) -> None:
    Path("tests.yaml").write_text(TESTS.replace("CONTINUE", "EXIT"))
    ran = mutate("tests.yaml")
    assert (ran.code, ran.out) == (69, "")
    assert "error[EP515]: `half are done` fails without any mutant" in ran.err


def test_cases_of_several_policies_go_into_no_one_file(mutate: Callable[..., Ran]) -> None:
    Path("two").mkdir()
    Path("two/policy.yaml").write_text(POLICY)
    Path("two/tests.yaml").write_text(TESTS)
    ran = mutate("tests.yaml", "two", "--write-tests", "x.yaml")
    assert ran.code == 64
    both = mutate("tests.yaml", "two", "--kinds", "effect")
    assert both.code == 0
    assert both.out.count("small 1.2.0: 2 cases") == 2


def test_parameters_and_cases_can_be_chosen(mutate: Callable[..., Ran]) -> None:
    ran = mutate("tests.yaml", "--set", "enough=90", "--rule", "$enough")
    assert "$enough:boundary:1 survived" in ran.out
    assert "- 90%" in ran.out
    assert "$enough:boundary:2 survived" not in ran.out
    half = mutate("tests.yaml", "-k", "half", "--kinds", "dropped_rule")
    assert "small 1.2.0: 1 case\n  2 mutants: 2 survived" in half.out


def test_what_a_policy_says_cannot_steer_the_terminal(mutate: Callable[..., Ran]) -> None:
    note = "  status: {extract: status_block, from: response, name: S, fields: {note: {type: text}}}\n"
    loud = POLICY.replace("facts:\n", f"facts:\n{note}")
    loud = loud.replace("tasks.done > 90", "\"status.note is '\\x1b[31m\\u202e'\"")
    Path("policy.yaml").write_text(loud)
    ran = mutate("tests.yaml")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "\\x1b[31m" in ran.out
