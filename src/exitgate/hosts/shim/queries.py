"""Functions of the loop's libraries that only look at texts: questions, format, JSON, errors."""

from __future__ import annotations

import os

from exitgate.core.system import safe_files
from exitgate.hosts.shim import files
from exitgate.hosts.shim.analysis import (
    answer_in,
    error_count,
    question_count,
    refused_in,
    statements_by,
    statements_in,
)
from exitgate.hosts.shim.state_files import loop_in, signals_in
from exitgate.surfaces.decide import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.gate.decision import CheckResult
    from exitgate.hosts.shim.session import Session


#: Bytes above which a stream without a result is text.
LARGE = 1_048_576
#: Logs that an error must be in to be the same again.
RECENT = 3
LOG = "claude_output_"


def questions(session: Session, text: str) -> int:
    """Return how many questions a text asks."""
    if not text.strip():
        return 0
    checked = _look(session, text)
    return question_count(checked, statements_in(checked))


def output_format(session: Session, path: str) -> str:
    """Return `json` for a file that holds JSON, else `text`; a large one without a result is text."""
    try:
        raw = safe_files.content(path, files.OUTPUT_LIMIT, links=True)
    except OSError:
        return "text"
    size = len(raw)
    limit = session.environment.get("RALPH_JSONL_SAFE_MAX_BYTES", "")
    if raw[:1] not in (b"{", b"["):
        return "text"
    if size > (int(limit) if limit.isdigit() else LARGE) and not _has_result(raw):
        return "text"
    return "text" if files.answer_value_in(raw.decode("utf-8", "replace")) is None else "json"


def parse(session: Session, path: str, target: str) -> bool:
    """Write what a JSON answer says, normalised, to `target`; return whether there was one."""
    text = files.text_of(path, files.OUTPUT_LIMIT)
    answer = answer_in(files.answer_value_in(text))
    if text is None or answer is None:
        return False
    checked = _look(session, text)
    said = statements_in(checked)
    refused, compound = refused_in(checked, said, len(answer.denied))
    document: dict[str, object] = {
        "status": answer.status,
        "exit_signal": said.exit,
        "is_test_only": said.test_only,
        "is_stuck": error_count(checked, answer) > 5,
        "has_completion_signal": said.done,
        "files_modified": answer.files_modified,
        "error_count": answer.error_count,
        "summary": answer.summary,
        "loop_number": answer.loop_number,
        "session_id": answer.session,
        "confidence": answer.confidence,
        "has_permission_denials": refused,
        "permission_denial_count": len(answer.denied),
        "denied_commands": list(answer.denied),
        "has_compound_command_limitation": compound,
        "compound_command_count": len(answer.denied) if compound else 0,
        "metadata": {"loop_number": answer.loop_number, "session_id": answer.session},
    }
    files.replace(target, files.pretty(document))
    return True


def update_signals(analysis: str, signals: str) -> bool:
    """Add what an analysis file says to a file of signals; return whether there was an analysis."""
    text = files.text_of(analysis)
    said = statements_by(text)
    if said is None:
        return False
    before = signals_in(files.text_of(signals))
    files.replace(signals, before.after(said, loop_in(text)).text())
    return True


def is_stuck(session: Session, path: str, folder: str) -> bool:
    """Return whether every error line of a file is in each of the newest logs of a folder."""
    recent = _newest(folder)
    text = files.text_of(path, files.OUTPUT_LIMIT)
    if not recent or text is None:
        return False
    errors = _error_lines(_look(session, text))
    return bool(errors) and all(all(line in log for line in errors) for log in recent)


def _look(session: Session, text: str) -> CheckResult:
    """Return a check on a text that is not recorded."""
    return decide(session.request(texts={"response": text}, record=False))


def _error_lines(checked: CheckResult) -> tuple[str, ...]:
    loose = checked.policy.values().get("loose_errors") is True
    fact = checked.facts.get("grep.errors.count" if loose else "errors.count")
    source = checked.iteration.source("response").text or ""
    lines = source.split("\n")
    found = () if fact is None else fact.evidence
    numbers = {one.line for one in found if 0 < one.line <= len(lines)}
    return tuple(sorted({lines[number - 1].strip("\r") for number in numbers}))


def _newest(folder: str) -> tuple[str, ...]:
    """Return the texts of the newest logs of agents in a folder."""
    try:
        names = [
            name
            for name in safe_files.names(folder, links=True)
            if name.startswith(LOG) and name.endswith(".log")
        ]
        paths = sorted((os.path.join(folder, name) for name in names), key=os.path.getmtime)
    except OSError:
        return ()
    return tuple(files.text_of(path, files.OUTPUT_LIMIT) or "" for path in paths[-RECENT:])


def _has_result(raw: bytes) -> bool:
    """Return whether some member `type` is `result`, no matter what blanks are around the colon."""
    for part in raw.split(b'"type"')[1:]:
        before, colon, after = part[:40].partition(b":")
        if colon and not before.strip() and after.lstrip().startswith(b'"result"'):
            return True
    return False
