"""What the user of a loop sees of it, beside what the agent itself writes."""

from __future__ import annotations

from exitgate.engine.shown import duration
from exitgate.gate.printed import printed
from exitgate.loop.codes import cannot_pass_on
from exitgate.loop.through import AWAY
from exitgate.model.verdict import EXIT
from exitgate.report.brief import LINE, brief_line, here
from exitgate.report.retry import retry_text
from exitgate.report.safe import safe
from exitgate.report.short import MORE, TO_DO
from exitgate.report.style import verdict_role
from exitgate.report.summary import LABEL, escalation_lines, row, verdict_text
from exitgate.surfaces.written import write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from exitgate.gate.checked import Checked
    from exitgate.loop.through import Through
    from exitgate.model.decision import Decision, Warned
    from exitgate.report.style import Style

#: Names the last document of a loop for programs; those before it are decisions.
SCHEMA = "exitgate/loop/1"
_CLEAR = "\r\x1b[K"


class Told:
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
        passed: tuple[Through, ...] = (),
        printed: Callable[[dict[str, object]], None] | None = None,
    ) -> None:
        self._stream = stream
        self._style = style
        self._passed = passed
        self._printed = printed
        self._on_terminal = stream is not None and stream.isatty()

    @property
    def countdown(self) -> Callable[[float], None] | None:
        """Shows the seconds that are left on a terminal; None elsewhere."""
        return self._left if self._on_terminal else None

    def begins(self, checked: Checked) -> None:
        """Tell which run begins, or continues, with which iteration and by which policy."""
        run, number, policy = checked.iteration.run, checked.iteration.number, checked.policy
        how = f"continues with iteration {number + 1}" if number else "begins"
        self._say(self._quiet(safe(f"{run} {how} · {policy.name} {policy.version}")))

    def note(self, text: str) -> None:
        """Tell something that a user should know."""
        self._say("\n".join(row("note", text, self._style, "note")))

    def before(self, checked: Checked) -> None:
        """Tell a decision of the stage before an iteration: people only its end the loop."""
        if checked.decision.verdict == EXIT:
            self.decided(checked, None, None)
        elif self._printed is not None:
            self._printed(printed(checked))

    def decided(self, checked: Checked, took: float | None, cost: float | None) -> None:
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
            lines.append(f"  {brief_line(_joined(decision.message), here(), LINE - 2)}")
        if decision.verdict == EXIT and decision.exit_class in TO_DO:
            lines.append(self._row("next", TO_DO[decision.exit_class], "note"))
        elif decision.advice:
            lines.append(self._row("advice", decision.advice, "note"))
        warnings = [*dict.fromkeys(warned.message or f"rule `{warned.rule}`" for warned in _sorted(decision))]
        if warnings:
            lines.append(self._row("warning", warnings[0], "warning", more=len(warnings) - 1))
        self._say("\n".join([*lines, *escalation_lines(decision)]))

    def waits(self, checked: Checked, now: float) -> None:
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

    def clear(self) -> None:
        """Take the countdown away."""
        if self._on_terminal:
            self._write(_CLEAR)

    def _row(self, label: str, text: str, role: str, more: int = 0) -> str:
        """Return a line ``  label  text``, cut as a line of `check` is; `more` are left out."""
        begins, counted = f"  {label}".ljust(LABEL), f" (and {more} more: {MORE})" if more else ""
        shown = brief_line(_joined(text), here(), LINE - len(begins) - len(counted))
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
