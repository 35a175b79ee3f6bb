"""What aider's notices say: costs, edits, errors of the service, interruptions."""

from __future__ import annotations

from exitgate.transcripts.recorded import AUTH, MODEL, USAGE_LIMIT

_REPORT, _COST = "Tokens: ", "Cost: $"
#: What follows the cost of one call, as versions spell it.
_CALL = (" message", " request")
_SENT, _RECEIVED = (" sent", " received")
_EDIT = "Applied edit to "
_RUN = "Running "
_MODELS = ("Main model: ", "Model: ")
_WITH = " with "
#: How the text of an exception of the library begins that calls the services.
_SERVICE = "litellm."
_KINDS = {"RateLimitError": USAGE_LIMIT, "AuthenticationError": AUTH, "PermissionDeniedError": AUTH}
INTERRUPTED, LEFT = "^C", "^C KeyboardInterrupt"
#: What is shown when a comment in a file that aider watches asks for something.
WATCHED = "Processing your request..."
_UNITS = {"k": 1_000, "M": 1_000_000}


def is_report(text: str) -> bool:
    """Return whether this is the report on a call of the model."""
    return text.startswith(_REPORT)


def tokens_in(text: str) -> int | None:
    """Return the tokens sent and received that a report tells; caches are among those sent."""
    found = None
    for part in text.removeprefix(_REPORT).partition(". ")[0].rstrip(".").split(", "):
        for mark in (_SENT, _RECEIVED):
            if part.endswith(mark) and (count := _amount(part.removesuffix(mark))) is not None:
                found = (found or 0) + round(count)
    return found


def cost_in(text: str) -> float | None:
    """Return the USD of this call that a report tells, not those of the session so far."""
    _, mark, rest = text.partition(_COST)
    number, blank, unit = rest.partition(" ")
    return _amount(number) if mark and (blank + unit).startswith(_CALL) else None


def edited(text: str) -> str | None:
    """Return the path of the file that an edit was applied to, None for other notices."""
    return text[len(_EDIT) :].strip() or None if text.startswith(_EDIT) else None


def is_act(text: str) -> bool:
    """Return whether aider did something for the model here: applied an edit, ran a command."""
    return edited(text) is not None or text.startswith(_RUN)


def model_in(text: str) -> str | None:
    """Return the model that is named at the start, None for other notices."""
    mark = next((mark for mark in _MODELS if text.startswith(mark)), None)
    return None if mark is None else text[len(mark) :].partition(_WITH)[0].strip()


def service_error(text: str) -> str | None:
    """Return the kind of error that an exception's name tells, None for other notices."""
    if not text.startswith(_SERVICE):
        return None
    name = text[len(_SERVICE) :].partition(":")[0]
    named = bool(name) and name.isalpha() and name[0].isupper()
    return _KINDS.get(name, MODEL) if named else None


def _amount(text: str) -> float | None:
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    whole = digits.strip().replace(",", "")
    plain = whole.isascii() and len(whole) < 20 and whole.replace(".", "", 1).isdigit()
    return float(whole) * unit if plain else None
