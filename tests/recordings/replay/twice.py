"""The same iterations through real checks with a ledger, and through the walk of a dry run."""

from __future__ import annotations

import functools
import json
from typing import NamedTuple
from unittest import mock

from exitgate.core.envelopes.plain import looks_wrapped, plain
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import new_run
from exitgate.core.gate.settings import policy_of
from exitgate.core.state.request import Request
from exitgate.recordings.model import PROCESS, Begin, Provenance, from_unwrapped
from exitgate.recordings.replay.replay import Extraction, Replay

T0 = 1_700_000_000.0


class Turn(NamedTuple):
    """One iteration: what the agent wrote, how it ended, and how things stood then."""

    text: str | None = "working on it"
    plan: str | None = None
    exit: int | None = None
    at: float = 60.0
    prd: str | None = None
    breaker: str | None = None


class Story(NamedTuple):
    """A run: how things stood before, and its turns. Without `begun` the first check begins it."""

    turns: tuple[Turn, ...]
    plan: str | None = None
    prd: str | None = None
    begun: bool = True


def answer(text: str, cost: float | None = None, session: str | None = None, failed: bool = False) -> str:
    """Return what `--output-format json` prints."""
    told = {"type": "result", "subtype": "success", "is_error": failed, "result": text, "num_turns": 3}
    told |= {} if cost is None else {"total_cost_usd": cost}
    told |= {} if session is None else {"session_id": session}
    return json.dumps(told)


def outcome(decision):
    """Return all that a decision says; of its warnings, those of rules."""
    return {
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "stage": decision.stage,
        "message": decision.message,
        "advice": decision.advice,
        "firm": decision.firm,
        "blind": decision.blind,
        "alternatives": [(a.rule, a.verdict, a.exit_class) for a in decision.alternatives],
        "warnings": [(w.rule, w.message) for w in decision.warnings if w.rule],
        "shadows": decision.shadows,
    }


@functools.cache
def loaded(name):
    """Return a policy as a check has it."""
    return policy_of(Request(policy=name))


def really(root, name, story):
    """Return what the gate decides after each turn, up to the first EXIT that ends the run."""
    # the policy is read once: reading it is not what is compared here
    with (
        mock.patch("exitgate.core.gate.check.policy_of", lambda _: loaded(name)),
        mock.patch("exitgate.core.gate.settings.policy_of", lambda _: loaded(name)),
    ):
        return [outcome(one.decision) for one in checks(root, name, story)]


def checks(root, name, story):
    """Yield each check of the story until one ends the run."""
    asked = {"policy": name, "root": str(root), "state_dir": str(root / "state"), "run": "story"}
    if story.begun:
        write(root, None, story.plan, story.prd, None)
        new_run(Request(time=T0, **asked))
    now = T0
    for turn in story.turns:
        now += turn.at
        write(root, turn.text, turn.plan, turn.prd, turn.breaker)
        checked = check(Request(time=now, agent_exit=turn.exit, **asked))
        yield checked
        if checked.decision.verdict == "EXIT" and checked.decision.exit_class not in ("wait", "interrupted"):
            break


def walked(policy, story, *, to_the_end=False, git=()):
    """Return what the walk decides after each turn, as far as `really` goes."""
    start = T0 if story.begun else None
    files = {"prd.json": story.prd} if story.begun and story.prd is not None else {}
    begin = Begin("story", PROCESS, "story.log", start, plan=story.plan if story.begun else None, files=files)
    extraction, walk = Extraction(policy, begin), Replay(policy, begin)
    found, now = [], T0
    for number, turn in enumerate(story.turns, 1):
        now += turn.at
        record = git[number - 1] if number <= len(git) else None
        one = recorded(number, turn, now).but(git=record)
        decision = walk.step(extraction.step(one)).decision
        found.append(outcome(decision))
        ends = decision.verdict == "EXIT" and decision.exit_class not in ("wait", "interrupted")
        if ends and not to_the_end:
            break
    return found


def recorded(number, turn, ended_at):
    """Return the turn as a transcript tells it."""
    parts = {
        "plan": turn.plan,
        "exit_status": turn.exit,
        "ended_at": ended_at,
        "files": {} if turn.prd is None else {"prd.json": turn.prd},
        "circuit": None if turn.breaker is None else {"state": turn.breaker},
    }
    where = Provenance("story.log", number, number)
    if turn.text is None:
        from exitgate.recordings.model import RecordedIteration

        return RecordedIteration(number, where, **parts)
    failed = bool(turn.exit)
    read = unwrap(turn.text, failed=failed) if looks_wrapped(turn.text) else plain(turn.text, failed=failed)
    return from_unwrapped(number, where, read, **parts)


def write(root, text, plan, prd, breaker):
    """Leave in the project what an agent and its loop would have left there."""
    ralph = root / ".ralph"
    ralph.mkdir(exist_ok=True)
    circuit = None if breaker is None else json.dumps({"state": breaker})
    places = {
        ralph / "last-response.md": text,
        ralph / "@fix_plan.md": plan,
        root / "prd.json": prd,
        ralph / "circuit-state.json": circuit,
    }
    for path, content in places.items():
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_text(content, encoding="utf-8", newline="")
