"""A run begun or ended by hand: `new-run` and `reset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exitgate.core.gate.extract import extract
from exitgate.core.gate.prior import time_of
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.line import EXPIRED, end_for, start_for
from exitgate.core.ledger.runs import Standing, reset_for, standing
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.sources import TAMPERING, Begun, read_made, read_texts, wanted
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state import discover
from exitgate.core.state.began import began_in
from exitgate.core.state.policy_snapshots import keep, kept
from exitgate.core.state.request import Request
from exitgate.core.state.tracked import tracked_during

#: Sources that speak of an iteration; before the first one, no matter what they hold is left over.
OF_AN_ITERATION = frozenset(("response", "output", "tool_results", "diff", "result"))


def new_run(request: Request) -> JsonObject:
    """
    Begin the next run of this name, no matter what became of the one before, and return its first line.

    The line holds iteration 0: the facts of the plan and of other sources that are there before any
    work, HEAD, and the hashes of files with changes. What an earlier loop left in the response is
    not looked at, only known by its digest, so that the first check knows it again.

    Raises:
        ExitgateError: As `exitgate.core.gate.check.check`.
    """
    from exitgate.core.gate.settings import policy_of

    policy = policy_of(request)
    name = discover.run_name(request)
    heard: dict[str, Source] = {}
    with Ledger(discover.state_dir(request)) as ledger:
        while True:
            now = time_of(request)
            last = ledger.last(name)
            # Iteration 0 was reached by every run, so asking for it begins another.
            where = standing(name, last, now, 0)
            ledger.release()
            tracked_during(ledger.directory, True, lambda: False)
            texts = read_texts(request, policy, heard=heard)
            facts, baseline, began = _iteration_0(request, policy, texts, where, now)
            keep(ledger.directory, policy)
            if ledger.retake() or ledger.last(name) == last:
                break
            ledger.look_again()
        if where.expired is not None:
            ledger.append(end_for(where.expired, now, EXPIRED, where.why))
        return ledger.append(
            start_for(
                where.run,
                now,
                policy,
                facts,
                baseline,
                f"a new run was asked for; {where.why}",
                [texts["response"]],
                began,
            )
        )


def reset(request: Request, reason: str = "asked for", told: list[str] | None = None) -> JsonObject | None:
    """
    End the current run of this name and set its counts to zero; the next check begins another.

    Returns the line that was appended, None when there was nothing to reset. The breaker stays as it
    is: it belongs to the state directory. Views of the policy that decided last are brought up to the
    reset; what kept them from it is added to `told`.

    Raises:
        ExitgateError: 64 for a name that cannot be used, 73, 74 and 75 as for a check.
    """
    name = discover.run_name(request)
    with Ledger(discover.state_dir(request)) as ledger:
        last = ledger.last(name)
        lines = () if last is None else ledger.tail(str(last["run"]), _LOOKED_AT)
        line = reset_for(lines, time_of(request), reason)
        if line is None:
            return None
        line = ledger.append(line)
        warnings = _refresh(request, ledger.directory, lines, line)
        if told is not None:
            told.extend(warnings)
        return line


_LOOKED_AT = 5


def _refresh(
    request: Request, directory: str, lines: Sequence[JsonObject], line: JsonObject
) -> tuple[str, ...]:
    """Bring the views of the policy that decided last up to `line`; return what could not be written."""
    from exitgate.core.views.update import update

    policies = (one.get("policy") for one in reversed(lines))
    named = next((found for found in policies if isinstance(found, dict)), None)
    if named is None:
        return ()
    try:
        policy = kept(directory, str(named.get("digest")))
    except ExitgateError as lost:
        return tuple(f"views stay as they were: {found.message}" for found in lost.diagnostics)
    return update(request.root, directory, policy.views, policy.values(), line)


def _iteration_0(
    request: Request, policy: CompiledPolicy, texts: Mapping[str, Source], where: Standing, now: float
) -> tuple[list[Fact], JsonObject | None, str]:
    """
    Return the facts there are before any work, what git facts of iteration 1 compare with, and the digest of
    what the run keeps of its beginning.
    """
    sources = {name: found for name, found in texts.items() if name not in OF_AN_ITERATION}
    sources |= read_made(request, policy, Begun(now), 0, now, again=True, plan=texts.get("plan"))
    if "day" in wanted(policy):
        from exitgate.core.state.day import Days

        days = Days(policy, discover.state_dir(request), now, where.run)
        sources["day"] = days.source(JsonObject(), JsonObject(iterations=0))
    found = extract(policy, Iteration(0, where.run, now, sources))
    late = tuple(f"{entry.prefix}." for entry in policy.extractions if entry.source in OF_AN_ITERATION)
    facts = [fact for name, fact in found.items() if not name.startswith(late)]
    began = began_in(discover.state_dir(request), sources.get(TAMPERING))
    git = sources.get("git")
    if git is None or git.record is None:
        return facts, None, began
    from exitgate.core.observe.git import baseline_of

    return facts, baseline_of(git.record), began
