"""
What commands print as JSON, as structs: the text and the JSON Schema of a form come from the same fields.

A docstring describes its struct, and its `Args:` the members: `exitgate.reference.output_schemas` takes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.report.diagnostics import ordered
from exitgate.report.formats.json import json_text

Count = Annotated[int, Meta(ge=0)]
Position = Annotated[int, Meta(ge=1)]
Percent = Annotated[float, Meta(ge=0, le=100)]
Seconds = Annotated[float, Meta(ge=0)]
#: A whole number as a text: it may have more digits than a float holds.
Digits = Annotated[str, Meta(pattern="^[0-9]+$")]
Stage = Annotated[
    str, Meta(extra_json_schema={"enum": ["before_iteration", "after_iteration", "after_failure"]})
]
Known = Annotated[str, Meta(extra_json_schema={"enum": ["proved", "not decided"]})]


class Output(Struct, frozen=True, forbid_unknown_fields=True):
    """One object of an output; members are printed in the order of its fields, those unset left out."""


class PlaceOutput(Output, frozen=True):
    """
    Where something is written.

    Args:
        file: Its path.
        line: From 1.
        column: From 1.
    """

    file: str
    line: Position
    column: Position


class RelatedOutput(Output, frozen=True):
    """
    Another place that matters.

    Args:
        message: What is there.
        place: FILE:LINE:COLUMN.
    """

    message: str
    place: str


class DiagnosticOutput(Output, frozen=True):
    """
    A diagnostic, as `exitgate validate --format json` prints one.

    Args:
        code: Its code, EPnnn.
        severity: How bad it is.
        message: What is wrong.
        help: What to do; may be empty.
        file: Where it is, if that is known.
        line: From 1.
        column: From 1.
        end_line: Where it ends.
        end_column: Behind the last character.
        related: Other places that matter.
    """

    code: str
    severity: str
    message: str
    help: str
    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    end_line: int | UnsetType = UNSET
    end_column: int | UnsetType = UNSET
    related: tuple[RelatedOutput, ...] | UnsetType = UNSET


def output_text(output: Output | Iterable[Output]) -> str:
    """Return an output, or a list of them, as indented JSON with a line end."""
    return json_text(to_builtins(output))


def place_output(place: Location | None) -> PlaceOutput | None:
    """Return a place without its end."""
    return None if place is None else PlaceOutput(place.file, place.line, place.column)


def diagnostic_outputs(diagnostics: Iterable[Diagnostic]) -> tuple[DiagnosticOutput, ...]:
    """Return diagnostics in the order people read them."""
    return tuple(_diagnostic(one) for one in ordered(diagnostics))


def _diagnostic(one: Diagnostic) -> DiagnosticOutput:
    related = tuple(RelatedOutput(word, str(other)) for word, other in one.related) or UNSET
    found = DiagnosticOutput(one.code, one.severity, one.message, one.help, related=related)
    at = one.place
    return (
        found
        if at is None
        else replace(
            found,
            file=at.file,
            line=at.line,
            column=at.column,
            end_line=at.end_line,
            end_column=at.end_column,
        )
    )
