"""What the user of a loop sees of it, beside what the agent itself writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TextIO

from exitgate.core.envelopes.members import objects_of
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.decision import EXIT, Decision, Warned
from exitgate.core.model.display import duration
from exitgate.core.system.output import write_out
from exitgate.hosts.loop.codes import cannot_pass_on
from exitgate.hosts.loop.tee import AWAY, Tee
from exitgate.report.decision.plain import printed
from exitgate.report.decision.summary import LABEL, MORE, TO_DO, escalation_lines, row, verdict_text
from exitgate.report.terminal import Style, safe, verdict_role
from exitgate.report.wording import LINE, brief_line, probing_text, retry_text, working_folder

#: Names the last document of a loop for programs; those before it are decisions.
SCHEMA = "exitgate/hosts/loop/1"
_CLEAR = "\r\x1b[K"


class Console:
    """
    Tells people, on `stream`, and programs, by `printed`, what a loop does.

    Args:
        stream: Where lines for people go, standard error; None tells them nothing.
        style: Colour and width of it.
        passed: What the agent's words go through: a line of ours begins where a line begins.
        printed: Is given a document of each check and of the end, for programs; or None.
    """

    def __init__(
        self,
        stream: TextIO | None,
        style: Style,
        passed: tuple[Tee, ...] = (),
        printed: Callable[[dict[str, object]], None] | None = None,
    ) -> None:
        self._stream = stream
        self._style = style
        self._passed = passed
        self._printed = printed
        self._on_terminal = stream is not None and stream.isatty()
        self._second: tuple[str, int] | None = None

    @property
    def countdown(self) -> Callable[[float], None] | None:
        """Shows the seconds that are left on a terminal; None elsewhere."""
        return self._left if self._on_terminal else None

    def begins(self, checked: CheckResult) -> None:
        """Tell which run begins, or continues, with which iteration and by which policy."""
        run, number, policy = checked.iteration.run, checked.iteration.number, checked.policy
        how = f"continues with iteration {number + 1}" if number else "begins"
        self._say(self._quiet(safe(f"{run} {how} · {policy.name} {policy.version}")))

    def note(self, text: str) -> None:
        """Tell something that a user should know."""
        self._say("\n".join(row("note", text, self._style, "note")))

    def before(self, checked: CheckResult) -> None:
        """Tell a decision of the stage before an iteration: people only its end the loop."""
        if checked.decision.verdict == EXIT:
            self.decided(checked, None, None)
        elif self._printed is not None:
            self._printed(printed(checked))

    def decided(self, checked: CheckResult, took: float | None, cost: float | None) -> None:
        """Tell a decision: on an iteration that took so many seconds and USD, where they are known."""
        if self._printed is not None:
            self._printed(printed(checked))
        decision, number = checked.decision, checked.iteration.number
        role = verdict_role(decision.verdict, decision.exit_class)
        verdict = self._style.paint(role, verdict_text(decision.verdict, decision.exit_class))
        spent = [] if took is None else [duration(round(took, 1) if took < 10 else round(took))]
        spent += [] if cost is None else [f"{cost:.2f} USD"]
        head = f"iteration {number}" if took is not None else f"before iteration {number + 1}"
        outcome = self._style.paint("strong", safe(decision.outcome))
        tail = "".join(self._quiet(f" · {part}") for part in spent)
        lines = [f"{self._quiet(head)} · {verdict} · {outcome}{tail}"]
        if decision.message:
            lines.append(f"  {brief_line(_joined(decision.message), working_folder(), LINE - 2)}")
        if decision.verdict == EXIT and decision.exit_class in TO_DO:
            lines.append(self._row("next", TO_DO[decision.exit_class], "note"))
        elif decision.advice:
            lines.append(self._row("advice", decision.advice, "note"))
        warnings = [*dict.fromkeys(warned.message or f"rule `{warned.rule}`" for warned in _sorted(decision))]
        if warnings:
            lines.append(self._row("warning", warnings[0], "warning", more=len(warnings) - 1))
        self._say("\n".join([*lines, *escalation_lines(decision)]))

    def waits(self, checked: CheckResult, now: float) -> None:
        """Tell until when the loop waits."""
        self._say("\n".join(row("  wait", retry_text(checked.decision, now), self._style, "note")))

    def over(
        self,
        run: str,
        iterations: int,
        elapsed: float | None,
        cost: float | None,
        kind: str,
        why: str,
        code: int,
    ) -> None:
        """Tell the sum, at the end: class of the end, why, and the exit code."""
        if self._printed is not None:
            sums = {"iterations": iterations, "elapsed": elapsed, "cost": cost}
            self._printed(
                {"schema": SCHEMA, "run": run, "class": kind, "why": why, **sums, "exit_code": code}
            )
        parts = [run, f"{iterations} iteration{'' if iterations == 1 else 's'}"]
        parts += [] if elapsed is None else [duration(round(elapsed))]
        parts += [] if cost is None else [f"{cost:.2f} USD"]
        self._say(self._quiet(safe(" · ".join([*parts, f"{kind}: {why}", f"exit code {code}"]))))

    def _left(self, seconds: float) -> None:
        self._write(f"{_CLEAR}  continues in {duration(max(1, round(seconds)))}")

    def probing(self, probe: str, seconds: float, line: str) -> None:
        """Show on a terminal which probe runs, or that another check's is waited for."""
        second = (probe, round(seconds))
        if self._on_terminal and second != self._second:
            self._second = second
            self._write(f"{_CLEAR}  {probing_text(probe, seconds, line, self._style.width - 3)}")

    def asked(self) -> None:
        """Take the line of a probe away, if it is shown."""
        if self._second is not None:
            self._second = None
            self.clear()

    def clear(self) -> None:
        """Take the countdown away."""
        if self._on_terminal:
            self._write(_CLEAR)

    def _row(self, label: str, text: str, role: str, more: int = 0) -> str:
        """Return a line ``  label  text``, cut as a line of `check` is; `more` are left out."""
        begins, counted = f"  {label}".ljust(LABEL), f" (and {more} more: {MORE})" if more else ""
        shown = brief_line(_joined(text), working_folder(), LINE - len(begins) - len(counted))
        return self._style.paint(role, f"  {label}") + begins[len(label) + 2 :] + shown + counted

    def _quiet(self, text: str) -> str:
        return self._style.paint("quiet", text)

    def _say(self, text: str) -> None:
        if self._stream is None:
            return
        before = "\x1b[0m" if self._style.color else ""
        if any(not one.fresh for one in self._passed):
            before += "\n"
            for one in self._passed:
                one.fresh = True
        self._write(before + text + "\n")

    def _write(self, text: str) -> None:
        """Write a text. Raises `ExitgateError` (73) unless the reader merely went away."""
        stream = self._stream
        if stream is None:
            return
        try:
            write_out(stream, text)
        except OSError as error:
            self._stream = None
            if error.errno not in AWAY:
                raise cannot_pass_on(error) from error


def _joined(text: str) -> str:
    return " ".join(text.split())


def _sorted(decision: Decision) -> list[Warned]:
    """Return the warnings, those that no rule makes first."""
    return sorted(decision.warnings, key=lambda warned: warned.rule is not None)


# What an agent says, for people: JSON that its program prints is shown as the text it carries.

#: Bytes of one JSON document that are held until it is whole; a longer one is passed on as it is.
LONGEST = 4 << 20
#: What a document begins with, and what a line that ends one written on many lines is.
_OPENS = (b"{", b"[")
_CLOSES = {b"{": b"}", b"[": b"]"}


class AgentText(Tee):
    """
    The way of an agent's words to people.

    Text is passed on at once, as it is. A line that begins like JSON is held until it ends; where it is an
    object or a list of objects, what the agent said in it is passed on in its place, if anything. The agent's
    own output is kept as it was: this is only what is shown.
    """

    def __init__(self, stream: TextIO | None) -> None:
        super().__init__(stream)
        self._held = b""
        #: The bracket that ends a document written on many lines, or nothing.
        self._until = b""
        self._inside = False
        self._last = ""

    def add(self, piece: bytes) -> None:
        """Take what was written."""
        rest = self._held + piece
        self._held = b""
        at = passed = 0  # what is between them is text: passed on at once, not line by line
        while at < len(rest):
            end = rest.find(b"\n", at) + 1
            line = rest[at : end or None]
            if self._inside or not self._may_be_json(line):
                self._inside = not end
                at = end or len(rest)
                continue
            super().add(rest[passed:at])
            if not end:  # the start of a line
                self._hold(line)
                return
            passed = at
            at = end
            if self._whole(line):
                passed = at
            elif line.strip() in _CLOSES:  # the text may be one document that has not ended
                rest = self._gathered(line, rest[end:])
                if self._held:
                    return
                at = passed = 0
        super().add(rest[passed:])

    def finish(self) -> None:
        """Pass on what is held: nothing more comes."""
        held, self._held = self._held, b""
        if held and not self._whole(held):
            super().add(held)
        self._inside = False

    def stop(self) -> None:
        """Pass nothing on any more."""
        self._held = b""
        super().stop()

    @staticmethod
    def _may_be_json(line: bytes) -> bool:
        return line.lstrip()[:1] in _OPENS

    def _hold(self, held: bytes) -> None:
        if len(held) > LONGEST:
            super().add(held)
            self._inside = True
        else:
            self._held = held

    def _gathered(self, first: bytes, rest: bytes) -> bytes:
        """Return what follows a document that begins with this bracket; hold it where it has not ended."""
        closes = _CLOSES[first.strip()]
        lines = rest.split(b"\n")
        for at, line in enumerate(lines[:-1]):
            if line.rstrip() == closes:
                document = first + b"\n".join(lines[: at + 1]) + b"\n"
                if not self._whole(document):
                    super().add(document)
                return b"\n".join(lines[at + 1 :])
        self._hold(first + rest)
        return b""

    def _whole(self, document: bytes) -> bool:
        """Pass on what is said in a whole JSON document; return whether it is one."""
        text = document.decode("utf-8", "replace")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        objects = objects_of(value)
        if not objects or (isinstance(value, list) and len(objects) < len(value)):
            return False
        said = unwrap(text).output.strip()
        if said == text.strip() or said.startswith(("{", "[")):
            said = _plain(objects[-1])
        if said and said != self._last:
            super().add(f"{said}\n".encode("utf-8", "replace"))
        self._last = said or self._last
        return True


def _plain(value: dict[str, object]) -> str:
    """Return the plain values of an object of no known shape, ``status: ok, files: 3``."""
    shown = {name: one for name, one in value.items() if isinstance(one, str | int | float)}
    return ", ".join(f"{name}: {one}" for name, one in shown.items())
