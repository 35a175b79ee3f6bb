"""
Facts that the caller of a check gives: what a policy declares under `given:`.

Nothing is read for them. A value comes with the check (``--fact``, `Gate.check(facts=...)`); without one
the fact is unknown.
"""

from __future__ import annotations

from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


#: What fills such a fact, in place of an extractor, and its source.
NAME = SOURCE = "given"
OPTIONS: dict[str, object] = {}
#: Why it is unknown.
REASON = "not given"


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """
    Return the one fact.

    Args:
        options: `name` of the fact, `type` as `Type.to_json` writes it, `doc`, `min` and `max`.
    """
    low, high, doc = options.number("min"), options.number("max"), str(options["doc"])
    # told apart by name: of two given facts one may be known and the other not
    unknown_when = f"no value is given for `{options['name']}`"
    return (FactSpec("", Type.from_json(options["type"]), doc, unknown_when, low, high, read=False),)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the fact, unknown: a value that was given takes its place."""
    del source, options, iteration
    return (Fact(prefix, Unknown(REASON, prefix)),)
