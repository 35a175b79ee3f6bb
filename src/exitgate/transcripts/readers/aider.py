"""
aider's chat history, `.aider.chat.history.md`: several chats in a file, a run each.

A turn is a prompt with all that follows; that aider sends errors of an edit, a linter or a test back to the
model by itself is part of it. A command to aider (`/add`, `/undo`) on which the model says nothing is not a
turn. Only the start of a chat has a time, of a local clock without a zone, and is taken as UTC. The cost of
a turn is the sum over its calls of the model, as rounded in the report on each. What counts as a call of a
tool are applied edits and commands that were run.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.instants import instant
from exitgate.transcripts.look import HEAD, in_fence
from exitgate.transcripts.readers import aider_notices as notices
from exitgate.transcripts.readers.aider_edits import edits_in, without_thoughts
from exitgate.transcripts.readers.aider_lines import MODEL, PROMPT, STARTED, TOOL, Lines, is_marked
from exitgate.transcripts.readers.chat_turn import Chat, Turn
from exitgate.transcripts.run import TURN, Begin, End, Problem
from exitgate.transcripts.unwrapped import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "aider"
TITLE = "aider, chat history: a prompt and what follows"
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK,
        gives.FILES, gives.FILES_CHANGED, gives.COST, gives.TOKENS,
    )
)  # fmt: skip
_COMMANDS = ("/", "!")
_ENDING = ".aider.chat.history.md"


def fits(look: Look) -> bool:
    """Return whether it begins with the heading of a chat, or has one and is not JSON."""
    text = look.text.lstrip("\0 \t\r\n")
    if text.startswith(STARTED):
        return True
    before, begun, _ = text.partition(f"\n{STARTED}")
    lines = before.split("\n")
    return text[:1] not in ("{", "[") and begun != "" and not in_fence(lines, len(lines))


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
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


def _begin(place: Place, number: int, started: str) -> Begin:
    name = place.name.removesuffix(_ENDING) or "aider"
    return Begin(f"{name}#{number}", TURN, place.path, instant(started))


class _Chat:
    """One chat: the turn that is open, and the text that the model is saying."""

    def __init__(self, place: Place, wants: frozenset[str]) -> None:
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
            if text == notices.WATCHED and self._is_over():
                yield from self._close()
            self._notice(text)
        elif kind == MODEL or self.text:
            self._speak(text, line)
        if self.turn is not None and kind in (PROMPT, TOOL, MODEL):
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
        self.model = notices.model_in(text) or self.model
        self.left = text == notices.LEFT
        if self.turn is None:
            return
        turn = self.turn
        turn.results.append(text)
        if notices.is_report(text):
            self.reports += 1
            turn.add("tokens", notices.tokens_in(text))
        turn.add("cost", notices.cost_in(text))
        self.acts += notices.is_act(text)
        if (path := notices.edited(text)) is not None:
            self._edited(path, turn)
        if (kind := notices.service_error(text)) is not None:
            turn.fail(text, kind)
        # Later on it may as well be the user who leaves the prompt.
        self.cut = self.cut or (text.startswith(notices.INTERRUPTED) and not self.reports)

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
        yield End("interrupted" if self.left else None, notices.LEFT if self.left else "")
