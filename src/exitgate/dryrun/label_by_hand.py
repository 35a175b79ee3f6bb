"""Labels made by hand: a session of lines in and out, one iteration shown after the other."""

from __future__ import annotations

from exitgate.dryrun.labels import Label, fits
from exitgate.dryrun.labels_text import stop_of
from exitgate.model.counted import counted
from exitgate.model.verdict import CLASSES
from exitgate.policy.suggestion import nearest_name
from exitgate.report.safe import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from exitgate.dryrun.label_by_hand_runs import ShownRun

    Say = Callable[[str], None]
    Save = Callable[[tuple[Label, ...]], None]
    Show = Callable[["ShownRun", int, Label | None], str]

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
        self._keep(run, Label(run.id, first, last, classes=classes, note=self._ask(ASK_NOTE, typed)))

    def _mark_never(self, run: ShownRun, typed: Iterator[str]) -> None:
        self._keep(run, Label(run.id, None, None, never=True, note=self._ask(ASK_NOTE, typed)))

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

    def _label(self, run: ShownRun) -> Label | None:
        return self._labels.get(run.id)


def _key(label: Label, runs: Sequence[ShownRun]) -> str:
    """Return the id of the one run that a label is for; what is written where it is for none of these."""
    exact = [run.id for run in runs if run.id == label.run]
    fitting = exact or [run.id for run in runs if fits(label.run, run.id)]
    return fitting[0] if len(fitting) == 1 else label.run
