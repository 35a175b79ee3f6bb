"""`.response_analysis`: what an iteration said, in the loop's own shape."""

from __future__ import annotations

from exitgate.core.model.json_object import JsonObject, as_object, object_of, objects_of
from exitgate.core.model.value import Unknown, Value
from exitgate.hosts.shim.files import (
    OUTPUT_LIMIT,
    answer_value_in,
    count_in,
    object_in,
    pretty,
    text_of,
    written,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.decision import CheckResult

    Plain = dict[str, object]
    from collections.abc import Mapping

    from exitgate.core.model.fact import Fact
    from exitgate.core.model.json_object import Json


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
    def inner(self) -> JsonObject:
        """The member `analysis`."""
        return object_of(self.document["analysis"])

    def text(self) -> str:
        """Return the file."""
        return pretty(self.document)


def analysis_of(
    checked: CheckResult, said: Statements, output_file: str, loop: int, last_length: int, now: float
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


def question_count(checked: CheckResult, said: Statements) -> int:
    """Return how many questions are asked: phrases by line where the policy counts those, else sentences."""
    loose = checked.policy.values().get("loose_questions") is True
    count = count_of(checked.facts, "grep.questions.count" if loose else "questions.count")
    return max(count, 1) if said.asking else 0


def error_count(checked: CheckResult, answer: JsonAnswer | None) -> int:
    """Return how many errors are reported: of a JSON answer by itself, of a text by the policy's facts."""
    if answer is not None:
        return answer.error_count
    loose = checked.policy.values().get("loose_errors") is True
    return count_of(checked.facts, "grep.errors.count" if loose else "errors.count")


def _files(checked: CheckResult, said: Statements, answer: JsonAnswer | None) -> int:
    seen = max(count_of(checked.facts, "git.files_changed"), count_of(checked.facts, "git.uncommitted"))
    told = 0 if answer is None else answer.files_modified
    return max(seen, 1) if said.files else told


def _confidence(
    checked: CheckResult, said: Statements, answer: JsonAnswer | None, length: int, last_length: int
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


def _summary(answer: JsonAnswer | None, recommended: object, checked: CheckResult) -> str:
    if answer is not None:
        return answer.summary[:JSON_SUMMARY]
    if isinstance(recommended, str) and recommended:
        return recommended[:TEXT_SUMMARY]
    said = checked.iteration.source("response").text or ""
    return next((line.strip()[:TEXT_SUMMARY] for line in said.splitlines() if line.strip()), "")


# What an iteration said: by the facts of any policy, or by an analysis file of somebody else.

#: What is said -> the fact of the policy `ralph-claude-code` that is 1 for it, and facts of other policies,
#: of which one is enough: a name for true, a pair for a value.
SIGNS: dict[str, tuple[str, tuple[str | tuple[str, str], ...]]] = {
    "exit": ("loop.exit", ("status.exit_signal", "promise.emitted")),
    "done": (
        "loop.done",
        (
            "status.exit_signal",
            "promise.emitted",
            ("status.status", "COMPLETE"),
            "completion.found",
            "no_work.found",
        ),
    ),
    "test_only": ("loop.test_only", ("tests.only", ("status.work_type", "TEST_ONLY"))),
    "files": ("loop.files", ("git.changed", "progress.made")),
    "progress": ("loop.progress", ("progress.made",)),
    "asking": ("loop.asking", ("questions.asked",)),
    "error": ("loop.error", ("errors.present",)),
    "denied": ("loop.denied", ("denials.blocking",)),
}

#: Member of an analysis file -> what it says.
MEMBERS = {
    "exit_signal": "exit",
    "has_completion_signal": "done",
    "is_test_only": "test_only",
    "has_progress": "files",
    "asking_questions": "asking",
    "has_permission_denials": "denied",
}


class Statements(Value):
    """
    What one iteration said or did, yes or no.

    Args:
        exit: The exit signal is true.
        done: The work is said to be done.
        test_only: Tests were run and nothing else was done.
        files: Files changed.
        progress: The breaker takes it for progress.
        asking: A person is asked.
        error: There is an error.
        denied: A tool was refused that is not allowed anyway.
    """

    __slots__ = ("asking", "denied", "done", "error", "exit", "files", "progress", "test_only")

    def __init__(
        self,
        *,
        exit: bool = False,
        done: bool = False,
        test_only: bool = False,
        files: bool = False,
        progress: bool = False,
        asking: bool = False,
        error: bool = False,
        denied: bool = False,
    ) -> None:
        self.exit = exit
        self.done = done
        self.test_only = test_only
        self.files = files
        self.progress = progress
        self.asking = asking
        self.error = error
        self.denied = denied


def statements_in(checked: CheckResult) -> Statements:
    """Return what the iteration of a check said, by the facts of its policy."""
    return Statements(**{name: _is_said(checked.facts, *sign) for name, sign in SIGNS.items()})


def statements_by(text: str | None, *, files: bool | None = None, error: bool = False) -> Statements | None:
    """
    Return what an analysis file says, None where there is none or it is not a JSON object.

    Args:
        text: Of the file.
        files: Whether files changed, where the caller knows it better.
        error: Whether there was an error; the file does not say it.
    """
    found = object_in(text)
    if found is None:
        return None
    analysis = found.object("analysis")
    told = {name: analysis.get(member) is True for member, name in MEMBERS.items()}
    if files is not None:
        told["files"] = files
    moved = told["files"] or told["exit"] or told["done"] or count_in(analysis, "files_modified") > 0
    return Statements(**told, progress=moved, error=error)


def value_of(facts: Mapping[str, Fact], name: str) -> object:
    """Return the value of a fact, None where it is unknown or the policy has none of that name."""
    fact = facts.get(name)
    return None if fact is None or isinstance(fact.value, Unknown) else fact.value


def count_of(facts: Mapping[str, Fact], name: str) -> int:
    """Return the count that a fact holds, 0 where it is unknown."""
    value = value_of(facts, name)
    return int(value) if isinstance(value, int | float) else 0


def refused_in(checked: CheckResult, said: Statements, told: int) -> tuple[bool, bool]:
    """
    Return whether a tool was refused for good, and whether only parts of longer commands were.

    Where the policy knows nothing of `told` refusals in the agent's JSON, they count as the first.
    """
    facts = checked.facts
    unknown = value_of(facts, "denials.blocking") is None or not count_of(facts, "denials.count")
    refused = said.denied or (told > 0 and unknown)
    covered = told > 0 and not refused and value_of(facts, "denials.blocking") is False
    return refused, covered


def _is_said(facts: Mapping[str, Fact], own: str, others: tuple[str | tuple[str, str], ...]) -> bool:
    if own in facts:
        return count_of(facts, own) == 1
    return any(
        value_of(facts, one) is True if isinstance(one, str) else value_of(facts, one[0]) == one[1]
        for one in others
    )


# What an agent's JSON says beside its text, in the three shapes that the loop reads: flat, object, array.

#: Lines and characters of a refused command that are shown.
SHOWN = 60
#: Points: for a result, for each sign of progress.
RESULT_POINTS, SIGN_POINTS = 20, 5
SHELL = "Bash"


class JsonAnswer(Value):
    """
    What is beside the text.

    Args:
        status: As it is, or `UNKNOWN`.
        work_type: As it is, or `UNKNOWN`.
        files_modified: Files the agent says that it changed.
        error_count: Errors the agent shows.
        summary: Its text.
        session: Id of the session, or empty.
        loop_number: As the agent counts, 0 where it does not.
        confidence: What it claims, with points for a result and for signs of progress.
        denied: Each refused call, as ``Bash(command)`` or the tool's name.
    """

    __slots__ = (
        "confidence", "denied", "error_count", "files_modified", "loop_number", "session", "status",
        "summary", "work_type",
    )  # fmt: skip

    def __init__(self, found: JsonObject) -> None:
        told = found.object("metadata")
        errors = count_in(found, "error_count")
        self.status = _status(found, told)
        self.work_type = found.text("work_type") or "UNKNOWN"
        where = told if "files_changed" in told else found
        self.files_modified = count_in(where, "files_changed" if where is told else "files_modified")
        self.error_count = errors or int(told.get("has_errors") is True)
        self.summary = found.text("result", "") or found.text("summary", "")
        self.session = _session(found) or told.text("session_id", "")
        self.loop_number = count_in(told, "loop_number") or count_in(found, "loop_number")
        signs = told.get("progress_indicators")
        self.confidence = (
            count_in(found, "confidence")
            + (RESULT_POINTS if "result" in found else 0)
            + SIGN_POINTS * (len(signs) if isinstance(signs, list | dict | str) else 0)
        )
        self.denied = tuple(_denied(object_of(one)) for one in found.array("permission_denials"))


def answer_in(value: Json) -> JsonAnswer | None:
    """
    Return what a JSON value says, None for a value that is neither an object nor an array.

    Of an array the last element of type `result` counts; a session that it does not name is the one
    of its first `init` element.
    """
    if isinstance(value, dict):
        return JsonAnswer(as_object(value))
    if not isinstance(value, list):
        return None
    parts = objects_of(value)
    result = next((part for part in reversed(parts) if part.get("type") == "result"), JsonObject())
    begun = (part for part in parts if part.get("type") == "system" and part.get("subtype") == "init")
    session = next((part.text("session_id", "") for part in begun), "")
    return JsonAnswer(result if _session(result) or not session else JsonObject(result, sessionId=session))


def _session(found: JsonObject) -> str:
    return found.text("sessionId") or found.text("session_id", "")


def _status(found: JsonObject, told: JsonObject) -> str:
    if told.text("completion_status", "").upper() == "COMPLETE":
        return "COMPLETE"
    return found.text("status") or "UNKNOWN"


def _denied(one: JsonObject) -> str:
    tool = one.text("tool_name") or "unknown"
    if tool != SHELL:
        return tool
    command = one.object("tool_input").text("command", "")
    return f"{SHELL}({command.partition(chr(10))[0][:SHOWN] or '?'})"
