"""What came of one question about a policy."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.walk.answer import Answer
    from exitgate.model.place import Place

#: Kinds of questions, in the order in which they are asked and reported; `only` names their groups.
INVARIANT, SILENCE, RULE, OVERLAP, BOUND, CLASS = "invariant", "silence", "rule", "overlap", "bound", "class"
GROUPS = {
    "invariants": (INVARIANT, SILENCE),
    "rules": (RULE,),
    "overlaps": (OVERLAP,),
    "bound": (BOUND,),
    "classes": (CLASS,),
}

#: It is so for every input; it was so at every point walked; it is not so; no answer within the limits.
PROVED, HELD, BROKEN, OPEN = "proved", "held", "broken", "not decided"
#: An input shows that it can be; something to know that breaks no promise.
SHOWN, NOTED = "shown", "noted"


class Proof(Value):
    """
    One question and its answer.

    Args:
        kind: One of the kinds above.
        subject: What it is about: id of an invariant or rule, a class, a stage.
        status: One of the statuses above.
        says: The answer as a sentence part.
        answer: What the analysis gave, with the run that shows or breaks it; None where several gave it.
        more: Further lines for people.
        place: Where the subject is.
        stage: The stage of the question.
        given: What the run of a broken promise makes true, and what was promised; empty for others.
        series: Whether the run is one that goes round for ever, and how long its round is; else 0.
    """

    __slots__ = ("answer", "given", "kind", "more", "place", "says", "series", "stage", "status", "subject")

    def __init__(
        self,
        kind: str,
        subject: str,
        status: str,
        says: str,
        answer: Answer | None = None,
        more: tuple[str, ...] = (),
        place: Place | None = None,
        stage: str = "after_iteration",
        given: tuple[str, ...] = (),
        series: int = 0,
    ) -> None:
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
