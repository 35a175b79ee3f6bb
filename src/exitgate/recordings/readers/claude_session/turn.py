"""What one turn of a Claude Code session, or one step of it, adds up to."""

from __future__ import annotations

from exitgate.core.envelopes.calls import Calls, denial
from exitgate.core.envelopes.gathered import Messages
from exitgate.core.envelopes.members import as_object, text_at, texts_in
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model.capabilities import (
    DENIALS,
    FILES,
    FILES_CHANGED,
    OUTPUT,
    PLAN,
    RESPONSE,
    RESULT,
    TOOL_CALLS,
    TOOL_RESULTS,
)
from exitgate.recordings.formats.errors import is_broken_off, is_refusal, kind_of_session_error, limit_in
from exitgate.recordings.formats.plans import Plans
from exitgate.recordings.formats.steps import Call
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import FileChange, Provenance, RecordedIteration
from exitgate.recordings.readers.claude_session.records import (
    Block,
    Line,
    Message,
    NotReadError,
    line_of,
    plain,
)

_SAID, _USED, _RESULT = "text", "tool_use", "tool_result"
_EXIT = "Exit code "


class Turn:
    """
    One iteration under way.

    Args:
        wants: What somebody wants of it.
        prompt: What the agent was asked, None where it was not asked anew.
        first: Number of its first line.
        at: Instant of that line, as it is written.
        plans: The run's.
    """

    def __init__(
        self, wants: frozenset[str], prompt: str | None, first: int, at: str | None, plans: Plans
    ) -> None:
        self.prompt = prompt
        #: Number and bytes of the last line that was not looked at.
        self.passed: tuple[int, bytes] | None = None
        self.first = self.last = first
        self.id: str | None = None
        self.spoke = self.stopped = self.interrupted = self.unfinished = self.failed = False
        self.error_kind: str | None = None
        self._wants = wants
        self._plans = plans
        self._plan_wanted = PLAN in wants or FILES in wants
        self._results_wanted = TOOL_RESULTS in wants or TOOL_CALLS in wants
        self._files_wanted = FILES_CHANGED in wants or RESULT in wants
        self._inputs_wanted = (
            self._plan_wanted or self._files_wanted or TOOL_CALLS in wants or DENIALS in wants
        )
        self._said_wanted = RESPONSE in wants or OUTPUT in wants
        self._started = self.ended = at or ""
        self.error = ""
        self._messages = Messages()
        self._calls = Calls()
        self._calls.own = 0
        self._open: dict[str, Call] = {}
        self._told: list[Call] = []
        #: Message -> its tokens.
        self._usage: dict[str, int | None] = {}
        self._cost: dict[str, float] = {}
        #: Ids of calls whose inputs are not wanted.
        self._used: set[str] = set()
        self._record: dict[str, object] = {"format": JSON_LINES}
        self._denials: list[dict[str, object]] = []

    def saw(self, number: int, at: str | None) -> None:
        """Note that a line belongs to it."""
        self.last = number
        if at is not None and at > self.ended:
            self.ended = at
            self._started = self._started or at

    def said(self, line: Line, message: Message, *, own: bool) -> None:
        """Add a line of the agent's, or of a sub-agent's."""
        id = message.id
        if own:
            self.spoke, self.stopped, self.unfinished, self.failed = True, False, False, False
            self._counted(line, message)
        content, heard = message.content, own and self._said_wanted
        if isinstance(content, str):
            if heard:
                self._messages.say(content, id)
            return
        for block in content:
            if block.type == _SAID:
                if heard:
                    self._messages.say(block.text, id)
            elif block.type == _USED:
                self.unfinished = self.unfinished or own
                if self._inputs_wanted:
                    self._called(block, own=own)
                elif own:
                    self._used.add(block.id or f"{line.uuid}")

    def answered(self, line: Line) -> None:
        """Add the results of calls that a line holds."""
        own = not line.is_sidechain
        for block in line.message.blocks if line.message is not None else ():
            if block.type == _RESULT:
                self._answer(block, line, own=own)

    def failed_with(self, line: Line) -> None:
        """Note that the program wrote of an error in the agent's place."""
        text = line.message.text if line.message is not None else ""
        self.failed = True
        self.unfinished = False
        self.error_kind = kind_of_session_error(text, plain(line.error))
        self._record["error"] = self.error = text
        limit = limit_in(text)
        if limit is not None:
            self._record["limits"] = [limit]

    def recorded(self, index: int, file: str) -> RecordedIteration:
        """Return it as it is recorded, the `index`-th of its run."""
        if self.passed is not None and self.passed[0] > self.last:
            self._looked_at(*self.passed)
        wants, known = self._wants, self.spoke or self.failed
        said = list(self._messages.texts())
        response = said[-1] if said else ""
        changed = tuple(FileChange(path) for path in sorted(self._calls.files))
        return RecordedIteration(
            index,
            Provenance(file, self.first, self.last),
            response=response if known and RESPONSE in wants else None,
            output="\n\n".join(said) if known and OUTPUT in wants else None,
            tool_results="\n".join(self._calls.results) if TOOL_RESULTS in wants else None,
            record=self._concluded(),
            prompt=self.prompt,
            started_at=instant(self._started),
            ended_at=instant(self.ended),
            error_kind=self.error_kind if self.failed else None,
            tool_calls=tuple(call.told() for call in self._told) if TOOL_CALLS in wants else None,
            files_changed=changed
            if FILES_CHANGED in wants and self._calls.files_changed() is not None
            else None,
            plan=self._plans.plan() if PLAN in wants else None,
            files=self._plans.files() if FILES in wants else {},
            not_known=({} if known else _UNANSWERED) | self._calls.gaps(),
        )

    def _looked_at(self, number: int, raw: bytes) -> None:
        try:
            line = line_of(raw)
        except NotReadError:
            return
        self.saw(number, line.timestamp)
        if line.message is not None and line.message.content != "" and not line.is_sidechain:
            self.interrupted = is_broken_off(one.text for one in line.message.blocks if one.type == _SAID)

    def _counted(self, line: Line, message: Message) -> None:
        record = self._record
        if message.model is not None:
            record["model"] = message.model
        if message.stop_reason is not None:
            record["stop_reason"] = message.stop_reason
        if line.session_id is not None:
            record["session"] = line.session_id
        id = message.id or line.uuid or ""
        self._usage[id] = message.usage.total() if message.usage is not None else self._usage.get(id)
        if line.cost_usd is not None and line.cost_usd >= 0:
            self._cost[id] = line.cost_usd

    def _called(self, block: Block, *, own: bool) -> None:
        input = plain(block.input)
        self._calls.call(block.id, input, tool=block.name, own=own)
        if block.id is not None and block.id in self._open:
            return
        call = Call(block.name, input, block.id, own)
        if block.id is not None:
            self._open[block.id] = call
        if TOOL_CALLS in self._wants:
            self._told.append(call)

    def _answer(self, block: Block, line: Line, *, own: bool) -> None:
        call = self._open.pop(block.tool_use_id or "", None)
        failed = block.is_error is True
        text = ""
        if self._results_wanted or (self._plan_wanted and call is not None) or (failed and own):
            text = texts_in(plain(block.content))
        kept = text if TOOL_RESULTS in self._wants else ""
        self._calls.answer(block.tool_use_id, kept, error=failed, own=own)
        if call is None:
            return
        call.is_error = failed
        call.result = text
        call.exit_status = _exit_status(text) if failed else None
        if own and failed and is_refusal(text):
            self._denials.append(denial(call.name, call.input))
        if self._plan_wanted:
            if not failed:
                _before(self._plans, call, line)
            self._plans.called(call.name, call.input, text, failed)

    def _concluded(self) -> dict[str, object]:
        record = self._record
        if self.spoke or self.failed:
            record["is_error"] = self.failed
            record["turns"] = len(self._usage)
            record["tool_calls"] = (self._calls.own or 0) + len(self._used)
        if not self.failed:
            record.pop("error", None)
            record.pop("limits", None)
        used = [count for count in self._usage.values() if count is not None]
        if used:
            record["tokens"] = sum(used)
        if self._cost:
            record["cost"] = sum(self._cost.values())
            record.pop("session", None)  # costs of one session are taken for what it has cost so far
        if self._files_wanted and (count := self._calls.files_changed()) is not None:
            record["files_changed"] = count
        if self._denials:
            record["denials"] = self._denials
        if self.unfinished:
            record["truncated"] = True
        return record


_UNANSWERED = dict.fromkeys((RESPONSE, OUTPUT), "the agent did not answer in this iteration")


def _exit_status(text: str) -> int | None:
    """Return the exit status that a failed command's result begins with."""
    if not text.startswith(_EXIT):
        return None
    digits = text[len(_EXIT) : len(_EXIT) + 5].split("\n", 1)[0].strip()
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _before(plans: Plans, call: Call, line: Line) -> None:
    """Show the plans the whole text that a file had before it was edited, which some results hold."""
    path = text_at(as_object(call.input), "file_path")
    if path is not None and path.endswith((".md", ".txt", ".json")):
        had = text_at(as_object(plain(line.tool_use_result)), "originalFile")
        if had:
            plans.shown(path, had)
