"""`exitgate diff`: what the two sides can be, what is told, which code it ends with."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import some
from cli_repository import BASE, POLICY, Program, Repository
from jsonschema import Draft202012Validator

from exitgate.core.policy import shipped

THRESHOLD = """\
policy.yaml (ours 1.2.0) → policy.yaml with goal=90 (ours 1.2.0)
decisions  2 kinds of input are decided differently
changes    parameters 1

Parameters
  ~ goal
      value  80% → 90%

Decisions
  2 kinds of input are decided differently, and no other; proved

  EXIT complete → CONTINUE  N of N points
    by `enough` → by no rule
    tasks.percent 89%

  EXIT complete → EXIT complete  N of N points
    by `enough` → by `words_too`
    tasks.percent 89%, words.found true
"""


def counted(text: str) -> str:
    """Return a text without its numbers of points: which ones are walked is a matter of the walk."""
    return re.sub(r"[\d,]+ of [\d,]+ points", "N of N points", text)


def test_a_policy_without_and_with_a_setting(repository: Repository, exitgate: Program) -> None:
    assert repository.folder.exists()
    code, out, err = exitgate("diff", "policy.yaml", "--set", "goal=90")
    assert (code, err, counted(out)) == (69, "", THRESHOLD)
    code, out, _ = exitgate("diff", "policy.yaml", "--set", "goal=90", "--cases")
    assert "        expect: {verdict: CONTINUE}\n" in out


@pytest.mark.parametrize("words", [("bb3", "bb3"), ("bb3@2.0.1", "bb3"), ("bb3:max_errors=5", "bb3")])
def test_a_policy_and_itself(exitgate: Program, words: tuple[str, str]) -> None:
    code, out, _ = exitgate("diff", *words)
    assert code == 0
    assert out.endswith("Decisions\n  no input is decided differently: the rules are the same\n")


def test_a_file_against_a_revision_with_what_it_extends(repository: Repository, exitgate: Program) -> None:
    repository.change("lib/base.yaml", "default: 80", "default: 90")
    repository.change("lib/own.yaml", "[finished]", "[finished, done]")
    code, out, _ = exitgate("diff", "policy.yaml", "--against", "HEAD")
    assert code == 69
    assert out.startswith("HEAD:policy.yaml (ours 1.2.0) → policy.yaml (ours 1.2.0)\n")
    assert "default  80% → 90%" in out
    assert 'lexicon.entries.finished.words  ["finished"{+, "done"+}]' in out
    assert "extraction differs: words" in out
    assert "tasks.percent 89%" in out


def test_revisions_on_both_sides(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "they said so", "so they said")
    repository.commit("v9")
    code, out, _ = exitgate("diff", "HEAD~1:policy.yaml", "v9:policy.yaml")
    assert code == 0
    assert "because  [-they said so-]{+so they said+}" in out or "because" in out
    assert exitgate("diff", "HEAD~1:./policy.yaml", "HEAD:.")[0] == 0


def test_a_path_of_a_revision_starts_at_the_top_or_here(
    repository: Repository, exitgate: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.folder / "lib")
    assert exitgate("diff", "HEAD:./base.yaml", "HEAD:lib/base.yaml")[0] == 0
    code, _, err = exitgate("diff", "HEAD:base.yaml", "base.yaml")
    assert code == 66
    assert "there is no file `base.yaml` in `HEAD`" in err


def test_versions_from_history(repository: Repository, exitgate: Program) -> None:
    repository.change("policy.yaml", "version: 1.2.0", "version: 2.0.0")
    repository.change("policy.yaml", "exit: complete", "exit: review")
    code, out, _ = exitgate("diff", "policy.yaml@1.2.0", "policy.yaml@2.0.0")
    assert code == 69
    assert "EXIT complete → EXIT review" in out
    code, _, err = exitgate("diff", "policy.yaml@3.0.0", "policy.yaml")
    assert code == 66
    assert "there is no version 3.0.0 of `policy.yaml`: here it is 2.0.0, and" in err
    assert exitgate("diff", "bb3@9.0.0", "bb3")[0] == 66


def test_nothing_is_left_behind_and_nothing_is_written(
    repository: Repository,
    exitgate: Program,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    private = tmp_path_factory.mktemp("private")
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    before = repository.git("status", "--porcelain", "--ignored")
    exitgate("diff", "policy.yaml", "--against", "HEAD")
    repository.change("policy.yaml", "words.found", "words.")
    repository.commit()
    assert exitgate("diff", "HEAD:policy.yaml", "bb3")[0] == 65
    assert list(private.iterdir()) == []
    assert repository.git("status", "--porcelain", "--ignored") == before


def test_what_is_wrong_in_a_revision_is_told_with_its_name(repository: Repository, exitgate: Program) -> None:
    repository.change("lib/base.yaml", "tasks.percent >= $goal", "tasks.percent >= $gaol")
    repository.commit()
    code, out, err = exitgate("diff", "HEAD:policy.yaml", "bb3")
    assert (code, out) == (65, "")
    assert "--> HEAD:lib/base.yaml:9:" in err
    assert "/tmp" not in err


def test_a_link_within_a_revision_is_followed_and_one_out_of_it_is_not(
    repository: Repository, exitgate: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (repository.folder / "link.yaml").symlink_to("lib/base.yaml")
    outside = tmp_path_factory.mktemp("outside") / "policy.yaml"
    outside.write_text(POLICY, encoding="utf-8")
    (repository.folder / "out.yaml").symlink_to(outside)
    repository.commit()
    assert exitgate("diff", "HEAD:link.yaml", "HEAD:lib/base.yaml")[0] in {0, 65}
    code, _, err = exitgate("diff", "HEAD:out.yaml", "bb3")
    assert code == 66
    assert "there is no file `out.yaml` in `HEAD`" in err


@pytest.mark.parametrize("revision", ["nope", "--help", "-x", "HEAD^{tree}", "HEAD:lib", "a b"])
def test_revisions_that_are_none(repository: Repository, exitgate: Program, revision: str) -> None:
    code, out, _ = exitgate("diff", "policy.yaml", f"--against={revision}")
    assert (code, out) == (66, "")


@pytest.mark.parametrize(
    "words",
    [("bb3",), ("bb3", "ralph", "recommended"), (), ("bb3", "--against", "HEAD", "ralph"),
     ("bb3", "ralph", "--set", "nonsense=1"), ("bb3:nonsense=1", "bb3"), ("bb3", "bb3", "--seconds", "0")],
)  # fmt: skip
def test_wrong_uses(exitgate: Program, words: tuple[str, ...]) -> None:
    assert exitgate("diff", *words)[0] == 64


def test_names_that_nothing_has(exitgate: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = exitgate("diff", "bb4", "bb3")
    assert code == 66
    assert "did you mean `bb3`?" in err
    code, _, err = exitgate("diff", "HEAD:policy.yaml", "bb3")
    assert code == 66
    assert "this folder is not in a\n    git repository" in err


def test_settings_go_to_each_that_has_the_parameter(repository: Repository, exitgate: Program) -> None:
    repository.write("other.yaml", BASE.replace("goal", "share").replace("lexicon: ./", "lexicon: ./lib/"))
    code, out, _ = exitgate("diff", "lib/base.yaml", "other.yaml", "--set", "goal=95", "--exit-zero")
    assert code == 0
    assert "value 95%" in out
    assert exitgate("diff", "lib/base.yaml", "lib/base.yaml", "--set", "goal=95")[0] == 0


def test_json(repository: Repository, exitgate: Program) -> None:
    words = ("diff", "lib/base.yaml", "lib/base.yaml:goal=81", "--format", "json")
    code, out, _ = exitgate(*words)
    assert repository.folder.exists()
    plain = json.loads(out)
    assert code == 69
    Draft202012Validator(shipped.schema("policy-diff")).validate(plain)
    assert plain["changes"] == [
        {"section": "parameters", "name": "goal", "kind": "changed",
         "details": [{"property": "value", "before": "80%", "after": "81%"}]}
    ]  # fmt: skip
    (kind,) = plain["decisions"]["kinds"]
    enough = {"verdict": "EXIT", "class": "complete", "outcome": "enough", "rule": "enough", "warnings": []}
    assert (kind["before"], kind["after"]["verdict"], kind["facts"]) == (
        enough, "CONTINUE", [{"tasks.percent": 80}],
    )  # fmt: skip
    assert "expect: {verdict: CONTINUE}" in kind["case"]
    assert (plain["decisions"]["differ"], plain["decisions"]["others"]) == (True, "proved")
    assert exitgate(*words)[1] == out


MARKDOWN = """\
## lib/base.yaml → lib/base.yaml:goal=81

One kind of input is decided differently, and no other; proved.

| | before | after | of the points |
|---|---|---|---|
| 1 | EXIT complete by `enough` | CONTINUE by no rule | N of N points |

**1**
- `tasks.percent 80%`

<details><summary>as a case</summary>

```yaml
  - name: no rule decides instead of EXIT complete by enough
    facts: {tasks.percent: 80}
    expect: {verdict: CONTINUE}
```

</details>

### Parameters

- `~` **goal**
  - value: ~~80%~~ **81%**
"""


def test_markdown(repository: Repository, exitgate: Program) -> None:
    assert repository.folder.exists()
    _, out, _ = exitgate("diff", "lib/base.yaml", "lib/base.yaml:goal=81", "--format", "markdown")
    assert counted(out) == MARKDOWN


#: Rules of `guardrails` that `bb3` extends, and `bb3-faithful` does not.
BOUNDS = (
    "agent_keeps_failing", "circuit_still_open", "cost_used_up", "interrupted", "iterations_used_up",
    "time_used_up",
)  # fmt: skip


LOOSE = """\
policy: loose
format: 1
version: 1.0.0
facts: {tasks: {extract: checklist, from: plan}}
rules:
  - {id: enough, when: tasks.percent >= 80, exit: complete, because: enough}
"""
STRICT = """\
policy: strict
format: 1
version: 1.0.0
facts: {tasks: {extract: checklist, from: plan}}
rules:
  - {id: used_up, when: run.iterations >= 9, exit: exhausted, stage: before_iteration, because: used up}
  - id: failing
    when: (run.failed) for 3 consecutive iterations
    exit: failed
    stage: after_failure
    because: failing
  - {id: all, when: tasks.percent >= 100, exit: complete, because: all}
  - {id: circling, when: tasks.done unchanged for 4 iterations, exit: stuck, because: circling}
"""


class Pair(NamedTuple):
    """Two policies, the rules that decide otherwise, and from how many records the history kind is told."""

    before: str
    after: str
    rules: set[tuple[str | None, str | None]]
    records: int


SMALL = Pair(
    "./loose.yaml", "./strict.yaml",
    {("enough", "all"), ("enough", "circling"), ("enough", None), (None, "circling"), (None, "used_up"),
     (None, "failing")},
    5,
)  # fmt: skip
SHIPPED = Pair(
    "bb3-faithful", "bb3",
    {("high_completion", "all_tasks_done"), (None, "circling"), *((None, bound) for bound in BOUNDS)}, 9,
)  # fmt: skip


@pytest.mark.parametrize("pair", some([SMALL, SHIPPED], 1), ids=lambda pair: pair.after)
def test_cases_are_cases_that_the_second_policy_passes(
    pair: Pair, exitgate: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loose.yaml").write_text(LOOSE, encoding="utf-8")
    (tmp_path / "strict.yaml").write_text(STRICT, encoding="utf-8")
    plain = json.loads(exitgate("diff", pair.before, pair.after, "--format", "json")[1])
    Draft202012Validator(shipped.schema("policy-diff")).validate(plain)
    kinds = plain["decisions"]["kinds"]
    assert {(kind["before"]["rule"], kind["after"]["rule"]) for kind in kinds} == pair.rules
    histories = {len(kind["facts"]) for kind in kinds if kind["after"]["rule"] == "circling"}
    assert histories == {pair.records}
    cases = "".join(kind["case"] for kind in kinds)
    (tmp_path / "tests.yaml").write_text(f"format: 1\npolicy: {pair.after}\ntests:\n{cases}", "utf-8")
    code, out, err = exitgate("test", "tests.yaml")
    assert code == 0, out + err


def test_recorded_runs(exitgate: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cli_loops import some_loops

    some_loops(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (tmp_path / "sure.yaml").read_text(encoding="utf-8")
    (tmp_path / "easy.yaml").write_text(text.replace("default: 80", "default: 50"), encoding="utf-8")
    code, out, _ = exitgate("diff", "./sure.yaml", "./easy.yaml", "--runs", "runs", "--seconds", "1")
    assert code == 69
    assert "Recorded runs\n" in out
    assert "0 of 3" in out
    plain = json.loads(exitgate("diff", "sure.yaml", "sure.yaml", "-r", "runs", "--format", "json")[1])
    Draft202012Validator(shipped.schema("policy-diff")).validate(plain)
    assert (len(plain["recorded"]["agreement"]), plain["recorded"]["divergences"]) == (1, [])
    assert exitgate("diff", "sure.yaml", "sure.yaml", "--runs", "nowhere")[0] in {66, 74}


def test_without_git_that_is_what_is_said(
    repository: Repository, exitgate: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert repository.folder.exists()
    monkeypatch.setenv("PATH", str(repository.folder))
    code, _, err = exitgate("diff", "policy.yaml", "--against", "HEAD")
    assert code == 74
    assert "git cannot be started" in err
    assert exitgate("diff", "policy.yaml", "policy.yaml")[0] == 0


def test_a_bare_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exitgate: Program) -> None:
    work = tmp_path / "work"
    work.mkdir()
    repository = Repository(work)
    repository.git("tag", "v1")
    repository.change("policy.yaml", "they said so", "so they said")
    repository.commit()
    repository.git("clone", "-q", "--bare", str(work), str(tmp_path / "bare.git"))
    monkeypatch.chdir(tmp_path / "bare.git")
    for before in ("v1:policy.yaml", "v1:./policy.yaml"):
        code, out, err = exitgate("diff", before, "main:policy.yaml")
        assert (code, err) == (0, "")
        assert "      because  {+so+} they said [-so-]\n" in out
