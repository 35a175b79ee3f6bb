"""What came of one question about a policy."""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.analysis.results.answer import UNDECIDED, Answer
from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value

Run = tuple[Mapping[str, object], ...]


#: Kinds of questions, in the order in which they are asked and reported; `only` names their groups.
INVARIANT, SILENCE, RULE, OVERLAP, BOUND, CLASS = "invariant", "silence", "rule", "overlap", "bound", "class"
GROUPS = {
    "invariants": (INVARIANT, SILENCE),
    "rules": (RULE,),
    "overlaps": (OVERLAP,),
    "bound": (BOUND,),
    "classes": (CLASS,),
}

#: What an answer means for the policy: it is as promised; it is not. An input shows that it can be; something
#: to know that breaks no promise. What is not decided means nothing, and its status is UNDECIDED.
KEPT, BROKEN, SHOWN, NOTED = "proved", "broken", "shown", "noted"
STATUSES = (KEPT, SHOWN, NOTED, BROKEN, UNDECIDED)


class Proof(Value):
    """
    One question and its answer.

    Args:
        kind: One of the kinds above.
        subject: What it is about: id of an invariant or rule, a class, a stage.
        status: One of `STATUSES`; UNDECIDED where, and only where, the answer is.
        says: The answer as a sentence part.
        answer: What the analysis gave, with the run that shows or breaks it.
        more: Further lines for people.
        place: Where the subject is.
        stage: The stage of the question.
        given: What the run of a broken promise makes true, and what was promised; empty for others.
        example: A run that is worth showing although it is not what refutes anything: the longest one.
        series: Whether the run is one that goes round for ever, and how long its round is; else 0.
    """

    __slots__ = (
        "answer",
        "example",
        "given",
        "kind",
        "more",
        "place",
        "says",
        "series",
        "stage",
        "status",
        "subject",
    )

    def __init__(
        self,
        kind: str,
        subject: str,
        status: str,
        says: str,
        answer: Answer,
        more: tuple[str, ...] = (),
        place: Location | None = None,
        stage: str = "after_iteration",
        given: tuple[str, ...] = (),
        series: int = 0,
        example: Run = (),
    ) -> None:
        if status not in STATUSES or (status == UNDECIDED) != (answer.status == UNDECIDED):
            raise ValueError(f"`{status}` is not what comes of an answer that is {answer.status}")
        self.kind = kind
        self.subject = subject
        self.status = status
        self.says = says
        self.answer = answer
        self.more = more
        self.place = place
        self.stage = stage
        self.given = given
        self.series = series
        self.example = example
