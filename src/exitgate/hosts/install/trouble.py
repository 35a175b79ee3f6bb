"""What is reported about settings that cannot be read or edited, with the snippet to paste by hand."""

from __future__ import annotations

import json

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.model.verdict import BAD_POLICY, CANNOT_READ, CANNOT_WRITE
from exitgate.policy.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.entries import WrongKindError
    from exitgate.hosts.install.host import Host, Wanted
    from exitgate.hosts.install.json_text import NotJsonError

#: Code -> what it means.
CODES = {
    "EP565": "the settings of a host are not JSON",
    "EP566": "the settings of a host have another value in the place for hooks",
    "EP567": "the settings of a host cannot be read as text, or cannot be written",
    "EP568": "the settings of exitgate are written in a way that cannot be edited",
    "EP569": "the settings of a host were changed by another program in the meantime",
}


def not_json(file: str, text: str, error: NotJsonError, by_hand: str = "") -> ExitgateError:
    """Return what is reported about a file that is not JSON; `by_hand` is what its reader could put there."""
    place, source = _at(file, text, error.offset)
    message = f"`{file}` is not JSON: {error.message}"
    help = f"fix it{_paste(by_hand)}; nothing was written"
    return ExitgateError([Diagnostic("EP565", message, place, help, source=source)], BAD_POLICY)


def wrong_kind(file: str, text: str, error: WrongKindError, by_hand: str = "") -> ExitgateError:
    """Return what is reported about settings whose hooks are not hooks."""
    place, source = _at(file, text, error.node.start)
    name = f"`{'.'.join(error.path)}`" if error.path else f"`{file}`"
    message = f"{name} should be an {error.wanted}, and is {_kind(error.node.plain())}"
    help = f"fix it{_paste(by_hand)}; nothing was written"
    return ExitgateError([Diagnostic("EP566", message, place, help, source=source)], BAD_POLICY)


def unusable(file: str, why: str, help: str, *, writing: bool = False) -> ExitgateError:
    """Return what is reported about a file that is not text, or that may not be written."""
    code = CANNOT_WRITE if writing else CANNOT_READ
    return ExitgateError([Diagnostic("EP567", f"`{file}` {why}", help=help)], code)


def changed_meanwhile(file: str) -> ExitgateError:
    """Return what is reported about a file that is not any more what the diff was made from."""
    message = f"`{file}` was changed by another program in the meantime"
    help = "nothing was written to it; look at the new diff and try again"
    return ExitgateError([Diagnostic("EP569", message, help=help)], CANNOT_WRITE)


def snippet(host: Host, wanted: Wanted) -> str:
    """Return what a person would paste into settings, on one line."""
    return json.dumps(host.document(wanted), ensure_ascii=False)


def _paste(by_hand: str) -> str:
    return f", or add this by hand: `{by_hand}`" if by_hand else ""


def _at(file: str, text: str, offset: int) -> tuple[Place, str]:
    lines = Lines(file, text)
    place = lines.place(offset)
    return place, lines.line(place.line)


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return f"`{json.dumps(value, ensure_ascii=False)[:40]}`"
