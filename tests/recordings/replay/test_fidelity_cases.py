"""What chance seldom meets: the breaker's own history, secrets, blind runs, git, iterations after an EXIT."""

import subprocess

import pytest
from twice import Story, Turn, answer, checks, loaded, outcome, really, walked

BREAKER = """
policy: fused
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, lexicon: errors}
  progress: {extract: progress, signals: [tasks.done]}
circuit:
  open:
    - {id: idle, when: (not progress.made) for 2 consecutive iterations}
    - {id: same, when: errors.signature repeats 3 times}
  close: progress.made
  cooldown: 10m
rules:
  - {id: open, when: circuit.state is OPEN, warn: true, because: "open for {circuit.reason}"}
  - {id: half, when: circuit.state is HALF_OPEN, warn: true, because: half open}
otherwise: continue
"""
SECRET = """
policy: quiet
format: 1
version: 1.0.0
facts:
  same: {extract: similarity, window: 3, threshold: 90}
  errors: {extract: error_lines, lexicon: errors}
rules:
  - id: leak
    when: errors.count > 0
    warn: true
    because: "{errors.patterns}"
  - {id: again, when: same.highest > 95, exit: stuck, because: "{same.highest} alike"}
otherwise: continue
"""
BLIND = """
policy: blind
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
undetermined: {exit_after: 3}
rules:
  - {id: done, when: tasks.percent >= 90, exit: complete}
otherwise: continue
"""
WINDOWS = """
policy: times
format: 1
version: 1.0.0
parameters:
  lately: {type: duration, default: 20m, min: 1m, doc: How far a rule looks back.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: many, when: "count(output.length > 3, last $lately) >= 3", warn: true, because: many}
  - {id: still, when: tasks.done unchanged for $lately, warn: true, because: still}
  - {id: same, when: "count(output.length > 3, last 9 per tasks.current) >= 3", warn: true, because: same}
  - {id: young, when: not after 30m, warn: true, because: young}
otherwise: continue
"""
GIT = """
policy: tree
format: 1
version: 1.0.0
facts:
  progress: {extract: progress, signals: [git.content]}
rules:
  - {id: none, when: (not progress.made) for 2 consecutive iterations, exit: stuck, because: no progress}
  - {id: some, when: git.uncommitted > 0, warn: true, because: "{git.uncommitted} changed"}
otherwise: continue
"""


@pytest.fixture
def named(tmp_path, request):
    path = tmp_path / "policy.yaml"
    path.write_text(request.param)
    return str(path)


def plan(done):
    return "".join(f"- [{'x' if n < done else ' '}] task {n}\n" for n in range(5))


@pytest.mark.parametrize("named", [BREAKER], indirect=True)
def test_a_breaker_that_closed_forgets_what_was_before(tmp_path, named):
    done = (1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2)
    turns = tuple(
        Turn(f"Error: number {n // 4}\n({n})", plan(d), 0, 700.0 if n in (3, 9) else 60.0)
        for n, d in enumerate(done)
    )
    found = walked(loaded(named), Story(turns, plan(0)))
    assert found == really(tmp_path, named, Story(turns, plan(0)))
    told = [[rule for rule, _ in one["warnings"]] for one in found]
    assert told == [[], [], ["open"], ["half"], [], [], ["open"], ["open"], ["open"], ["half"], ["open"]]


@pytest.mark.parametrize("named", [WINDOWS], indirect=True)
def test_windows_in_time_and_per_key_see_the_same_iterations(tmp_path, named):
    turns = tuple(
        Turn(f"done with {n}", plan(d), 0, seconds)
        for n, (d, seconds) in enumerate([(0, 60), (0, 60), (1, 60), (1, 900), (1, 300), (1, 60), (0, 900)])
    )
    found = walked(loaded(named), Story(turns, plan(0)))
    assert found == really(tmp_path, named, Story(turns, plan(0)))
    told = [[rule for rule, _ in one["warnings"]] for one in found]
    assert told[0] == ["young"]
    assert {rule for rules in told for rule in rules} == {"many", "still", "same", "young"}


@pytest.mark.parametrize("named", [SECRET], indirect=True)
def test_secrets_are_hidden_before_anything_is_decided(tmp_path, named):
    key = "AKIA" + "Q7RT2WZX9PLM4KJB"
    other = "AKIA" + "ZZRT2WZX9PLM4KXX"
    turns = tuple(Turn(f"Error: {k} was refused at door {n}") for n, k in enumerate((key, other, key)))
    found = walked(loaded(named), Story(turns))
    assert found == really(tmp_path, named, Story(turns))
    assert key not in str(found)
    assert "masked" in found[0]["warnings"][0][1]
    assert found[-1]["class"] == "stuck"


@pytest.mark.parametrize("named", [BLIND], indirect=True)
@pytest.mark.parametrize("begun", [True, False])
def test_blind_decisions_in_a_row_end_a_run_as_they_end_a_loop(tmp_path, named, begun):
    story = Story(tuple(Turn(f"nothing of use {n}", None, 0) for n in range(5)), begun=begun)
    found = walked(loaded(named), story)
    assert found == really(tmp_path, named, story)
    assert [one["class"] for one in found] == [None, None, "undetermined"]


@pytest.mark.parametrize("named", [GIT], indirect=True)
def test_git_facts_are_those_that_were_recorded(tmp_path, named):
    root = tmp_path / "project"
    root.mkdir()
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    story = Story(tuple(Turn(f"turn {n}", plan(1), 0) for n in range(5)), begun=False)
    real, git = [], []
    for number, checked in enumerate(checks(root, named, story)):
        real.append(outcome(checked.decision))
        git.append(checked.iteration.sources["git"].record)
        (root / "made.txt").write_text(f"line {min(number, 1)}")
    assert walked(loaded(named), story, git=git) == real
    assert real[-1]["class"] == "stuck"
    assert all(one["rule"] is None for one in walked(loaded(named), story))


def test_after_an_exit_the_run_goes_on_with_its_history():
    turns = tuple(Turn(f"step {n}", plan(min(n, 2))) for n in range(9))
    found = walked(loaded("bb3"), Story(turns, plan(0)), to_the_end=True)
    stops = [n for n, one in enumerate(found, 1) if one["verdict"] == "EXIT"]
    assert stops == [6, 7, 8, 9]
    assert [one["rule"] for one in found[5:]] == ["stagnation"] * 4


def test_a_resumed_session_costs_what_this_turn_added(tmp_path):
    turns = tuple(Turn(answer(f"turn {n}", 0.5 * n, "s")) for n in range(1, 4))
    real = [one.facts["run.cost"].value for one in checks(tmp_path, "recommended", Story(turns))]
    assert real == [0.5, 1.0, 1.5]
