"""What the events of a stream add up to."""

from __future__ import annotations

from exitgate.transcripts.calls import Calls
from exitgate.transcripts.json_text import is_torn
from exitgate.transcripts.messages import Messages
from exitgate.transcripts.plain import tail_of
from exitgate.transcripts.unwrapped import Unwrapped

#: Lines of a warning that are named one by one.
_NAMED = 3
#: Why a model stopped writing, letters alone: with more of its turn to come, or for good.
_GOES_ON = frozenset(
    (
        "tooluse", "toolcall", "toolcalls", "functioncall", "maxtokens", "maxoutputtokens", "length",
        "pauseturn", "modelcontextwindowexceeded", "incomplete", "refusal", "contentfilter", "safety",
    )
)  # fmt: skip
_OVER = frozenset(("endturn", "stop", "stopsequence", "completed"))


class Gathered:
    """
    The sum of a stream: readers of events fill it in order, then it is concluded.

    `record` is the source `result`; `final` the text of the result, None without one; `expects` says
    that a whole stream of this kind ends with a result, so that one without it was cut off; `awaits` that
    the agent's last message called a tool, so that its turn continues.
    """

    def __init__(self) -> None:
        self.record: dict[str, object] = {}
        self.final: str | None = None
        self.messages = Messages()
        self.calls = Calls()
        self.limits: list[dict[str, object]] = []
        self.denials: list[dict[str, object]] | None = None
        self.expects = self.ended = self.cut = self.stopped = self.awaits = False
        self.outside: list[str] = []
        self.wrong: list[int] = []
        self.fixed: list[int] = []
        self.usage: dict[str, int] = {}

    def set(self, key: str, value: object) -> None:
        """Keep a part of the record that was said; None was not."""
        if value is not None:
            self.record[key] = value

    def fail(self, error: str | None) -> None:
        """Note that the runner says that this iteration failed, and with which words."""
        self.record["is_error"] = True
        self.set("error", error or None)

    def concluded(self, format: str, *, failed: bool = False) -> Unwrapped:
        """
        Return the sum.

        Args:
            format: One of `exitgate.transcripts.unwrapped.FORMATS`.
            failed: Whether the agent's exit status is known and not 0.
        """
        said = list(self.messages.texts())
        final = self._final(said)
        response = "\n\n".join(said) if final is None else final
        if final is not None and not _is_told(final, said) and self.record.get("is_error") is not True:
            said.append(final)
        results = self.calls.results
        known = self.calls.own is not None or bool(results)
        return Unwrapped(
            format,
            response,
            "\n\n".join(said),
            "\n".join(results) if known else None,
            {"format": format, **self._concluded_record(failed)},
            self._warnings(),
            taken_out=True,
            calls=tuple(self.calls.told) if self.calls.own is not None else None,
            lost=self._lost(),
        )

    def _lost(self) -> str:
        """Return why calls may be missing or incomplete, or the empty text."""
        if self.wrong:
            return f"{_lines(self.wrong)} not JSON"
        if any(is_torn(line) for line in self.outside):
            return "a line between the events may be a part of one"
        return "its JSON is cut off at the end" if self.cut else self.calls.lost

    def _final(self, said: list[str]) -> str | None:
        """
        Return the text of the result, None without one or where an empty one is beside messages.

        Where it only began the agent's last message once more and was cut off, that message counts.
        """
        begun = (self.final or "").strip()
        if not begun and said:
            return None
        if self.cut and begun and said and said[-1].strip().startswith(begun):
            return said[-1]
        return self.final

    def _concluded_record(self, failed: bool) -> dict[str, object]:
        record = dict(self.record)
        if self.denials is not None:
            record["denials"] = self.denials
        if self.limits:
            record["limits"] = self.limits
        if "tokens" not in record and self.usage:
            record["tokens"] = sum(self.usage.values())
        for key, value in (("tool_calls", self.calls.own), ("files_changed", self.calls.files_changed())):
            if value is not None:
                record.setdefault(key, value)
        truncated = self._truncated()
        if truncated is not None:
            record["truncated"] = truncated
        if failed:
            record["tail"] = tail_of("\n".join(self.outside))
        return record

    def _truncated(self) -> bool | None:
        """
        Return whether the end of the turn is missing; None where nothing says it.

        It is where the text breaks off, where the event with which such a stream ends does not exist, where
        the model stopped for a tool or for want of room, and where its last message called a tool. A turn
        that ended as a failure, or with a call that nothing came back of, may have had more to say.
        """
        reason = self.record.get("stop_reason")
        told = "".join(filter(str.isalpha, reason.lower())) if isinstance(reason, str) else ""
        if self.cut or self.stopped or (self.expects and not self.ended) or told in _GOES_ON:
            return True
        if self.ended and (self.record.get("is_error") is True or self.calls.is_open()):
            return None
        if self.ended or told in _OVER:
            return False
        return True if self.awaits else None

    def _warnings(self) -> tuple[str, ...]:
        found = []
        if self.wrong:
            found.append(f"{_lines(self.wrong)} not JSON and skipped")
        if self.fixed:
            found.append(f"{_lines(self.fixed)} read with wrong backslashes fixed")
        if self.cut:
            found.append("its JSON is cut off at the end; the rest counts")
        return tuple(found)


def _is_told(final: str, said: list[str]) -> bool:
    """Return whether the result only says the agent's last message again."""
    return not final.strip() or (bool(said) and said[-1].strip().endswith(final.strip()))


def _lines(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_NAMED])
    if len(numbers) == 1:
        return f"line {shown} was"
    rest = f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else ""
    return f"lines {shown}{rest} were"
