"""Colours of the page: every ink on its ground is at least 4.5 to 1, light and dark (WCAG 2.2, 1.4.3)."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

CSS = files("exitgate.recordings.page").joinpath("templates", "page.css").read_text(encoding="utf-8")
#: What is written on which grounds beside the pairs that their names tell.
ALSO = {
    "quiet": ("page", "panel", "faint", "on"),
    "link": ("page", "panel", "on"),
    "limit": ("page", "panel"),
    "page-ink": ("page", "panel", "on"),
    "panel-ink": ("page", "panel", "on"),
    "good-ink": ("page", "panel"),
    "bad-ink": ("page", "panel"),
    "ask-ink": ("page", "panel", "on"),
    "good-full": ("page", "on"),
    "bad-full": ("page", "on"),
    "ask-full": ("page", "on"),
    "spent-full": ("page", "on"),
    "faint-ink": ("page", "on"),
}


def schemes() -> dict[str, dict[str, str]]:
    """Return the custom properties that are colours, light and dark."""
    light, dark, *_ = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    colours = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in (light, dark)]
    return {"light": colours[0], "dark": {**colours[0], **colours[1]}}


def luminance(colour: str) -> float:
    """Return the relative luminance, as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pairs(colours: dict[str, str]) -> list[tuple[str, str]]:
    named = [(name, name.removesuffix("-ink")) for name in colours if name.endswith("-ink")]
    return named + [(ink, ground) for ink, grounds in ALSO.items() for ground in grounds]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_ink_can_be_read_on_its_ground(scheme: str) -> None:
    colours = schemes()[scheme]
    low = {
        f"{ink} on {ground}": round(contrast(colours[ink], colours[ground]), 2)
        for ink, ground in pairs(colours)
        if contrast(colours[ink], colours[ground]) < 4.5
    }
    assert low == {}


def test_dark_changes_every_colour() -> None:
    found = schemes()
    assert {name for name, colour in found["light"].items() if found["dark"][name] == colour} == set()
    assert len(found["light"]) > 30


def test_no_colour_stands_outside_the_two_schemes() -> None:
    rest = re.sub(r":root \{.*?\}", "", CSS, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?!\s*\{)", rest) == []


def test_the_measure_knows_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48
