"""Every step from one format of policies to the next."""

from __future__ import annotations

from exitgate.analysis.migrate.step import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.migrate.step import Mapping as Document
    from exitgate.analysis.migrate.step import Remarks


#: How the first sketches of the format said which it was.
SKETCH_KEY, SKETCH, SKETCH_KIND = "apiVersion", "exit-policy/v1", "Policy"


def _from_0(document: Document, remarks: Remarks) -> Document:
    from exitgate.analysis.migrate.format_0 import migrate

    return migrate(document, remarks)


STEPS = (
    Step(
        0,
        "`format: 1` is written down; policies in the form of the first sketches (`apiVersion`, "
        "`metadata`, `params`, `then:`, `guards`) get that of format 1.",
        _from_0,
    ),
)


def format_of(plain: Mapping[str, object]) -> int | None:
    """Return the number of the format that a document is written in; None for what is not a policy."""
    number = plain.get("format")
    if plain.get(SKETCH_KEY) == SKETCH and plain.get("kind", SKETCH_KIND) == SKETCH_KIND:
        return 0
    if "policy" not in plain or "lexicon" in plain:
        return None
    if number is None:
        return 0
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def looks_like_policy(text: str) -> bool:
    """Return whether a text that cannot be read as YAML begins a line as a policy does."""
    return any(line.startswith(("policy:", f"{SKETCH_KEY}: {SKETCH}")) for line in text.splitlines())


def is_sketch(plain: Mapping[str, object]) -> bool:
    """Return whether a document is in the spelling of the first sketches."""
    return SKETCH_KEY in plain
