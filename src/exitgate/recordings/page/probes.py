"""What probes said in the iterations of a run: those that were asked then, and those that a dry run takes."""

from __future__ import annotations

from collections import Counter

from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.model.value import micro
from exitgate.core.probes.answer import NAMES, PIECES, is_fresh
from exitgate.recordings import recorded_probes
from exitgate.recordings.page.cells import counted, span, usd
from exitgate.recordings.page.view import Probe
from exitgate.recordings.recorded_input import probes_of_recording
from exitgate.report.probes import amount_in, asked_text, came_out, pieces, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.facts.text.secrets import Mask
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.model import RecordedIteration

    #: Name of a probe, what it said, and the policies whose dry run takes that; none for what was asked then.
    Answered = tuple[str, JsonObject, tuple[str, ...]]

#: Probes of an iteration that are shown, characters of a line, lines that are shown without unfolding.
MOST, LINE, OPEN = 12, 200, 3
_MARKS = {
    recorded_probes.RECORDED: "recorded: the agent ran this very command",
    recorded_probes.GIVEN: "given with `--probe-results`",
}


def answers_of(
    recorded: Iterable[RecordedIteration], policies: Mapping[str, CompiledPolicy]
) -> dict[int, list[Answered]]:
    """
    Return, for each iteration in which probes answered, what they said.

    Args:
        recorded: The iterations.
        policies: By their names in the dry run.
    """
    asking = {name: policy for name, policy in policies.items() if recorded_probes.asks(policy)}
    found: dict[int, list[Answered]] = {}
    for one in recorded:
        said: list[Answered] = [(name, object_of(answer), ()) for name, answer in one.probes.items()]
        taken: dict[tuple[str, str], tuple[JsonObject, list[str]]] = {}
        for policy, probes in ((name, probes_of_recording(one, policy)) for name, policy in asking.items()):
            for name, answer in probes.items():
                if answer.text("mark"):
                    taken.setdefault((name, str(answer)), (answer, []))[1].append(policy)
        for (name, _), (answer, who) in taken.items():
            said.append((name, answer, tuple(who) if len(who) < len(policies) else ("",)))
        if said:
            found[one.index] = said
    return found


def totals_text(answers: Mapping[int, Sequence[Answered]]) -> str:
    """Return how many probes answered in a run, and what that took; the empty text for none."""
    said = [answer for one in answers.values() for _, answer, _ in one]
    fresh = [answer for answer in said if is_fresh(answer)]
    told = []
    if fresh:
        seconds = sum(amount_in(answer, "seconds") or 0.0 for answer in fresh)
        costs = [cost for answer in fresh if (cost := amount_in(answer, "cost")) is not None]
        took = [span(seconds) if seconds >= 1 else "under 1 s", *([usd(micro(sum(costs)))] if costs else [])]
        told.append(f"asked {counted(len(fresh), 'time')} ({', '.join(took)})")
    kinds = Counter(_kind(answer) for answer in said if not is_fresh(answer))
    return ", ".join([*told, *(f"{count} {kind}" for kind, count in kinds.items())])


def _kind(answer: JsonObject) -> str:
    return answer.text("mark") or ("reused" if "reused" in answer else "refused")


def shown(answers: Sequence[Answered], mask: Mask) -> tuple[tuple[Probe, ...], int]:
    """Return what the page shows of an iteration's probes, secrets hidden, and how many are left out."""
    return tuple(_probe(*one, mask) for one in answers[:MOST]), max(0, len(answers) - MOST)


def _probe(name: str, answer: JsonObject, policies: tuple[str, ...], mask: Mask) -> Probe:
    word, _ = came_out(answer)
    mark = answer.text("mark") or ""
    if answer.text("reason") == mark:
        answer = JsonObject({**answer, "reason": None})
    failing, passed = answer.texts("failing")[:NAMES], answer.flag("passed")
    lines = [one for one in pieces(answer) if one[2] != answer.get("reason")][:PIECES]
    return Probe(
        _short(name, mask),
        {True: "passed", False: "failed", None: "open"}[passed],
        word,
        _short(summary(answer), mask),
        _short(_MARKS[mark] if mark else asked_text(answer), mask),
        ", ".join(policies),
        tuple(_short(one, mask) for one in failing),
        tuple((f"{_short(path, mask)}:{line}", _short(text, mask)) for path, line, text in lines),
        tuple(_short(note, mask) for note in answer.texts("notes")[:PIECES]),
        len(failing) + len(lines) > OPEN,
    )


def _short(text: str, mask: Mask) -> str:
    text = mask.mask(text)
    return text if len(text) <= LINE else text[: LINE - 1] + "…"
