"""What was said so far: the policy, its settings, the series of facts; and the records that follow."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.syntax.advice import understood
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import value_text
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type, Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.testing.as_test import of_facts
from exitgate.testing.cases import series, values
from exitgate.testing.counterexample import sample
from exitgate.testing.extract import Observed, observe

AFTER_ITERATION = "after_iteration"
_UNKNOWN = Unknown("not given in this iteration", "repl")


class Session:
    """
    A conversation about one policy. Nothing is written, and no state is read.

    Args:
        reference: Name of a shipped policy, or a path.
        settings: Values of parameters as texts, by name.
        profile: Name of a profile of the policy, or None.

    Raises:
        ExitgateError: The policy or a setting is wrong (65, 66, 74).
    """

    def __init__(self, reference: str, settings: Mapping[str, str], profile: str | None = None) -> None:
        self._reference = reference
        self._profile = profile
        self._begun_with = dict(settings)
        self.settings = dict(settings)
        #: Samples of facts that were given, oldest first.
        self.given: dict[str, tuple[object, ...]] = {}
        self.program = self._loaded(self.settings)
        self._observed: tuple[Observed, ...] | None = None

    def _loaded(self, settings: Mapping[str, str]) -> Program:
        return Program(load_policy(self._reference, settings=settings, profile=self._profile))

    @property
    def policy(self) -> CompiledPolicy:
        """The policy under the settings so far."""
        return self.program.policy

    @property
    def scope(self) -> Scope:
        """What conditions may name."""
        types = {name: parameter.type for name, parameter in self.policy.parameters.items()}
        return Scope(self.policy.facts, types, self.policy.conditions)

    @property
    def length(self) -> int:
        """Iterations there are: as many as the longest series has samples, at least one."""
        return max((len(samples) for samples in self.given.values()), default=1)

    def set(self, name: str, text: str) -> None:
        """Set a parameter. Raises `ExitgateError` for a name or value that the policy does not take."""
        tried = {**self.settings, name: text}
        self.program = self._loaded(tried)
        self.settings = tried
        self._observed = None

    def give(self, spec: FactSpec, name: str, text: str) -> None:
        """
        Give a fact as a series; an empty text takes it back.

        Raises `SeriesError` and `MisfitError` for a text that is not a series of its type.
        """
        self._observed = None
        if not text:
            self.given.pop(name, None)
            return
        samples = series.parse(text)
        self.given[name] = tuple(s if isinstance(s, Unknown) else values.read_fact(s, spec) for s in samples)

    def reset(self) -> None:
        """Forget every fact, and every setting that was made since the beginning."""
        self.program = self._loaded(self._begun_with)
        self.settings = dict(self._begun_with)
        self.given.clear()
        self._observed = None

    @property
    def observed(self) -> tuple[Observed, ...]:
        """
        Every iteration, oldest first, with computed facts and those of the breaker, which begins CLOSED.

        A single sample holds in each of them; a series ends at the current one and is unknown before
        its first sample.
        """
        if self._observed is None:
            length = self.length
            run = tuple(
                {name: _sample(samples, at - length, name) for name, samples in self.given.items()}
                for at in range(length)
            )
            self._observed = observe(of_facts(run, AFTER_ITERATION), self.program)
        return self._observed

    @property
    def records(self) -> tuple[Record, ...]:
        """What conditions read, oldest first."""
        return tuple(one.record for one in self.observed)

    def read(self, text: str) -> Node:
        """Return the checked tree of a condition or formula. Raises `LanguageError`."""
        return understood(text, self.scope, None)

    def track(self, name: str) -> str:
        """Return a fact as a series, ``3 _ 3 3``; behind it the bounds of a number that is unknown now."""
        type_ = self.policy.facts[name].type
        found = [record.get(name, _UNKNOWN) for record in self.records]
        text = series.write([_written(value, type_) for value in found])
        last = found[-1]
        bounds = isinstance(last, Unknown) and last.least is not None
        return f"{text} ({value_text(last, type_)})" if bounds else text


def _written(value: object, type_: Type) -> str | Unknown:
    """Return a value as a sample: times and percentages with their units, where no digit is lost."""
    text = sample(value)
    if type_.kind not in ("duration", "percent") or isinstance(text, Unknown):
        return text
    short = value_text(value, type_)
    try:
        return short if values.read(short, type_) == value else text
    except values.MisfitError:
        return text


def _sample(samples: tuple[object, ...], back: int, name: str) -> object:
    """Return a fact's sample of an iteration; `back` is -1 for the current one, -2 for the one before."""
    found: object = _UNKNOWN
    if len(samples) == 1 or -back <= len(samples):
        found = samples[0 if len(samples) == 1 else back]
    plain = found is _UNKNOWN or found is series.GIVEN_UNKNOWN
    return Unknown(found.reason, name) if plain and isinstance(found, Unknown) else found
