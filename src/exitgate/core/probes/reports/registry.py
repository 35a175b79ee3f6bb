"""The formats of reports, by the id that `reads:` names them with."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.probes.figures import Figures

_HERE = "exitgate.core.probes.reports"
#: Id -> its module.
FORMATS = {
    "coverage": "coverage",
    "go_json": "go_json",
    "json": "document",
    "junit": "junit",
    "lcov": "lcov",
    "lines": "lines",
    "sarif": "sarif",
    "tap": "tap",
}


def parser_of(format: str) -> Callable[..., Figures]:
    """
    Return what reads a report of a format; `KeyError` for an id that there is not.

    It takes the report and the instant of `time.monotonic` at which it has to be read, and raises
    `ReportError`.
    """
    parse: Callable[..., Figures] = import_module(f"{_HERE}.{FORMATS[format]}").parse
    return parse
