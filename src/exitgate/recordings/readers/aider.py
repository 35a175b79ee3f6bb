"""
aider's chat history, `.aider.chat.history.md`: several chats in a file, a run each.

A turn is a prompt with all that follows; that aider sends errors of an edit, a linter or a test back to the
model by itself is part of it. A command to aider (`/add`, `/undo`) on which the model says nothing is not a
turn. Only the start of a chat has a time, of a local clock without a zone, and is taken as UTC. The cost of
a turn is the sum over its calls of the model, as rounded in the report on each. What counts as a call of a
tool are applied edits and commands that were run.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.envelopes.plain import TEXT
from exitgate.core.model import capabilities
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import AUTH, TURN, USAGE_LIMIT, Begin, End, Part, Problem
from exitgate.recordings.probe import HEAD, Probe, in_fence

ID = "aider"
TITLE = "aider, chat history: a prompt and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.FILES_CHANGED,
        capabilities.COST, capabilities.TOKENS,
    )
)  # fmt: skip
_COMMANDS = ("/", "!")
_ENDING = ".aider.chat.history.md"


def fits(look: Probe) -> bool:
    """Return whether it begins with the heading of a chat, or has one and is not JSON."""
    text = look.text.lstrip("\0 \t\r\n")
    if text.startswith(STARTED):
        return True
    before, begun, _ = text.partition(f"\n{STARTED}")
    lines = before.split("\n")
    return text[:1] not in ("{", "[") and begun != "" and not in_fence(lines, len(lines))


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each chat that was started. Raises OSError when it cannot be read."""
    lines = Lines(is_marked(place.head(HEAD).decode("utf-8-sig", "replace")))
    chat: _Chat | None = None
    count = 0
    for number, raw in enumerate(place.lines(), 1):
        line = raw.decode("utf-8", "replace").replace("\0", "")
        if line.startswith(STARTED):
            if chat is not None:
                yield from chat.end()
            count += 1
            chat = _Chat(place, wants)
            yield _begin(place, count, line[len(STARTED) :].strip())
            lines = lines.again()
            continue
        if chat is None and line.strip():
            count += 1
            chat = _Chat(place, wants)
            yield _begin(place, count, "")
        if chat is not None:
            yield from chat.take(*lines.kind(line), number)
    if chat is None:
        yield Problem(place.path, "it has no chat")
        chat = _Chat(place, wants)
        yield _begin(place, 1, "")
    yield from chat.end()


def _begin(place: Location, number: int, started: str) -> Begin:
    name = place.name.removesuffix(_ENDING) or "aider"
    return Begin(f"{name}#{number}", TURN, place.path, instant(started))


class _Chat:
    """One chat: the turn that is open, and the text that the model is saying."""

    def __init__(self, place: Location, wants: frozenset[str]) -> None:
        self.chat = Chat(place.path, TEXT, wants, calls=False)
        self.turn: Turn | None = None
        self.prompt: list[str] = []
        self.text: list[str] = []
        self.edits: list[tuple[str, str, str]] = []
        self.model: str | None = None
        self.reports = self.acts = 0
        self.cut = False
        self.left = False
        self.kind = ""

    def take(self, kind: str, text: str, line: int) -> Iterator[Part]:
        """Add a line."""
        if kind == PROMPT and self.kind != PROMPT:
            yield from self._close()
            self.turn = Turn(None, None, line)
            self.prompt = []
        if kind == PROMPT:
            self.prompt.append(text)
        elif kind == TOOL:
            self._say()
            if text == WATCHED and self._is_over():
                yield from self._close()
            self._notice(text)
        elif kind == ANSWER or self.text:
            self._speak(text, line)
        if self.turn is not None and kind in (PROMPT, TOOL, ANSWER):
            self.turn.seen(None, line)
        self.kind = kind

    def _speak(self, text: str, line: int) -> None:
        """Add a line of the model's; a request that is a comment in a watched file is nowhere here."""
        if self.turn is None:
            self.turn, self.prompt = Turn(None, None, line), []
        if not self.text:
            self.turn.step()
        self.text.append(text)

    def _say(self) -> None:
        """End what the model says here."""
        said = "\n".join(self.text).strip()
        self.text = []
        if self.turn is None or not said:
            return
        self.turn.say(without_thoughts(said))
        self.edits = list(edits_in(said)) if self.chat.plans is not None else []

    def _notice(self, text: str) -> None:
        self.model = model_in(text) or self.model
        self.left = text == LEFT
        if self.turn is None:
            return
        turn = self.turn
        turn.results.append(text)
        if is_report(text):
            self.reports += 1
            turn.add("tokens", tokens_in(text))
        turn.add("cost", cost_in(text))
        self.acts += is_act(text)
        if (path := edited(text)) is not None:
            self._edited(path, turn)
        if (kind := service_error(text)) is not None:
            turn.fail(text, kind)
        # Later on it may as well be the user who leaves the prompt.
        self.cut = self.cut or (text.startswith(INTERRUPTED) and not self.reports)

    def _edited(self, path: str, turn: Turn) -> None:
        """Take that the edits of a file which the model wrote last were applied."""
        turn.patched.append(path)
        name = path.replace("\\", "/")
        for written, old, new in self.edits:
            if self.chat.plans is not None and written.replace("\\", "/") == name:
                self.chat.plans.edited(name, old, new)
        self.edits = [edit for edit in self.edits if edit[0].replace("\\", "/") != name]

    def _close(self) -> Iterator[Part]:
        self._say()
        turn = self.turn
        if turn is not None and not self._is_command():
            turn.prompt = "\n".join(self.prompt).strip() if self.prompt else None
            turn.set("model", self.model)
            turn.set("turns", max(turn.steps, self.reports) or None)
            turn.record["tool_calls"] = self.acts
            if self.cut:
                turn.record["truncated"] = True
            yield self.chat.concluded(turn)
        self.turn, self.reports, self.acts, self.cut = None, 0, 0, False

    def _is_over(self) -> bool:
        """Return whether a request that comes now is one of its own."""
        return self._is_command() or (self.turn is not None and self.turn.steps > 0)

    def _is_command(self) -> bool:
        """Return whether the prompt is a command to aider, on which the model has said nothing."""
        command = bool(self.prompt) and self.prompt[0].lstrip().startswith(_COMMANDS)
        return command and self.turn is not None and not self.turn.steps

    def end(self) -> Iterator[Part]:
        """End the run."""
        yield from self._close()
        yield End("interrupted" if self.left else None, LEFT if self.left else "")


# Lines of aider's chat history: who wrote each.
#
# Aider ends what it writes for the user and for itself with two blanks, and puts a blank line before a
# prompt and before what the model says (`aider/io.py`, `append_chat_history`). By that a heading or a quote
# that the model wrote is known from a prompt or a notice.

STARTED = "# aider chat started at "
BLANK, PROMPT, TOOL, ANSWER = "blank", "prompt", "tool", "model"
_PROMPT, _TOOL, _END = "#### ", "> ", "  "
#: What a question to the user has in it, which is written like a prompt when an answer before it counts.
_ASKED, _ANSWERED = " (Y)es/(N)o", "]: "
#: How a notice begins that is written over two lines.
REPORT = "Tokens: "


def is_marked(head: str) -> bool:
    """Return whether the two blanks are there: an editor may have taken them all away."""
    lines = [line.rstrip("\r") for line in head.split("\n")]
    written = [line for line in lines if line.startswith((_PROMPT, _TOOL))]
    return not written or any(line.endswith(_END) for line in written)


class Lines:
    """
    Tells of each line, in order, who wrote it.

    Args:
        marked: Whether the two blanks at the end of aider's lines are there.
    """

    def __init__(self, marked: bool) -> None:
        self._marked = marked
        self._before = BLANK
        self._open = False  # a notice of several lines, whose last ends with two blanks

    def again(self) -> Lines:
        """Return the same for the next chat of the file."""
        return Lines(self._marked)

    def kind(self, line: str) -> tuple[str, str]:
        """Return who wrote a line, and its text without the mark."""
        kind, text = self._kind(line)
        self._before = kind
        return kind, text

    def _kind(self, line: str) -> tuple[str, str]:
        ended = line.endswith(_END) or not self._marked
        if self._is_prompt(line, ended):
            self._open = False
            text = line[len(_PROMPT) :].strip()
            return (TOOL if _ASKED in text and _ANSWERED in text else PROMPT), text
        ended = ended and not line[-3:-2].isspace()  # the last line of a notice has no blanks of its own
        if self._open:
            self._open = not (ended if self._marked else not line.strip())
            return TOOL, line.removeprefix(_TOOL).rstrip()
        if not line.strip():
            return BLANK, ""
        if line.startswith(_TOOL) and self._before != ANSWER:
            notice = line[len(_TOOL) :]
            if ended or self._before in (TOOL, PROMPT) or notice.startswith(REPORT):
                self._open = self._marked and not ended
                return TOOL, notice.rstrip()
        elif self._before == TOOL:
            return TOOL, line.rstrip()  # what the model says begins behind a blank line
        return ANSWER, line

    def _is_prompt(self, line: str, ended: bool) -> bool:
        if self._before == PROMPT and line.rstrip() == _PROMPT.rstrip():
            return True  # a blank line of a prompt
        return line.startswith(_PROMPT) and ended and (self._before in (BLANK, PROMPT) or self._open)


# What aider's notices say: costs, edits, errors of the service, interruptions.

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
    return _KINDS.get(name, ANSWER) if named else None


def _amount(text: str) -> float | None:
    digits, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    whole = digits.strip().replace(",", "")
    plain = whole.isascii() and len(whole) < 20 and whole.replace(".", "", 1).isdigit()
    return float(whole) * unit if plain else None


# What a model writes for aider: thoughts, and edits, which are a path and blocks of old and new text.

_SEARCH, _PARTED, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"
_FENCES = ("```", "<source>")
#: How the tag begins that aider puts before what a model thinks; a number of its own follows.
_THOUGHTS = "<thinking-content-"
#: What a model puts around a path.
_AROUND = "*`#: "


def edits_in(text: str) -> Iterator[tuple[str, str, str]]:
    """
    Yield path, old and new text of each whole block, in order.

    The path is on the line before the block, or before the fence that the block is in; blocks that
    follow without a path are of the same file. Whether aider applied them is not reported here.
    """
    path = ""
    before: list[str] = []
    block: list[str] | None = None
    for line in text.split("\n"):
        mark = line.rstrip()
        if mark == _SEARCH:
            path = _path(before) or path
            block = []
        elif block is not None and mark == _REPLACE:
            if path and _PARTED in block:
                at = block.index(_PARTED)
                yield path, _lines(block[:at]), _lines(block[at + 1 :])
            block, before = None, []
        elif block is not None:
            block.append(line)
        else:
            before = [*before[-1:], line]


def without_thoughts(text: str) -> str:
    """Return what a model said without its thoughts, which are between tags on lines of their own."""
    kept: list[str] = []
    end = ""
    for line in text.split("\n"):
        if end:
            end = "" if line.startswith(end) else end
        elif line.startswith(_THOUGHTS):
            end = "</" + _THOUGHTS[1:]
        else:
            kept.append(line)
    return "\n".join(kept).strip()


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path(before: list[str]) -> str:
    """Return the path on the last line before a block that is not a fence; nothing where it is not one."""
    lines = [line.strip() for line in before if not line.strip().startswith(_FENCES)]
    found = lines[-1].strip(_AROUND) if lines else ""
    return found if found and " " not in found else ""
