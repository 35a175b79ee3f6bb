"""What a decision hangs on, as controls: facts and parameters, with the smallest change that turns it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from exitgate.analysis.counterfactuals.forecast import GROWING, ITERATIONS
from exitgate.analysis.counterfactuals.last_iteration import deciding
from exitgate.analysis.counterfactuals.parameters import parameter_changes
from exitgate.analysis.counterfactuals.search import Limits, single_changes, smallest_changes
from exitgate.analysis.counterfactuals.search_space import SearchSpace, result_of
from exitgate.analysis.counterfactuals.slots import is_dependent
from exitgate.analysis.results.counterfactual import FOUND, Change, Edit
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.decision import CONTINUE, Decision
from exitgate.core.model.display import shown
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import ORDERED, Type, Unknown, ends_of, is_number
from exitgate.core.policy.compiled import CompiledPolicy, Parameter
from exitgate.recordings.page.cells import CONTINUE as GOES_ON
from exitgate.recordings.page.cells import SIGNS
from exitgate.recordings.page.room import shortened
from exitgate.report.decision.counterfactuals import is_used
from exitgate.report.decision.explanation import names_of
from exitgate.report.decision.summary import verdict_text
from exitgate.surfaces.studio.workspace.decided_on import DecidedOn
from exitgate.surfaces.studio.workspace.policy_view import plain

#: What a search for changes of several facts may take while somebody waits.
PATIENCE = Limits(tests=1000, seconds=2.0)
#: Kinds of types that have a control.
KINDS = (*sorted(ORDERED), "bool", "enum", "text")
#: Characters of a text.
TEXT = 200
#: Why nothing is marked.
APART = (
    "Asked again, these facts give another decision than was made: nothing is marked as what would turn it."
)


def controls_json(one: DecidedOn, mask: Mask, fit: Callable[[str, object], bool]) -> dict[str, object]:
    """
    Return the controls of an iteration: what is pulled first comes first.

    Args:
        one: The iteration.
        mask: Hides secrets.
        fit: Whether the policy can be used with another value of a parameter.
    """
    counting = {name: one.base[name] for name in (ITERATIONS, *GROWING) if name in one.base}
    space = SearchSpace(one.played(), one.base, growing=counting)
    fits = space.result == result_of(one.decision)
    turns, ways = Turns(one.policy, mask), []
    if fits:
        turns.take(single_changes(space))
        turns.take(
            change for change in parameter_changes(space) if fit(change.name.removeprefix("$"), change.after)
        )
        changes = [found.best[0] for found in smallest_changes(space, PATIENCE) if found.status == FOUND]
        ways = [turns.way(change) for change in sorted(changes, key=_counts_up)]
    near = {*turns.found, *(edit["name"] for way in ways for edit in way["edits"])}  # type: ignore[attr-defined]
    deciding_rule = next((rule for rule in one.policy.rules if rule.id == one.decision.rule), None)
    decisive = set() if deciding_rule is None else set(names_of(deciding_rule.when, one.policy))
    facts = [
        {
            **_fact(one.policy.facts[name], one.base.get(name, Unknown("not recorded")), turns, mask),
            "near": name in near or name in decisive,
        }
        for name in sorted(
            settable(one), key=lambda name: (name not in near, is_used(name), name not in decisive, name)
        )
    ]
    knobs = [_parameter(parameter, turns) for parameter in pullable(one.policy)]
    return {
        "facts": facts, "parameters": sorted(knobs, key=lambda knob: not knob["turns"]), "ways": ways,
        "remark": "" if fits else APART,
    }  # fmt: skip


def _counts_up(change: Change) -> bool:
    """Return whether a change is one of what the run has used up: people do not think of those first."""
    return any(is_used(edit.name) for edit in change.edits)


def settable(one: DecidedOn) -> frozenset[str]:
    """Return the facts that the rules rest on and that do not follow from others."""
    played = one.played()
    rests = SearchSpace(played, one.base).rests
    names = {
        name
        for stage in played.stages
        for rule in deciding(one.policy, stage)
        for name in rests.of(rule.when)
    }
    found: set[str] = set()
    for name in names:
        if is_dependent(one.base, name):
            group = name.rpartition(".")[0]
            found |= {f"{group}.done", f"{group}.total"}
        else:
            found.add(name)
    return frozenset(n for n in found if n in one.policy.facts and one.policy.facts[n].type.kind in KINDS)


def pullable(policy: CompiledPolicy) -> Sequence[Parameter]:
    """Return the parameters that can be pulled: texts are not read again for one that extractors read."""
    reading = {name for entry in policy.extractions for name in entry.parameters}
    return [one for one in policy.parameters.values() if one.name not in reading and one.type.kind in KINDS]


class Turns:
    """The smallest changes of one value, by its name; a parameter has its ``$``."""

    def __init__(self, policy: CompiledPolicy, mask: Mask) -> None:
        self._policy = policy
        self._mask = mask
        self.found: dict[str, list[dict[str, object]]] = {}

    def take(self, changes: Iterable[Change]) -> None:
        """Take changes of one value each."""
        for change in sorted(changes, key=lambda one: one.effort):
            edit = change.edits[0]
            turn = {**self._edit(edit), **verdict_json(change.decision)}
            self.found.setdefault(edit.name, []).append(turn)

    def way(self, change: Change) -> dict[str, object]:
        """Return a change of several facts together, and what it leads to."""
        edits = [{"name": edit.name, **self._edit(edit)} for edit in change.edits]
        return {"edits": edits, **verdict_json(change.decision)}

    def _edit(self, edit: Edit) -> dict[str, object]:
        name = edit.name
        parameter, fact = self._policy.parameters.get(name.removeprefix("$")), self._policy.facts.get(name)
        of = parameter if name.startswith("$") else fact
        text = "another text" if edit.new else shown(edit.after, None if of is None else of.type)
        return {"value": plain(edit.after), "text": shortened(self._mask.mask(text), TEXT)}

    def numbers(self, name: str) -> Iterator[float]:
        """Yield the numbers at which something turns."""
        for turn in self.found.get(name, ()):
            value = turn["value"]
            if is_number(value):
                yield value


def _fact(spec: FactSpec, value: object, turns: Turns, mask: Mask) -> dict[str, object]:
    held = plain(value)
    if isinstance(held, str):
        held = shortened(mask.mask(held), TEXT)
    return {
        **_ranged(spec.name, spec.type, value, spec.low, spec.high, turns),
        "doc": spec.doc, "value": held, "text": shortened(mask.mask(shown(value, spec.type)), TEXT),
        "why": mask.mask(value.reason) if isinstance(value, Unknown) else "",
    }  # fmt: skip


def _parameter(one: Parameter, turns: Turns) -> dict[str, object]:
    return {
        **_ranged(f"${one.name}", one.type, one.value, one.low, one.high, turns),
        "doc": one.doc, "value": plain(one.value), "text": shown(one.value, one.type), "why": "",
    }  # fmt: skip


def _ranged(
    name: str, type: Type, value: object, low: float | None, high: float | None, turns: Turns
) -> dict[str, object]:
    """Return name, type and range of a control; `top` is where its slider ends."""
    low, high = ends_of(type.kind, low, high)
    numbers = [abs(one) for one in (value, low or 0, *turns.numbers(name)) if is_number(one)]
    return {
        "name": name, "type": type.kind, "choices": list(type.members), "unit": type.currency or "",
        "low": low, "high": high, "top": round(max(10, *numbers) * 1.5) if high is None else high,
        "turns": turns.found.get(name, []),
    }  # fmt: skip


def verdict_json(decision: Decision) -> dict[str, object]:
    """Return a decision in a word, its class as a tone and a sign."""
    tone = GOES_ON if decision.verdict == CONTINUE else decision.exit_class or GOES_ON
    words = verdict_text(decision.verdict, decision.exit_class)
    return {
        "tone": tone, "sign": SIGNS[tone], "words": words if decision.firm else f"{words}, tentative",
        "firm": decision.firm, "rule": decision.rule or "",
    }  # fmt: skip


def values_text(values: Mapping[str, object], policy: CompiledPolicy, name: str, mask: Mask) -> str:
    """Return the value of a fact as people read it."""
    spec = policy.facts.get(name)
    text = shown(values.get(name, Unknown("not recorded")), None if spec is None else spec.type)
    return shortened(mask.mask(text), TEXT)
