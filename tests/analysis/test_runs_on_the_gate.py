"""What the analysis shows as a run comes out so in checks of a loop, and what it plays is what checks do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from looping_policies import HEAD, policies

from exitgate.analysis.prove.backend import BOTH, WALK, Backend
from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.simulation import Simulation
from exitgate.analysis.space.counters import number_of_first
from exitgate.analysis.space.endings import INTERRUPTED, STATUS
from exitgate.analysis.space.reads import reads
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.record import read_facts
from exitgate.core.gate import breaker_control
from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.observe import clock as counters
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.request import Request

Run = Sequence[Mapping[str, object]]

BEFORE = "before_iteration"
#: Facts that a check counts or computes itself.
OWN = (
    "run.failed",
    "run.interrupted",
    "run.agent_exit",
    "run.failures_in_row",
    "run.iterations",
    "progress.",
    "circuit.",
)


class Checks:
    """A loop of checks in a folder: facts are given by hand, everything else is as the gate has it."""

    def __init__(self, folder: Path, policy: CompiledPolicy, path: Path) -> None:
        self._folder, self._policy, self._path = folder, policy, path
        self._done = 0

    def check(self, facts: Mapping[str, object], stage: str | None = None) -> CheckResult:
        self._done += 1
        given = dict.fromkeys(read_facts(self._policy), "unknown")
        given |= {name: written(name, value) for name, value in facts.items() if not name.startswith(OWN)}
        status = status_of(facts, self._policy)
        return check(
            Request(
                root=str(self._folder),
                policy=str(self._path),
                facts={name: text for name, text in given.items() if not name.startswith(OWN)},
                texts={"response": self._response(facts, status)},
                agent_exit=status,
                stage=stage,
                time=1_800_000_000.0 + 60 * self._done,
            )
        )

    def _response(self, facts: Mapping[str, object], status: int | None) -> str:
        """Return an answer; where no status says whether the agent failed, in a result that does."""
        answer, failed = f"answer {self._done}", facts.get("run.failed")
        if failed is None or (status is not None and failed is (status != 0)):
            return answer
        return json.dumps({"type": "result", "subtype": "success", "is_error": failed, "result": answer})


def written(name: str, value: object) -> str:
    if name == "run.cost":
        return f"{value} USD"
    return str(value).lower() if isinstance(value, bool) else str(value)


def status_of(facts: Mapping[str, object], policy: CompiledPolicy) -> int | None:
    """Return the agent's exit status; None where a condition is to find it unknown."""
    status, failed, interrupted = (facts.get(f"run.{n}") for n in ("agent_exit", "failed", "interrupted"))
    if status is not None or interrupted is True:
        return 130 if status is None else int(str(status).removesuffix(".0"))
    if interrupted is None and (failed is None or any(reads(policy, name) for name in (STATUS, INTERRUPTED))):
        return None
    return int(failed is True)


def decides(folder: Path, policy: CompiledPolicy, path: Path, run: Run, stage: str, rule: str) -> bool:
    """Return whether the rule decides its stage in the last check of a loop that comes to it."""
    ways: list[Mapping[str, object] | None] = [None]
    if stage == BEFORE:  # a look after an iteration of which the run says nothing
        grown = {name: value for name, value in run[-1].items() if name == "run.cost"}
        failed = {"run.failed": True, **grown}
        ways += [run[-1], grown, {"errors.count": 0, **grown}, {"tasks.done": 0, **grown}, failed]
    failures = [{"run.failed": True}] * failed_before(run, stage)
    for number, hidden in enumerate(ways):
        (home := folder / str(number)).mkdir()
        loop = Checks(home, policy, path)
        earlier = (*failures, *run[:-1], *([] if hidden is None else [hidden]))
        if not all(goes_on(loop.check(facts)) for facts in earlier):
            continue
        ends = {"run.failed": True} if stage == "after_failure" else {}
        last = loop.check({**ends, **run[-1]}, None if hidden is None else BEFORE).decision
        stage_of = {one.id: one.stage for one in policy.rules}
        true = [step.rule for step in last.steps if step.truth is True and stage_of[step.rule] == stage]
        if true[:1] == [rule] or last.exit_class == "undetermined":
            return True
    return False


def failed_before(run: Run, stage: str) -> int:
    """Return how many failures in a row come before the iterations shown, by what the first one counts."""
    row = run[0].get("run.failures_in_row", 0)
    fails = run[0].get("run.failed") is True or (len(run) == 1 and stage == "after_failure")
    assert isinstance(row, int)
    return max(0, row - fails)


def goes_on(checked: CheckResult) -> bool:
    decision = checked.decision
    return decision.verdict == "CONTINUE" or decision.exit_class in ("wait", "interrupted")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(policies(), st.sampled_from((WALK, BOTH)))
def test_what_is_shown_comes_out_in_a_loop_of_checks(
    tmp_path_factory: pytest.TempPathFactory, text: str, who: str
) -> None:
    path = tmp_path_factory.mktemp("p") / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        policy = load_policy(str(path))
    except ExitgateError as error:  # a rule that would end a silent run
        assert "EP4" in str(error), error
        return
    asker = Backend(who, Limits(2.0))
    for rule in policy.rules:
        run = asker.ask("can_decide", policy, rule.id).run
        if run is None or (number_of_first(run) or 2) > 1:
            continue
        if any(name.startswith("circuit.") for facts in run for name in facts):
            continue  # the breaker of a run before it
        folder = tmp_path_factory.mktemp("loop")
        assert decides(folder, policy, path, run, rule.stage, rule.id), (text, rule.id, run)


@given(st.lists(st.sampled_from((None, 0, 0, 1, 1, 130)), min_size=1, max_size=8))
def test_failures_in_a_row_are_counted_as_a_check_counts_them(statuses: Sequence[int | None]) -> None:
    policy = counting()
    play, totals, run = Simulation(policy), dict[str, object](), list[Mapping[str, object]]()
    for number, status in enumerate(statuses, 1):
        counted = counters.run(number, totals, None, status).record or {}
        totals |= counted
        said = {} if status is None else {"run.failed": status != 0, "run.interrupted": status == 130}
        made = play.step(said, number)
        assert made.get("run.failures_in_row") == counted.get("failures_in_row"), statuses[:number]
        row = counted.get("failures_in_row")
        run.append(said if row is None else {**said, "run.failures_in_row": row})
        assert number_of_first(run) == 1, run


_COUNTING: list[CompiledPolicy] = []


def counting() -> CompiledPolicy:
    """Return a policy that reads how the agent ended and how often it failed."""
    from tempfile import TemporaryDirectory

    if not _COUNTING:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "policy.yaml"
            when = "run.failed and run.interrupted and run.failures_in_row > 1"
            path.write_text(f"{HEAD}rules: [{{id: a, when: {when}, exit: stuck, because: x}}]\n", "utf-8")
            _COUNTING.append(load_policy(str(path)))
    return _COUNTING[0]


RESET = """\
circuit: {open: [{id: errors, when: (errors.count > 0) for 2 consecutive iterations}]}
rules:
  - id: asked
    when: circuit.state is CLOSED and (errors.count > 0) for 3 consecutive iterations
    exit: stuck
    because: x
"""


def test_a_reset_keeps_what_came_before_it_from_the_breaker(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(HEAD + RESET, encoding="utf-8")
    policy = load_policy(str(path))
    answer = Backend(WALK, Limits(5.0)).ask("can_decide", policy, "asked", small=True)
    assert answer.status == REFUTED, answer.why
    assert [facts.get("circuit.state") for facts in answer.run or ()][-1] == "CLOSED"
    loop = Checks(tmp_path, policy, path)
    for _ in range(2):
        loop.check({"errors.count": 1})
    breaker_control.reset(str(tmp_path / ".ralph" / "exitgate"))
    assert loop.check({"errors.count": 1}).decision.rule == "asked"


#: Rest of a policy and whether a loop of checks can come to its rule `asked`.
STAGES = {
    "a look does not know what moved": (
        "progress.made is unknown and tasks.done > previous(tasks.done), stage: before_iteration",
        True,
    ),
    "a look does not know what can be known": (
        "progress.known is unknown and tasks.done > previous(tasks.done), stage: before_iteration",
        True,
    ),
    "an iteration that ended knows what moved": (
        "progress.made is unknown and tasks.done > previous(tasks.done)",
        False,
    ),
    "a failed agent is asked about elsewhere": ("run.failed and errors.count > 5", False),
    "so is one that was interrupted": ("run.interrupted and errors.count > 5", False),
    "only a failed agent is asked about after a failure": (
        "run.failed is false and errors.count > 5, stage: after_failure",
        False,
    ),
    "of a failure it is known": ("run.failed is unknown and errors.count > 5, stage: after_failure", False),
    "failures in a row that an unknown end does not change": (
        "run.failures_in_row >= 1 and errors.count > 9",
        True,
    ),
    "only a look comes before the first iteration": ("run.iterations < 1", False),
    "a look before the first iteration": ("run.iterations < 1, stage: before_iteration", True),
}


@pytest.mark.parametrize("who", [WALK, BOTH])
@pytest.mark.parametrize("name", STAGES)
def test_what_a_stage_can_see(name: str, who: str, tmp_path: Path) -> None:
    when, can = STAGES[name]
    when, _, stage = when.partition(", ")
    path = tmp_path / "policy.yaml"
    rule = f'{{id: asked, when: "{when}", exit: stuck, because: x, on_silence: exit, why: x, {stage}}}'
    path.write_text(f"{HEAD}rules:\n  - {rule}\n", encoding="utf-8")
    policy = load_policy(str(path))
    answer = Backend(who, Limits(5.0)).ask("can_decide", policy, "asked", small=True)
    if not can:
        assert answer.status == PROVED or (who == WALK and answer.status != REFUTED), (answer.why, answer.run)
        return
    assert answer.run is not None, answer.why
    if (number_of_first(answer.run) or 0) == 1:
        asked = stage.partition(": ")[2] or "after_iteration"
        assert decides(tmp_path, policy, path, answer.run, asked, "asked"), answer.run


def test_progress_can_be_known_in_the_first_iteration(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    rule = '{id: asked, when: "progress.made and run.iterations <= 1", exit: review, because: x}'
    path.write_text(f"{HEAD}rules:\n  - {rule}\n", encoding="utf-8")
    policy = load_policy(str(path))
    assert Backend(BOTH, Limits(5.0)).ask("can_decide", policy, "asked").status != PROVED
    loop = Checks(tmp_path, policy, path)
    loop.check({"tasks.done": 1}, BEFORE)
    assert loop.check({"tasks.done": 2}).decision.rule == "asked"
