"""Size of what the agent said."""

from __future__ import annotations

from exitgate.core.facts.plans.marks import lines_in
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, SIGNATURE, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "output"
SOURCE = "response"
OPTIONS: dict[str, object] = {}

_MISSING = "without a readable source"

_SPECS = (
    FactSpec("length", COUNT, "Characters of the text.", _MISSING, low=0),
    FactSpec("lines", COUNT, "Lines of the text; an unfinished last one counts.", _MISSING, low=0),
    FactSpec("empty", BOOL, "The text is blank.", _MISSING),
    FactSpec(
        "content",
        SIGNATURE,
        "A hash of the words of the text: texts that differ only in white space have the same one.",
        "without a readable source, or if it is blank",
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: JsonObject,  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """Return size and emptiness of the source's text. An empty text is readable: its length is 0."""
    given = iteration.source(source)
    text = given.text
    if text is None:
        return tuple(
            Fact(f"{prefix}.{spec.name}", Unknown(given.reason, f"{prefix}.{spec.name}")) for spec in _SPECS
        )
    return (
        Fact(f"{prefix}.length", len(text)),
        Fact(f"{prefix}.lines", lines_in(text)),
        Fact(f"{prefix}.empty", not (words := text.replace("\ufeff", "").split())),
        Fact(
            f"{prefix}.content",
            _content(words) or Unknown("the text is blank", f"{prefix}.content"),
        ),
    )


def _content(words: list[str]) -> str:
    """Return a digest of the words, 24 digits; the empty text for none."""
    from exitgate.core.system.digest import blake2b

    return (
        blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() if words else ""
    )
