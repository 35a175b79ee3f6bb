"""The hosts there are: whether they are found here, and where the hook is installed."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.look import Looked, Sight
    from exitgate.report.style import Style


def sights() -> list[Sight]:
    """Return what is found of every host, from this folder."""
    from exitgate.cli.install_plan import root_here
    from exitgate.hosts.install.look import look
    from exitgate.hosts.install.registry import HOSTS

    root = root_here()
    return [look(host, root, os.environ) for host in HOSTS.values()]


def hosts_text(style: Style) -> str:
    """Return a line or more for each host."""
    from exitgate.report.findings import ABSENT, FOUND, GLYPHS
    from exitgate.report.safe import safe
    from exitgate.report.width import pad, wrap

    lines = []
    for sight in sights():
        glyph, role = GLYPHS[FOUND if sight.installed else ABSENT]
        head = f"{glyph} {pad(sight.host.id, 11)}  "
        first, *rest = wrap(safe(", ".join(_words(sight))), style.width, head, " " * len(head))
        lines.append(style.paint(role, glyph) + " " + style.paint("name", first[2:13]) + first[13:])
        lines += rest
    lines += ["", "`exitgate install HOST` shows what it would write"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def hosts_json() -> list[dict[str, object]]:
    """Return the same as plain values."""
    return [
        {
            "host": sight.host.id,
            "title": sight.host.title,
            "program": sight.program,
            "found": sight.is_found,
            "installed": bool(sight.installed),
            "files": [_file(one) for one in sight.files],
        }
        for sight in sights()
    ]


def _words(sight: Sight) -> list[str]:
    places = [f"installed in {one.shown}" for one in sight.installed]
    broken = [f"{one.problem.message}" for one in sight.files if one.problem is not None]
    found = f"{sight.host.title} is at {sight.program}" if sight.program else f"no {sight.host.title} on PATH"
    return [*(places or ["not installed"]), *broken, found]


def _file(one: Looked) -> dict[str, object]:
    return {
        "scope": one.scope,
        "path": one.path,
        "there": one.there,
        "events": dict(one.ours),
        "others": list(one.others),
        "problem": one.problem.message if one.problem is not None else None,
    }
