"""`exitgate --version`."""

from __future__ import annotations

from exitgate import __version__
from exitgate.cli.answer import Answer
from exitgate.cli.usage import usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def version(words: Sequence[str]) -> Answer:
    """Return the version on one line, or as JSON for ``--version json`` and ``--version --json``."""
    if not words:
        return Answer(f"exitgate {__version__}\n")
    if list(words) not in (["json"], ["--json"], ["--format", "json"], ["--format=json"]):
        raise usage_error(f"unknown word `{words[0]}` after `--version`", "write `exitgate --version json`")
    import json
    import platform

    shown = {"exitgate": __version__, "python": platform.python_version(), "policy_format": 1}
    return Answer(json.dumps(shown) + "\n")
