"""
`probes`: whether all probes of a list agree.

What only some of them can settle is settled as soon as those were asked: one that failed is enough to know
that not all passed. Until then a fact is not asked for yet.
"""

from __future__ import annotations

from exitgate.core.facts.extractors.probe import ASKED, answer_of, evidence_of, why
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, COUNT, NOT_ASKED, TEXT, Type, Unknown, Value, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.fact import Iteration

NAME = "probes"
SOURCE = "probes"
#: Nothing is looked at unless a policy names a fact of it.
ONLY_IF_NAMED = True
OPTIONS: dict[str, object] = {
    "of": {
        "description": "Names of probes, defined under `probes:` of the settings.",
        "type": "array",
        "maxItems": 50,
        "uniqueItems": True,
        "items": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 60},
        "default": [],
        "examples": [["tests", "lint"]],
    },
    "asked": ASKED,
}
#: Facts that say how far the questions got: for messages alone, no condition may rest on them.
SO_FAR = ("report", "details")
#: Characters of the longest `report` and of the longest `details`, and names in them.
REPORT_LENGTH, DETAILS_LENGTH, REPORT_NAMES = 500, 2000, 10

_TEXTS = Type("list", item=TEXT)
_UNANSWERED = "if one of them gave no answer and none failed"


def _spec(name: str, type: Type, doc: str, unknown: str = "", low: float | None = None) -> FactSpec:
    return FactSpec(name, type, doc, unknown, low=low, read=False)


_SPECS = (
    _spec("passed", BOOL, "Whether all of them passed; true of none.", _UNANSWERED),
    _spec("failed", COUNT, "How many of them failed.", low=0),
    _spec("not_answered", COUNT, "How many of them gave no answer: refused, out of time or broken.", low=0),
    _spec("failing", _TEXTS, "Names of the tests that failed, and of probes that failed and name none."),
    _spec(
        "no_better",
        COUNT,
        "How many times in a row, this one included, they failed and none of those that failed before had"
        " fewer failures; 0 if all passed.",
        _UNANSWERED,
        0,
    ),
    _spec("failed_before", COUNT, "The same before this iteration. Reading it asks nothing.", low=0),
    _spec(
        "unanswered",
        COUNT,
        "How many times in a row, this one included, it could not be known whether all passed.",
        low=0,
    ),
    _spec(
        "fewer_results",
        COUNT,
        "How many tests fewer than the most in this run were run, skipped ones aside; as reports say it.",
        low=0,
    ),
    _spec("report", TEXT, "What failed or gave no answer, as far as they were asked; for messages alone."),
    _spec("details", TEXT, "The same with the last lines that they wrote, a list; for messages alone."),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


class Standing(Value):
    """
    How the questions of a list came out in an iteration, for the next.

    Args:
        failures: Probe that failed -> how many failures it had, at least 1.
        no_better: As the fact says.
        unanswered: As the fact says.
        ran: Probe -> the most results that it had in the run and that were not skipped.
    """

    __slots__ = ("failures", "no_better", "ran", "unanswered")

    def __init__(
        self,
        failures: Mapping[str, int],
        no_better: int = 0,
        unanswered: int = 0,
        ran: Mapping[str, int] | None = None,
    ) -> None:
        self.failures = failures
        self.no_better = no_better
        self.unanswered = unanswered
        self.ran = ran or {}

    @classmethod
    def of(cls, plain: JsonObject) -> Standing:
        """Return what `to_json` wrote; nothing where there is none."""
        failures, ran = (
            {name: n for name, n in plain.object(key).items() if is_whole(n)} for key in ("failures", "ran")
        )
        return cls(failures, plain.whole("no_better", 0), plain.whole("unanswered", 0), ran)

    def to_json(self) -> dict[str, object]:
        """Return it as the run's totals keep it."""
        return {
            "failures": dict(self.failures),
            "no_better": self.no_better,
            "unanswered": self.unanswered,
            "ran": dict(self.ran),
        }

    def fewer(self, answers: Mapping[str, JsonObject]) -> int:
        """Return how many results fewer than before some probes have, those that were skipped aside."""
        gone = (
            before - ran_of(answers[name], before) for name, before in self.ran.items() if name in answers
        )
        return sum(one for one in gone if one > 0)

    def grown(self, answers: Mapping[str, JsonObject]) -> dict[str, int]:
        """Return the most results that each probe had by now."""
        return {
            **self.ran,
            **{name: max(self.ran.get(name, 0), ran_of(one, 0)) for name, one in answers.items()},
        }

    def after(self, answers: Mapping[str, JsonObject], names: tuple[str, ...]) -> Standing | None:
        """Return how it is after some probes of the list answered; None as long as that is not settled."""
        passed, ran = passed_of(answers, names), self.grown(answers)
        if passed is NOT_ASKED:
            return None
        if passed is None:
            return Standing(self.failures, self.no_better, self.unanswered + 1, ran)
        if passed is True:
            return Standing({}, ran=ran)
        if any(name in names and name not in answers for name in self.failures):
            return None
        failures = {name: failures_of(one) for name, one in answers.items() if one.flag("passed") is False}
        better = any(
            failures.get(name, 0) < before for name, before in self.failures.items() if name in answers
        )
        return Standing(failures, 1 if better else self.no_better + 1, 0, ran)


def standings(
    lists: Mapping[str, tuple[str, ...]], before: JsonObject, answers: Mapping[str, JsonObject]
) -> dict[str, dict[str, object]]:
    """
    Return how each list came out, for the next iteration.

    Args:
        lists: Prefix of an entry -> the probes that it asks, each once.
        before: What this returned for the iteration before.
        answers: Of the probes that were asked.
    """
    found = {}
    for prefix, names in lists.items():
        standing = Standing.of(before.object(prefix))
        own = {name: answers[name] for name in names if name in answers}
        found[prefix] = (standing.after(own, names) or standing).to_json()
    return found


def passed_of(answers: Mapping[str, JsonObject], names: tuple[str, ...]) -> bool | str | None:
    """Return whether all passed; None where that cannot be known, `NOT_ASKED` as long as it can be."""
    said = [answers[name].flag("passed") for name in names if name in answers]
    if False in said:
        return False
    if len(said) < len(names):
        return NOT_ASKED
    return None if None in said else True


def failures_of(answer: JsonObject) -> int:
    """Return how many failures a probe that failed had: 1 where it does not say."""
    return max(1, answer.whole("failed", 1))


def ran_of(answer: JsonObject, otherwise: int) -> int:
    """Return how many results of a probe were not skipped, as far as its report says it."""
    total = answer.whole("total")
    return otherwise if total is None else total - answer.whole("skipped", 0)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return what the probes of the list say together, from the answers in the source's record."""
    names = tuple(dict.fromkeys(options.texts("of")))
    answers: dict[str, JsonObject] = {}
    pending: list[str] = []
    for name in names:
        answer, reason = answer_of(iteration, source, name)
        if answer is not None:
            answers[name] = answer
        elif reason == NOT_ASKED:
            pending.append(name)
        else:
            answers[name] = JsonObject(status="broken", reason=reason)
    record = iteration.source(source).record or JsonObject()
    before = Standing.of(record.object("before").object(prefix))
    now = before.after(answers, names)
    failed = [name for name in names if name in answers and answers[name].flag("passed") is False]
    silent = [name for name in names if name in answers and answers[name].flag("passed") is None]
    passed = passed_of(answers, names)
    evidence = tuple(piece for name in (*failed, *silent) for piece in evidence_of(answers[name], name))
    values: dict[str, object] = {
        "passed": Unknown("; ".join(why(answers[one], one) for one in silent), prefix)
        if passed is None
        else passed,
        "failed": NOT_ASKED if pending else len(failed),
        "not_answered": NOT_ASKED if pending else len(silent),
        "failing": NOT_ASKED if pending else _failing(failed, answers),
        "no_better": NOT_ASKED if now is None else _known(now.no_better, passed, prefix),
        "failed_before": before.no_better,
        "unanswered": NOT_ASKED if passed is NOT_ASKED else before.unanswered + 1 if passed is None else 0,
        "fewer_results": NOT_ASKED if any(one in pending for one in before.ran) else before.fewer(answers),
        "report": _report(failed, silent, answers),
        "details": _details(failed, silent, answers),
    }
    shown = values.keys() - {"failed_before", "report", "details"}
    return tuple(
        _fact(f"{prefix}.{name}", value, evidence if name in shown else ()) for name, value in values.items()
    )


def _fact(name: str, value: object, evidence: tuple[Evidence, ...]) -> Fact:
    return Fact(name, Unknown(NOT_ASKED, name) if value is NOT_ASKED else value, evidence)


def _known(number: int, passed: object, prefix: str) -> object:
    return Unknown("it is not known whether they failed", prefix) if passed is None else number


def _failing(failed: list[str], answers: Mapping[str, JsonObject]) -> tuple[str, ...]:
    return tuple(test for name in failed for test in answers[name].texts("failing") or (name,))


def _report(failed: list[str], silent: list[str], answers: Mapping[str, JsonObject]) -> str:
    """Return what failed and what gave no answer, on one line."""
    parts = [_of_failed(name, answers[name], 1) for name in failed]
    parts += [why(answers[name], name) for name in silent]
    return "; ".join(parts)[:REPORT_LENGTH] if parts else "nothing failed"


def _details(failed: list[str], silent: list[str], answers: Mapping[str, JsonObject]) -> str:
    """Return the same as a list in Markdown, with the last lines of what has no names."""
    parts = [f"- {_of_failed(name, answers[name], 6)}" for name in failed]
    parts += [f"- {why(answers[name], name)}" for name in silent]
    return "\n".join(parts)[:DETAILS_LENGTH] if parts else "- nothing failed"


def _of_failed(name: str, answer: JsonObject, lines: int) -> str:
    names = answer.texts("failing")[:REPORT_NAMES]
    count = answer.whole("failed")
    status = answer.whole("exit_status")
    how = answer.text("reason") or ("failed" if status is None else f"exit status {status}")
    how = f"{count} failed" if count else how
    said = f"`{name}`: {how}"
    if names:
        more = max(0, (count or 0) - len(names))
        return f"{said}: {', '.join(names)}" + (f" and {more} more" if more else "")
    if answer.flag("judged"):
        return said  # its reason is all that it said
    wrote = [piece.excerpt for piece in evidence_of(answer, name)][-lines:]
    if not wrote:
        return said
    return (
        f"{said}: {wrote[0]}" if lines == 1 else "\n".join((f"{said}:", *(f"      {line}" for line in wrote)))
    )
