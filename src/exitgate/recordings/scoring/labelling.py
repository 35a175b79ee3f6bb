"""Labels made by hand: a session of lines in and out, one iteration shown after the other."""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.facts.text.words import encodable
from exitgate.core.model.decision import CLASSES
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import whole_of
from exitgate.core.model.spelling import nearest_name
from exitgate.core.model.value import Unknown
from exitgate.recordings.discovery import parts_of, readable
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.loaded_runs import unique
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.recordings.scoring.labels import Label, fits, stop_of
from exitgate.report.terminal import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Say = Callable[[str], None]
    Save = Callable[[tuple[Label, ...]], None]
    Show = Callable[["ShownRun", int, Label | None], str]

    from exitgate.recordings.model import RecordedIteration
    from exitgate.recordings.replay.extraction import Extracted
    from exitgate.recordings.replay.loaded_runs import Tell
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.scoring.labels import Label
    from exitgate.recordings.unread import Unread
    from exitgate.report.terminal import Style


HELP = """\
  n, Enter    next iteration          p         previous one
  j N         go to iteration N       a         show the whole response
  s           the run should have stopped here     r A-B   anywhere from A to B
  never       it was right to continue to the end     d       remove the run's label
  v           what the policy would have decided here
  ] and [     next run, previous run  l         list the runs
  q           quit; each label is saved at once
"""
PROMPT, ASK_CLASS, ASK_NOTE = "> ", "class (several with commas, Enter for any): ", "note (Enter for none): "


class Session:
    """
    One sitting over the runs of some transcripts.

    Args:
        runs: To look at, at least one.
        labels: What is labelled already, of these runs and of any others, which are kept as they are.
        say: Takes text to show, line ends included.
        show: From a run, an iteration and the run's label to the text that shows it.
        save: Takes all labels, in the order of the file, after each change.
    """

    def __init__(
        self, runs: Sequence[ShownRun], labels: Sequence[Label], say: Say, show: Show, save: Save
    ) -> None:
        self.runs = runs
        self.say = say
        self.show = show
        self.save = save
        self._labels: dict[str, Label] = {}
        for label in labels:
            key = _key(label, runs)
            # A second label for a run is wrong; that is for its writer to fix, so none of them is dropped.
            while key in self._labels:
                key += "\0"
            self._labels[key] = label
        self._at = next((n for n, run in enumerate(runs) if run.id not in self._labels), 0)
        self._number = 1

    def sit(self, lines: Iterable[str]) -> None:
        """
        Follow the lines that a person types until they leave or the lines end.

        Nothing that is typed raises: what is not understood is answered with the commands there are.
        """
        typed = iter(lines)
        self._show()
        self.say(PROMPT)
        for line in typed:
            word, _, rest = line.strip().partition(" ")
            if word == "q":
                return
            self._follow(word, rest.strip(), typed)
            self.say(PROMPT)

    def _follow(self, word: str, rest: str, typed: Iterator[str]) -> None:
        run = self.runs[self._at]
        plain = {
            "": lambda: self._go(self._number + 1),
            "n": lambda: self._go(self._number + 1),
            "p": lambda: self._go(self._number - 1),
            "s": lambda: self._mark(run, self._number, self._number, typed),
            "never": lambda: self._mark_never(run, typed),
            "d": lambda: self._drop(run),
            "v": lambda: self.say(safe(run.verdict(self._number)) + "\n"),
            "a": lambda: self.say(safe_block(run.whole(self._number)) + "\n"),
            "]": lambda: self._turn(1),
            "[": lambda: self._turn(-1),
            "l": self._list,
        }
        if word == "j" and rest.isascii() and rest.isdecimal():
            self._go(int(rest[:9]))
        elif word == "r":
            bounds = stop_of(rest)
            if bounds is None or not 1 <= bounds[0] <= bounds[1] <= run.iterations:
                self.say(f"write `r A-B` with iterations from 1 to {run.iterations}\n")
            else:
                self._mark(run, *bounds, typed)
        elif word in plain and not rest:
            plain[word]()
        else:
            self.say(HELP)

    def _go(self, number: int) -> None:
        last = self.runs[self._at].iterations
        if not 1 <= number <= last:
            end = "`]` goes to the next run" if number > last else "this is the first iteration"
            self.say(f"the run has {counted(last, 'iteration')}; {end}\n")
            return
        self._number = number
        self._show()

    def _turn(self, step: int) -> None:
        if not 0 <= self._at + step < len(self.runs):
            self.say("there is no other run in this direction; `l` lists them\n")
            return
        self._at += step
        self._number = 1
        self._show()

    def _show(self) -> None:
        run = self.runs[self._at]
        self.say(self.show(run, self._number, self._label(run)))

    def _list(self) -> None:
        for number, run in enumerate(self.runs):
            label = self._label(run)
            mark = ">" if number == self._at else " "
            said = "no label" if label is None else " ".join((label.stop, *label.classes))
            self.say(f"{mark} {safe(run.id)}  {counted(run.iterations, 'iteration')}  {said}\n")

    def _mark(self, run: ShownRun, first: int, last: int, typed: Iterator[str]) -> None:
        classes = self._classes(typed)
        note = encodable(self._ask(ASK_NOTE, typed))
        self._keep(run, Label(self._written(run), first, last, classes=classes, note=note))

    def _mark_never(self, run: ShownRun, typed: Iterator[str]) -> None:
        note = encodable(self._ask(ASK_NOTE, typed))
        self._keep(run, Label(self._written(run), None, None, never=True, note=note))

    def _classes(self, typed: Iterator[str]) -> tuple[str, ...]:
        """Return the classes a person names; asks again until all are some, and takes no answer for any."""
        while True:
            answer = self._ask(ASK_CLASS, typed)
            words = [word.strip().lower() for word in answer.split(",") if word.strip()]
            wrong = [word for word in words if word not in CLASSES]
            if not wrong:
                return tuple(dict.fromkeys(words))
            near = nearest_name(wrong[0], CLASSES)
            hint = f"did you mean `{near}`?" if near else f"classes: {', '.join(CLASSES)}"
            self.say(f"`{safe(wrong[0])}` is not a class; {hint}\n")

    def _ask(self, question: str, typed: Iterator[str]) -> str:
        self.say(question)
        return next(typed, "").strip()

    def _keep(self, run: ShownRun, label: Label) -> None:
        self._labels[run.id] = label
        self.save(tuple(self._labels.values()))
        self.say(f"{safe(run.id)}: {' '.join((label.stop, *label.classes))}\n")

    def _drop(self, run: ShownRun) -> None:
        if self._labels.pop(run.id, None) is None:
            self.say("the run has no label\n")
            return
        self.save(tuple(self._labels.values()))
        self.say(f"{safe(run.id)}: label removed\n")

    def _written(self, run: ShownRun) -> str:
        """Return what the file calls a run."""
        label = self._label(run)
        return run.id if label is None else label.run

    def _label(self, run: ShownRun) -> Label | None:
        return self._labels.get(run.id)


def _key(label: Label, runs: Sequence[ShownRun]) -> str:
    """Return the id of the one run that a label is for; what is written where it is for none of these."""
    exact = [run.id for run in runs if run.id == label.run]
    fitting = exact or [run.id for run in runs if fits(label.run, run.id)]
    return fitting[0] if len(fitting) == 1 else label.run


# Recorded runs as a person looks at them to label them: as much of each iteration as fits a screen.

#: Characters kept of a response.
KEPT = 100_000
#: Facts that tell how much of a plan is done, where the policy has them.
_DONE, _TOTAL = "tasks.done", "tasks.total"


class Preview(Struct, frozen=True):
    """
    One iteration: its times (seconds since the epoch), USD, tokens, response, how many of the plan's tasks
    are done, and how many calls of tools there were; None where the transcript does not say.
    """

    started_at: float | None
    ended_at: float | None
    cost: float | None
    tokens: int | None
    response: str | None
    done: int | None
    total: int | None
    calls: int | None


class ShownRun:
    """
    A run to be labelled.

    Args:
        id: Unique among the runs.
        title: A few words on it.
        glimpses: Its iterations.
        begin: As its reader told it.
        extracted: What the policy has read of each iteration.
        player: The policy that is asked on demand.
    """

    def __init__(
        self,
        id: str,
        title: str,
        glimpses: Sequence[Preview],
        begin: Begin,
        extracted: Sequence[Extracted],
        player: PolicyReplay,
    ) -> None:
        self.id = id
        self.title = title
        self.glimpses = glimpses
        self._begin = begin
        self._extracted = extracted
        self._player = player
        self._verdicts: list[str] = []

    @property
    def iterations(self) -> int:
        """How many there are."""
        return len(self.glimpses)

    def verdict(self, number: int) -> str:
        """Return what the policy says after iteration `number`, continuing no matter what it said before."""
        if not self._verdicts:
            walk = Replay(self._player.policy, self._begin, self._player.program)
            for one in self._extracted:
                decision = walk.step(one).decision
                said = f"{decision.verdict} {decision.exit_class or ''}".rstrip()
                self._verdicts.append(f"{self._player.name}: {said}, {decision.message or 'no rule decides'}")
        return self._verdicts[number - 1]

    def whole(self, number: int) -> str:
        """Return all that is kept of the response of iteration `number`."""
        return self.glimpses[number - 1].response or ""


def runs_to_show(
    paths: Sequence[str],
    player: PolicyReplay,
    problems: list[Problem],
    unread: Unread,
    reader: str | None = None,
    tell: Tell = lambda _: None,
) -> tuple[ShownRun, ...]:
    """
    Return the runs that `paths` lead to, those of sub-agents and those without an iteration left out.

    Args:
        paths: Files, folders, globs, URLs.
        player: The policy that is asked on demand.
        problems, unread: What could not be read is added to them.
        reader: Id of the reader, or None to tell it by the content.
        tell: Called with each path before it is read.
    """
    read: list[tuple[Begin, list[Preview], list[Extracted]]] = []
    for found in readable(paths, reader, unread):
        tell(found.place.path)
        for part in parts_of(found, unread):
            if isinstance(part, Problem):
                problems.append(part)
            elif isinstance(part, Begin):
                read.append((part, [], []))
                extraction = Extraction(player.policy, part, player.entries)
            elif not isinstance(part, End):
                extracted = extraction.step(part)
                read[-1][2].append(extracted)
                read[-1][1].append(_glimpse(part, extracted))
    # Runs that are not shown have a say in what the others are called: so it is where labels are scored.
    ids = unique([(begin.id, begin.file) for begin, _, _ in read])
    return tuple(
        ShownRun(id, begin.title, glimpses, begin, extracted, player)
        for id, (begin, glimpses, extracted) in zip(ids, read, strict=True)
        if begin.parent is None and glimpses
    )


def _glimpse(one: RecordedIteration, extracted: Extracted) -> Preview:
    spent = extracted.reported
    response = one.response if one.response is not None else one.output
    calls = one.record.get("tool_calls")
    return Preview(
        one.started_at,
        one.ended_at,
        spent.cost,
        spent.tokens,
        None if response is None else response[:KEPT],
        _count(extracted, _DONE),
        _count(extracted, _TOTAL),
        len(one.tool_calls) if one.tool_calls is not None else whole_of(calls),
    )


def _count(extracted: Extracted, name: str) -> int | None:
    fact = extracted.facts.get(name)
    value = None if fact is None or isinstance(fact.value, Unknown) else fact.value
    return whole_of(value)


# One iteration on the screen of somebody who labels runs.

#: Lines of a response from its beginning and its end that are shown.
HEAD, TAIL = 8, 14


def screen(run: ShownRun, number: int, label: Label | None, style: Style) -> str:
    """Return an iteration: its place, what it cost, the plan, and the response shortened."""
    one = run.glimpses[number - 1]
    head = f"{safe(run.id)}  iteration {number} of {run.iterations}"
    mark = "no label" if label is None else " ".join((f"label: {label.stop}", *label.classes))
    lines = ["", style.paint("strong", head) + f"  ({mark})"]
    told = [text for text in (_times(one), _spent(one), _plan(one)) if text]
    if told:
        lines.append(style.paint("quiet", "  ".join(told)))
    lines += ["", *response(one.response, style), ""]
    return "\n".join(lines)


def response(text: str | None, style: Style) -> list[str]:
    """Return the first and last lines of a response, each cut to the width, blank ends left out."""
    if text is None:
        return ["  (the transcript has no response)"]
    lines = safe_block(text).expandtabs(4).strip("\n").split("\n")
    if len(lines) > HEAD + TAIL + 1:
        left = len(lines) - HEAD - TAIL
        lines = [*lines[:HEAD], f"... {left} lines omitted; `a` shows all ...", *lines[-TAIL:]]
    return [f"  {style.fit(line, style.width - 2)}".rstrip() for line in lines]


def _times(one: Preview) -> str:
    if one.ended_at is None and one.started_at is None:
        return ""
    from datetime import UTC, datetime

    at = one.started_at if one.started_at is not None else one.ended_at
    assert at is not None
    try:
        shown = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return ""
    if one.started_at is None or one.ended_at is None:
        return shown
    return f"{shown}, {max(0, round(one.ended_at - one.started_at))} s"


def _spent(one: Preview) -> str:
    parts = [f"{one.cost:.2f} USD"] if one.cost is not None else []
    parts += [counted(one.tokens, "token")] if one.tokens is not None else []
    parts += [counted(one.calls, "tool call")] if one.calls is not None else []
    return ", ".join(parts)


def _plan(one: Preview) -> str:
    return f"plan: {one.done} of {one.total} done" if one.total else ""
