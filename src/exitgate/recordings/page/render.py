"""The page as one HTML file: nothing is loaded, nothing of a transcript is ever code."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from exitgate import __version__
from exitgate.recordings.page.view import Page, Run
from exitgate.report.terminal import safe, safe_block

TEMPLATES = "templates"


def html(page: Page) -> str:
    """
    Return the page as HTML.

    Every text goes through autoescape, and through `safe` before: escape sequences, bidirectional marks, NUL
    and lone surrogates are written out, so that the file is valid UTF-8. Style and script are the packaged
    ones; the policy in the head allows them by their hash and nothing else.
    """
    style, script = _packaged("page.css"), _packaged("timeline.js") + _packaged("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            version=__version__,
            style=Markup(style),  # noqa: S704  # our own file
            script=Markup(script),  # noqa: S704  # our own file
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def fragment(run: Run, signs: tuple[tuple[str, str], ...]) -> str:
    """
    Return one run as the page shows it, for a page around it that has the page's style.

    Args:
        run: With everything that is shown of it.
        signs: Class -> sign, for the legend.
    """
    page = Page(policies=(), runs=(run,), remarks=(), signs=signs)
    return _environment().get_template("run.html.j2").render(run=run, page=page)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("exitgate.recordings.page", TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )


def _finalized(value: object) -> object:
    """Return what a template writes out, fit for a page; our own markup as it is."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return safe(value) if "\n" not in value else safe_block(value)
    return value


def _packaged(name: str) -> str:
    return files("exitgate.recordings.page").joinpath(TEMPLATES, name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
