"""A counterexample as people read it, and as a case to paste into a tests.yaml."""

from __future__ import annotations

import json
from collections.abc import Mapping

from exitgate.analysis.results.answer import PROVED
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.yaml.scalars import resolve
from exitgate.testing.cases import series, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.invariants import Sampled

    Run = tuple[Mapping[str, object], ...]


AFTER_ITERATION = "after_iteration"
#: Characters that need no quotes in YAML, apart from letters and digits.
SAFE = frozenset("._-")


def as_text(sampled: Sampled, policy: CompiledPolicy) -> str:
    """Return lines: which invariant is broken, by which facts; or that it is proved, or not decided."""
    invariant = sampled.invariant
    head = f"{invariant.place}: " if invariant.place is not None else ""
    promise = f"{invariant.claim} {invariant.verdict.lower()}"
    if sampled.counterexample is None:
        if sampled.applies.status == PROVED:
            return f"{head}`{invariant.id}` promises nothing: `{invariant.text}` is never true"
        if sampled.answer.status == PROVED:
            return f"{head}`{invariant.id}` is proved"
        return f"{head}`{invariant.id}` is not decided: {sampled.answer.why}"
    lines = [
        f"{head}`{invariant.id}` is broken: {sampled.verdict}, but `{invariant.text}` promises {promise}"
    ]
    lines += [f"  {line}" for line in run_lines(sampled.counterexample, policy)]
    return "\n".join([*lines, "as a case:", as_case(sampled)])


def run_lines(run: Run, policy: CompiledPolicy) -> list[str]:
    """Return a line for each iteration of a run with its known facts."""
    lines = []
    for number, facts in enumerate(run, 1):
        said = ", ".join(f"{n} {values.shown(v, policy.facts[n].type)}" for n, v in sorted(facts.items()))
        lines.append(f"iteration {number} of {len(run)}: {said or 'nothing is known'}")
    return lines


def as_case(sampled: Sampled) -> str:
    """
    Return the counterexample as one case for `tests:`, which fails until the policy is fixed.

    Raises `ValueError` where there is no counterexample.
    """
    run = sampled.counterexample
    if run is None:
        raise ValueError("the invariant was not broken")
    invariant = sampled.invariant
    promised = invariant.verdict.upper()
    # No expectation says "any class but this one": a run that continues is what surely keeps such a promise.
    expected = f"verdict: {promised}" if promised in (EXIT, CONTINUE) else f"class: {invariant.verdict}"
    if invariant.claim == "never":
        expected = f"verdict: {EXIT if promised == CONTINUE else CONTINUE}"
    key, _, value = expected.partition(": ")
    return case_of(run, f"counterexample to {invariant.id}", {key: value}, invariant.stage)


def case_of(
    run: Run,
    name: str,
    expect: Mapping[str, object],
    stage: str = AFTER_ITERATION,
    settings: Mapping[str, object] | None = None,
) -> str:
    """
    Return a run of facts as one case for `tests:`, indented to be there.

    Args:
        run: Facts of each iteration, oldest first; one that does not exist is unknown.
        name: What the case is called.
        expect: What is decided at the end, by key: ``verdict``, ``class``, ``rule``.
        stage: The stage that decides.
        settings: Values of parameters that are not their defaults, by name.
    """
    steady, moving = _split(run)
    expected = ", ".join(f"{key}: {_yaml(value)}" for key, value in expect.items())
    lines = [f"  - name: {_yaml(name) if _quoted(name) else name}"]
    if stage != AFTER_ITERATION:
        lines.append(f"    stage: {stage}")
    if settings:
        lines.append("    set: {" + ", ".join(f"{n}: {_yaml(v)}" for n, v in settings.items()) + "}")
    if steady:
        lines.append("    facts: {" + ", ".join(f"{n}: {_yaml(v)}" for n, v in steady.items()) + "}")
    if moving:
        lines.append("    history:")
        lines += [f"      {name}: {_quote(text)}" for name, text in moving.items()]
    return "\n".join([*lines, f"    expect: {{{expected}}}"]) + "\n"


def _quoted(name: str) -> bool:
    """Return whether a name of several words needs quotes."""
    return not all(word and _yaml(word) == word for word in name.split(" "))


def series_lines(run: Run) -> list[str]:
    """Return a line for each fact of a run: what it is throughout, or its series."""
    steady, moving = _split(run)
    return [f"{n}: {_yaml(v)}" for n, v in steady.items()] + [f"{n}: {_quote(t)}" for n, t in moving.items()]


def _split(run: Run) -> tuple[dict[str, object], dict[str, str]]:
    """Return what is the same in every iteration, and the series of the rest."""
    steady: dict[str, object] = {}
    moving: dict[str, str] = {}
    for name in sorted({name for facts in run for name in facts}):
        track = [facts.get(name, series.GIVEN_UNKNOWN) for facts in run]
        if all(type(value) is type(track[0]) and value == track[0] for value in track):
            steady[name] = track[0]
        else:
            moving[name] = series.write([sample(value) for value in track])
    if not moving and len(run) > 1 and steady:
        name, value = steady.popitem()
        moving[name] = series.write([sample(value)] * len(run))
    return steady, moving


def sample(value: object) -> str | Unknown:
    """Return a value as a sample of a series: text that `values.read` takes for it, or `Unknown`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, tuple):
        return "[" + ",".join(_item(item) for item in value) + "]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _item(value: object) -> str:
    """Return an item of a list in a sample: in quotes where it would read as something else."""
    text = str(sample(value))
    plain = text and text == text.strip() and not any(sign in text for sign in ',"')
    return text if plain else '"' + text.replace('"', '""') + '"'


def _yaml(value: object) -> str:
    plain = values.write(value)
    if isinstance(plain, list):
        return "[" + ", ".join(_quote(x) if isinstance(x, str) else json.dumps(x) for x in plain) + "]"
    if not isinstance(plain, str):
        return json.dumps(plain)
    if plain and all(c.isalnum() or c in SAFE for c in plain):
        try:
            return (
                plain
                if plain.isascii() and resolve(plain) == plain and plain[0] not in SAFE
                else _quote(plain)
            )
        except OverflowError:
            return _quote(plain)
    return _quote(plain)


def _quote(text: str) -> str:
    """Return a text in double quotes; as YAML has it, a character beyond the first 65,536 is not a pair."""
    return '"' + "".join(c if c > "\uffff" else json.dumps(c)[1:-1] for c in text) + '"'
