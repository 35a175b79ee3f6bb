"""From a host's payload to the one reply: `exitgate hook HOST` without the process around it."""

from __future__ import annotations

import os
import time

from exitgate.gate.discover import STATE_DIR, planted_link, state_dir
from exitgate.gate.request import Request
from exitgate.hosts import opted, transcript
from exitgate.hosts.codes import PAYLOAD, problem
from exitgate.hosts.trouble import fail_open
from exitgate.hosts.turn import NOTHING, Reply
from exitgate.model.diagnostic import ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import CANNOT_READ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.hosts.registry import Host
    from exitgate.hosts.turn import Turn

    #: Writes the reply and returns whether it could be written; never raises.
    Say = Callable[[Reply], bool]


class Asked(Value):
    """
    What the command line asks.

    Args:
        host: The host's id.
        policy, state_dir, facts: As `Request` has them.
        max_blocks: Blocks in a row, or None for what settings and host say.
    """

    __slots__ = ("facts", "host", "max_blocks", "policy", "state_dir")

    def __init__(
        self,
        host: str,
        policy: str | None = None,
        state_dir: str | None = None,
        max_blocks: int | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        self.facts = facts or {}
        self.host = host
        self.policy = policy
        self.state_dir = state_dir
        self.max_blocks = max_blocks


def answer(
    asked: Asked,
    host: Host,
    payload: Callable[[], Mapping[str, object]],
    environment: Mapping[str, str],
    say: Say,
) -> None:
    """
    Say the reply to a payload, exactly once, no matter what happens.

    Args:
        asked: What the command line asks.
        host: The module of the host.
        payload: Reads what the host sent.
        environment: Of the process.
        say: Writes the reply.
    """
    began = time.time()
    below = asked.state_dir or STATE_DIR
    root = os.getcwd()
    directory, session = os.path.join(root, below), ""
    spoken = False

    def once(reply: Reply) -> bool:
        nonlocal spoken
        spoken = True
        return say(reply)

    try:
        wish = opted.wish(environment)
        if wish is False:
            once(_unread(payload))
            return
        turn = host.read(payload(), environment)
        session = turn.session
        request = Request(policy=asked.policy, facts=asked.facts, state_dir=asked.state_dir, root=turn.root)
        root = turn.root
        directory = os.path.join(root, below)
        if turn.aside:
            once(Reply({}, f"exitgate: left alone: {turn.aside}\n"))
            return
        _go_to(turn.root)
        directory = state_dir(request)
        _answer_turn(asked, host, turn, request, wish, began, once)
    except Exception as error:
        reply = fail_open(
            error, host, directory, asked.host, session, bool(planted_link(root, asked.state_dir))
        )
        if not spoken:
            say(reply)


def _go_to(root: str) -> None:
    """
    Make the project the current folder: a host may start a hook where the agent went last.

    Paths of the command line then mean the same at every stop, and the cache of policies, which is by
    folder, holds. Raises `ExitgateError` (74).
    """
    try:
        os.chdir(root)
    except OSError as error:
        help = "make sure the folder can be entered"
        raise problem(PAYLOAD, f"cannot enter `{root}`: {error.strerror}", help, CANNOT_READ) from error


def _unread(payload: Callable[[], object]) -> Reply:
    """Return the reply to a session that is to be left alone; a host may not like an unread stream."""
    try:
        payload()
    except ExitgateError:
        return NOTHING  # no matter what it was, it was not wanted
    return NOTHING


def _answer_turn(
    asked: Asked, host: Host, turn: Turn, request: Request, wish: bool | None, began: float, say: Say
) -> None:
    """Say the reply to the end of a turn, where the session is a loop."""
    from exitgate.engine.program import Program
    from exitgate.gate.settings import policy_of
    from exitgate.hosts.limits import limit_of
    from exitgate.hosts.sessions import Session, is_remembered

    policy = policy_of(request)
    found = policy.layers.get("hooks")
    settings: Mapping[str, object] = found if isinstance(found, dict) else {}
    directory = state_dir(request)
    marked = False
    if wish is None and settings.get("enabled") is not True:
        marker = settings.get("marker")
        marked = is_remembered(directory, turn) or opted.is_marked(
            turn, host, marker if isinstance(marker, str) else opted.MARKER
        )
        if not marked:
            say(NOTHING)
            return
    session = Session(asked.host, host, turn, directory, marked)
    if turn.waiting and session.waits(settings, began, say):
        return
    remarks = []
    message = turn.message
    if message is None:
        message, sure = transcript.last_message(turn.transcript, host.said, host.stop_told, turn.stamp)
        if not sure:
            remarks.append(
                "exitgate: the agent's response was taken from the transcript, which may be behind"
            )
    if opted.is_question(turn, host):
        say(NOTHING)
        return
    limit = limit_of(host, asked.max_blocks, os.environ, settings)
    session.answer(request.but(program=Program(policy)), message, limit, began, remarks, say)
