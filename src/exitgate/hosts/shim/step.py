"""One step of the loop: what its functions ask of exitgate, and what is written with the answer."""

from __future__ import annotations

import os

from exitgate.core.model.decision import EXIT
from exitgate.core.model.json_object import JsonObject
from exitgate.core.system import safe_files
from exitgate.hosts.shim import files, state_files
from exitgate.hosts.shim.analysis import Statements, analysis_of, statements_by, statements_in
from exitgate.hosts.shim.state_files import signals_in
from exitgate.surfaces.decide import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.gate.decision import CheckResult
    from exitgate.core.model.json_object import Json
    from exitgate.hosts.shim.session import Places, Session


def analyze(session: Session, output_file: str, loop: int) -> None:
    """
    Decide on the response in a file, and keep what it said in the loop's own files.

    Asked again about the same file of the same loop it changes nothing.

    Raises:
        ExitgateError: As `exitgate.core.gate.check.check`; 73 when a state file cannot be written.
    """
    turn = _turn(output_file, loop)
    if session.values.get("turn") == turn and not session.foreign:
        return
    before = session.there
    if session.foreign and _begins(session):
        if not _is_decided(session, turn):
            _begin_anew(session, whole=True)
        elif session.ours is not None:
            # Only the answer is missing: what is in the files may count this iteration already.
            before = session.ours
    checked = decide(session.request(response=output_file, turn=turn))
    said = statements_in(checked)
    last_length = _length_before(session)
    analysis = analysis_of(checked, said, output_file, loop, last_length, session.now)
    if analysis.session:
        record = {"session_id": analysis.session, "timestamp": files.written(session.now)}
        files.replace(session.places.beside(".claude_session_id"), files.pretty(record))
    if analysis.document["output_format"] == "text":
        files.replace(session.places.beside(".last_output_length"), f"{analysis.length}\n")
    session.leave(
        checked,
        state_files.with_loop(session.breaker_in(before), said, loop),
        loop,
        signals=signals_in(before.signals).after(said, loop).text(),
        analysis=analysis.text(),
        more={"turn": turn, **_shown(analysis.inner)},
    )


def ask(session: Session, loop: int) -> None:
    """
    Decide whether the loop continues, from its files: before its first iteration, or after others wrote them.

    Raises:
        ExitgateError: As for `analyze`.
    """
    if session.environment.get("CB_AUTO_RESET") == "true" and session.breaker["state"] == "OPEN":
        reset_breaker(session, "CB_AUTO_RESET")
    last = None
    if session.foreign and _begins(session):
        # Files with nothing but counters of the breaker tell of no iteration that is still to be decided on.
        last = _begin_anew(session, whole=not session.tells)
    if last is not None:
        checked = _decide_given(session, last)
    elif _ended(session):
        session.leave_again(loop)
        return
    else:
        checked = decide(session.request(stage="before_iteration"))
    inner = files.object_in(session.there.analysis) or JsonObject()
    session.leave(
        checked,
        session.breaker,
        loop,
        signals=session.there.signals or signals_in(None).text(),
        analysis=None,
        more=_shown(inner.object("analysis")),
    )


def record(session: Session, loop: int, files_changed: int, has_errors: bool) -> None:
    """
    Count an iteration of which there was no analysis, by what the loop itself saw of it.

    Raises:
        ExitgateError: As for `analyze`.
    """
    moved = files_changed > 0
    said = statements_by(session.there.analysis, files=moved, error=has_errors)
    said = said or Statements(files=moved, progress=moved, error=has_errors)
    if session.foreign and _begins(session):
        last = _begin_anew(session, whole=False, said=said)
    else:
        from exitgate.hosts.shim.foreign_state import ForeignState
        from exitgate.hosts.shim.state_files import Signals

        lists = Signals((loop,) * said.test_only, (loop,) * said.done, (loop,) * said.exit)
        last = ForeignState(lists, said, state_files.closed_breaker(session.now), latest=False).iterations()[
            -1
        ]
    assert last is not None
    session.leave(
        _decide_given(session, last),
        state_files.with_loop(session.breaker, said, loop),
        loop,
        signals=session.there.signals or signals_in(None).text(),
        analysis=None,
        more={},
    )


def begin_where_foreign(session: Session) -> None:
    """Begin a run that has all of the files as its history, where somebody else wrote them."""
    if session.foreign and _begins(session):
        _begin_anew(session, whole=True)


def _turn(output_file: str, loop: int) -> str | None:
    """Return what makes a response of a loop another one, None where there is no such file."""
    try:
        status = os.stat(output_file)
    except OSError:
        return None
    return f"loop {loop} {status.st_mtime_ns} {status.st_size} {status.st_ino}"


def _is_decided(session: Session, turn: str | None) -> bool:
    """Return whether the newest decision is on this response: all that is missing are the files behind it."""
    from exitgate.core.ledger import read
    from exitgate.core.state.discover import run_name, state_dir

    request = session.request()
    last = read.last(state_dir(request), run_name(request))
    return turn is not None and last is not None and last.get("turn") == turn


def _begins(session: Session) -> bool:
    """Return whether there is anything that a new run would be another one than."""
    from exitgate.core.state.discover import state_dir

    there = session.there
    told = bool(signals_in(there.signals)) or there.analysis is not None or there.breaker is not None
    return told or os.path.isdir(state_dir(session.request()))


def _begin_anew(session: Session, *, whole: bool, said: Statements | None = None) -> dict[str, object] | None:
    from exitgate.hosts.shim.foreign_state import begin_anew

    told = session.told(said)
    return begin_anew(
        session.request(), told, session.now, all_of_them=whole, breaker=session.breaker_is_foreign
    )


def _decide_given(session: Session, facts: dict[str, object]) -> CheckResult:
    """Return the check on an iteration of which only these facts are known."""
    from exitgate.core.engine.program import program_of
    from exitgate.core.gate.settings import policy_of
    from exitgate.hosts.shim.foreign_state import facts_given

    policy = policy_of(session.request())
    known = facts_given(facts, policy)
    asked = session.request(facts=known, texts={"response": None}, ended=True, program=program_of(policy))
    return decide(asked)


def _ended(session: Session) -> bool:
    """Return whether the run ended for a reason that nothing but new files would undo."""
    of_the_plan = session.values.get("reason") == "plan_complete"
    ended = session.values.get("verdict") == "EXIT" and not of_the_plan and not session.values.get("halt")
    return ended and not session.foreign


def reset_breaker(session: Session, reason: str) -> None:
    """
    Close the breaker in the ledger and in the loop's file, and say so in its history.

    Raises:
        ExitgateError: 64 for an empty reason, 73, 74 and 75 as for a check.
    """
    from exitgate.core.gate.breaker_control import reset
    from exitgate.core.state.discover import state_dir
    from exitgate.hosts.shim.bash import StateTexts

    before, places = session.breaker, session.places
    after = state_files.closed_breaker(session.now, reason)
    after["total_opens"] = files.count_in(before, "total_opens")
    reset(state_dir(session.request()), reason, session.now)
    move = state_files.move_of(before, after, 0)
    files.replace(places.history, state_files.history_after(files.text_of(places.history), move))
    text = state_files.breaker_text(after)
    files.replace(places.breaker, text)
    session.there = StateTexts(session.there.signals, text, session.there.analysis)


def _length_before(session: Session) -> int:
    text = (files.text_of(session.places.beside(".last_output_length")) or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _shown(analysis: Mapping[str, Json]) -> dict[str, Json]:
    """Return what the shell shows of an analysis."""
    names = ("exit_signal", "confidence_score", "is_test_only", "files_modified", "work_summary")
    return {name: analysis.get(name, "") for name in names}


# An iteration in which the agent itself failed, which the script neither analyses nor records.

#: The script keeps the status of its agent to itself; that it was not 0 is all that is known.
FAILED = 1
#: Seconds after which the script has waited for a limit by itself: it waits an hour, and after any other
#: failure half a minute.
WAITED = 1800
LOGS, LOG, LOG_END = "logs", "claude_output_", ".log"


def failed(session: Session, loop: int) -> None:
    """
    Decide after an agent that failed, on what it printed.

    A limit that the script waited for by itself does not halt it; what bounds a run still does.

    Raises:
        ExitgateError: As `exitgate.core.gate.check.check`; 73 when a state file cannot be written.
    """

    begin_where_foreign(session)
    begun = _time(session.places.begun)
    printed = _printed(session.places, begun)
    ended_at = max(begun, 0 if printed is None else _time(printed))
    asked = session.request(
        response=printed,
        texts={} if printed is not None else {"response": None},
        agent_exit=FAILED,
        ended=True,
        turn=f"loop {loop} failed {begun}",
    )
    checked = decide(asked)
    if _is_waited_for(checked, session.now - ended_at / 1e9):
        checked = decide(session.request(stage="before_iteration"))
    session.leave(
        checked,
        session.breaker,
        loop,
        signals=session.there.signals or signals_in(None).text(),
        analysis=None,
        more={},
    )


def _is_waited_for(checked: CheckResult, seconds: float) -> bool:
    decision = checked.decision
    return decision.verdict == EXIT and decision.exit_class == "wait" and seconds >= WAITED


def _printed(places: Places, begun: int) -> str | None:
    """Return the newest log of an agent, None where none was written since the iteration began."""
    folder = places.beside(LOGS)
    try:
        names = [
            name
            for name in safe_files.names(folder, links=True)
            if name.startswith(LOG) and name.endswith(LOG_END)
        ]
    except OSError:
        return None
    paths = [os.path.join(folder, name) for name in names]
    newest = max(paths, key=_time, default=None)
    return newest if newest is not None and os.path.isfile(newest) and _time(newest) >= begun else None


def _time(path: str) -> int:
    """Return when a file was written, nanoseconds since the epoch, 0 where there is none."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0
