"""Coverage of policies as one HTML file: the text of each policy, its leaves coloured by what cases show."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from exitgate import __version__
from exitgate.model.coverage import Share
from exitgate.report.coverage_spans import EXCUSED, FULL, HALF, MARKS, NONE, lines_of
from exitgate.report.coverage_text import glyph, missing, title
from exitgate.report.safe import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.model.coverage import Coverage

_LEGEND = (
    (FULL, "covered, both ways if there are two"),
    (HALF, "one way is missing"),
    (NONE, "no case covers it"),
    (EXCUSED, "excused"),
)


def coverage_html(found: Sequence[Coverage]) -> str:
    """
    Return the page. Nothing is loaded, there is no script, and every text is escaped.

    Hovering a leaf, or moving to it with the keyboard, says which case shows each truth.
    """
    style = files("exitgate.report").joinpath("templates", "coverage.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=PackageLoader("exitgate.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    whole = Share(0, 0)
    for one in found:
        whole += one.share
    return environment.get_template("coverage.html.j2").render(
        found=found,
        whole=whole,
        version=__version__,
        style=Markup(style),  # noqa: S704  # our own file
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        lines_of=lines_of,
        missing=missing,
        title=title,
        glyph=glyph,
        legend=[(state, MARKS[state], words) for state, words in _LEGEND],
    )


def _finalized(value: object) -> object:
    """Return what a template writes out, fit for a page; our own markup as it is."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return safe(value) if "\n" not in value else safe_block(value)
    return value
