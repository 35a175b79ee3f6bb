"""`.response_analysis`: what an iteration said, in the loop's own shape."""

from __future__ import annotations

from exitgate.hosts.ralph.files import OUTPUT_LIMIT, answer_value_in, pretty, text_of, written
from exitgate.hosts.ralph.json_answer import JsonAnswer, answer_in
from exitgate.hosts.ralph.said import count_of, refused_in, value_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.hosts.ralph.said import Said

    Plain = dict[str, object]

#: Points of confidence: words of completion, of nothing left, changed files, a shrinking output, JSON.
WORDS, NOTHING, FILES, SHRUNK, JSON = 10, 15, 20, 10, 50
SURE = 100
#: Errors in one response above which it calls an iteration stuck.
STUCK = 5
#: Characters of a summary: of a JSON answer, of a text.
JSON_SUMMARY, TEXT_SUMMARY = 1000, 100


class Analysis(Value):
    """
    The analysis of one iteration.

    Args:
        document: The file, before it is written.
        session: Id of the agent's session, or empty.
        length: Characters of the output.
    """

    __slots__ = ("document", "length", "session")

    def __init__(self, document: Plain, session: str, length: int) -> None:
        self.document = document
        self.session = session
        self.length = length

    @property
    def inner(self) -> Plain:
        """The member `analysis`."""
        inner = self.document["analysis"]
        assert isinstance(inner, dict)
        return inner

    def text(self) -> str:
        """Return the file."""
        return pretty(self.document)


def analysis_of(
    checked: Checked, said: Said, output_file: str, loop: int, last_length: int, now: float
) -> Analysis:
    """
    Return the analysis of the response in `output_file`.

    Args:
        checked: The check on it.
        said: What it said.
        output_file: Path, as the loop gave it.
        loop: Number of the loop.
        last_length: Characters of the output before, 0 where it is not known.
        now: Seconds since the epoch.
    """
    output = text_of(output_file, OUTPUT_LIMIT) or ""
    answer = answer_in(answer_value_in(output))
    facts = checked.facts
    asked = question_count(checked, said)
    denied = list(answer.denied) if answer is not None else []
    refused, compound = refused_in(checked, said, len(denied))
    inner: Plain = {
        "has_completion_signal": said.done,
        "is_test_only": said.test_only,
        "is_stuck": error_count(checked, answer) > STUCK,
        "has_progress": said.files,
        "files_modified": _files(checked, said, answer),
        "confidence_score": _confidence(checked, said, answer, len(output), last_length),
        "exit_signal": said.exit,
        "work_summary": _summary(answer, value_of(facts, "status.recommendation"), checked),
        "output_length": len(output),
        "has_permission_denials": refused,
        "permission_denial_count": len(denied),
        "denied_commands": denied,
        "has_compound_command_limitation": compound,
        "compound_command_count": len(denied) if compound else 0,
        "asking_questions": said.asking,
        "question_count": asked,
    }
    document: Plain = {
        "loop_number": loop,
        "timestamp": written(now),
        "output_file": output_file,
        "output_format": "text" if answer is None else "json",
        "analysis": inner,
    }
    return Analysis(document, "" if answer is None else answer.session, len(output))


def question_count(checked: Checked, said: Said) -> int:
    """Return how many questions are asked: phrases by line where the policy counts those, else sentences."""
    loose = checked.policy.values().get("loose_questions") is True
    count = count_of(checked.facts, "grep.questions.count" if loose else "questions.count")
    return max(count, 1) if said.asking else 0


def error_count(checked: Checked, answer: JsonAnswer | None) -> int:
    """Return how many errors are reported: of a JSON answer by itself, of a text by the policy's facts."""
    if answer is not None:
        return answer.error_count
    loose = checked.policy.values().get("loose_errors") is True
    return count_of(checked.facts, "grep.errors.count" if loose else "errors.count")


def _files(checked: Checked, said: Said, answer: JsonAnswer | None) -> int:
    seen = max(count_of(checked.facts, "git.files_changed"), count_of(checked.facts, "git.uncommitted"))
    told = 0 if answer is None else answer.files_modified
    return max(seen, 1) if said.files else told


def _confidence(
    checked: Checked, said: Said, answer: JsonAnswer | None, length: int, last_length: int
) -> int:
    if answer is not None:
        return SURE if said.exit else answer.confidence + JSON
    facts = checked.facts
    words = count_of(facts, "grep.done.count") or count_of(facts, "completion.count")
    nothing = count_of(facts, "grep.nothing.count") or count_of(facts, "no_work.count")
    return (
        SURE * said.exit
        + WORDS * bool(words)
        + NOTHING * bool(nothing)
        + FILES * said.files
        + SHRUNK * (last_length > 0 and length * 100 // last_length < 50)
    )


def _summary(answer: JsonAnswer | None, recommended: object, checked: Checked) -> str:
    if answer is not None:
        return answer.summary[:JSON_SUMMARY]
    if isinstance(recommended, str) and recommended:
        return recommended[:TEXT_SUMMARY]
    said = checked.iteration.source("response").text or ""
    return next((line.strip()[:TEXT_SUMMARY] for line in said.splitlines() if line.strip()), "")
