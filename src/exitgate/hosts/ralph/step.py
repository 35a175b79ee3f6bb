"""One step of the loop: what its functions ask of exitgate, and what is written with the answer."""

from __future__ import annotations

import os

from exitgate.hosts.ralph import breaker_file, files
from exitgate.hosts.ralph.analysis import analysis_of
from exitgate.hosts.ralph.said import Said, said_by, said_in
from exitgate.hosts.ralph.signals import signals_in
from exitgate.surfaces.decide import decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.checked import Checked
    from exitgate.hosts.ralph.session import Session


def analyze(session: Session, output_file: str, loop: int) -> None:
    """
    Decide on the response in a file, and keep what it said in the loop's own files.

    Asked again about the same file of the same loop it changes nothing.

    Raises:
        ExitgateError: As `exitgate.gate.check.check`; 73 when a state file cannot be written.
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
    said = said_in(checked)
    last_length = _length_before(session)
    analysis = analysis_of(checked, said, output_file, loop, last_length, session.now)
    if analysis.session:
        record = {"session_id": analysis.session, "timestamp": files.written(session.now)}
        files.replace(session.places.beside(".claude_session_id"), files.pretty(record))
    if analysis.document["output_format"] == "text":
        files.replace(session.places.beside(".last_output_length"), f"{analysis.length}\n")
    session.leave(
        checked,
        breaker_file.counted(session.breaker_in(before), said, loop),
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
    inner = files.object_in(session.there.analysis) or {}
    session.leave(
        checked,
        session.breaker,
        loop,
        signals=session.there.signals or signals_in(None).text(),
        analysis=None,
        more=_shown(inner.get("analysis")),
    )


def record(session: Session, loop: int, files_changed: int, has_errors: bool) -> None:
    """
    Count an iteration of which there was no analysis, by what the loop itself saw of it.

    Raises:
        ExitgateError: As for `analyze`.
    """
    moved = files_changed > 0
    said = said_by(session.there.analysis, files=moved, error=has_errors)
    said = said or Said(files=moved, progress=moved, error=has_errors)
    if session.foreign and _begins(session):
        last = _begin_anew(session, whole=False, said=said)
    else:
        from exitgate.hosts.ralph.signals import Signals
        from exitgate.hosts.ralph.taken_over import Told

        lists = Signals((loop,) * said.test_only, (loop,) * said.done, (loop,) * said.exit)
        last = Told(lists, said, breaker_file.closed(session.now), latest=False).iterations()[-1]
    assert last is not None
    session.leave(
        _decide_given(session, last),
        breaker_file.counted(session.breaker, said, loop),
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
    from exitgate.gate.discover import run_name, state_dir
    from exitgate.ledger import read

    request = session.request()
    last = read.last(state_dir(request), run_name(request))
    return turn is not None and last is not None and last.get("turn") == turn


def _begins(session: Session) -> bool:
    """Return whether there is anything that a new run would be another one than."""
    from exitgate.gate.discover import state_dir

    there = session.there
    told = bool(signals_in(there.signals)) or there.analysis is not None or there.breaker is not None
    return told or os.path.isdir(state_dir(session.request()))


def _begin_anew(session: Session, *, whole: bool, said: Said | None = None) -> dict[str, object] | None:
    from exitgate.hosts.ralph.taken_over import begin_anew

    told = session.told(said)
    return begin_anew(
        session.request(), told, session.now, all_of_them=whole, breaker=session.breaker_is_foreign
    )


def _decide_given(session: Session, facts: dict[str, object]) -> Checked:
    """Return the check on an iteration of which only these facts are known."""
    from exitgate.engine.program import program_of
    from exitgate.gate.settings import policy_of
    from exitgate.hosts.ralph.taken_over import given

    policy = policy_of(session.request())
    known = given(facts, policy)
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
    from exitgate.gate.circuit import reset
    from exitgate.gate.discover import state_dir
    from exitgate.hosts.ralph.answer import Written

    before, places = session.breaker, session.places
    after = breaker_file.closed(session.now, reason)
    after["total_opens"] = files.count_in(before, "total_opens")
    reset(state_dir(session.request()), reason, session.now)
    move = breaker_file.move_of(before, after, 0)
    files.replace(places.history, breaker_file.history_after(files.text_of(places.history), move))
    text = breaker_file.text(after)
    files.replace(places.breaker, text)
    session.there = Written(session.there.signals, text, session.there.analysis)


def _length_before(session: Session) -> int:
    text = (files.text_of(session.places.beside(".last_output_length")) or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _shown(inner: object) -> dict[str, object]:
    """Return what the shell shows of an analysis."""
    analysis = inner if isinstance(inner, dict) else {}
    names = ("exit_signal", "confidence_score", "is_test_only", "files_modified", "work_summary")
    return {name: analysis.get(name, "") for name in names}
