"""From a host's payload to the one reply: `exitgate hook HOST` without the process around it."""

from __future__ import annotations

import os
import time

from exitgate.core.model.decision import CANNOT_READ, USAGE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value
from exitgate.core.probes.answer import MARK
from exitgate.core.state.discover import STATE_DIR, planted_link, state_dir
from exitgate.core.state.incidents import note, note_aside
from exitgate.core.state.request import Request
from exitgate.hosts.goal import LONGEST
from exitgate.hosts.hook import transcript
from exitgate.hosts.hook.protocol import NOTHING, PAYLOAD, SETTING, Reply, problem
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.hook.protocol import Host, Turn

    #: Writes the reply and returns whether it could be written; never raises.
    Say = Callable[[Reply], bool]


class HookRequest(Value):
    """
    What the command line asks.

    Args:
        host: The host's id.
        policy, state_dir, facts: As `Request` has them.
        max_blocks: Blocks in a row, or None for what settings and host say.
        timeout: Seconds that the host waits for the hook, or None for what its settings say.
    """

    __slots__ = ("facts", "host", "max_blocks", "policy", "state_dir", "timeout")

    def __init__(
        self,
        host: str,
        policy: str | None = None,
        state_dir: str | None = None,
        max_blocks: int | None = None,
        facts: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> None:
        self.facts = facts or {}
        self.host = host
        self.policy = policy
        self.state_dir = state_dir
        self.max_blocks = max_blocks
        self.timeout = timeout


def answer(
    asked: HookRequest,
    host: Host,
    payload: Callable[[], Payload],
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
        wish = loop_wanted(environment)
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
    asked: HookRequest, host: Host, turn: Turn, request: Request, wish: bool | None, began: float, say: Say
) -> None:
    """Say the reply to the end of a turn, where the session is a loop."""
    from exitgate.core.engine.program import Program
    from exitgate.core.gate.settings import policy_of
    from exitgate.hosts.hook.protocol import limit_of
    from exitgate.hosts.hook.session import Session, remembered

    policy = policy_of(request)
    settings = object_of(policy.layers.get("hooks"))
    directory = state_dir(request)
    before = remembered(directory, turn)
    prompts = first_prompts(turn, host) if before is None or not before.marked else ()
    goal = goal_of(prompts) if before is None else before.goal
    marked = False
    if wish is None and settings.get("enabled") is not True:
        marker = settings.text("marker", MARKER)
        known = before is not None and before.marked
        marked = known or bool(goal) or any(_holds(prompt, marker) for prompt in prompts)
        if not marked:
            say(NOTHING)
            return
    if goal:
        from exitgate.hosts.goal.layer import layer_for, named, template

        judge = template(policy)
        if not judge:
            Session(asked.host, host, turn, directory, marked, goal=goal).lacks_judge(say, NO_JUDGE)
            return
        request = request.but(layer=layer_for(goal, judge, named(policy)))
        policy = policy_of(request)
    limit = None
    if "probes" in policy.layers:
        from exitgate.hosts.hook.time_limit import time_limit

        limit = time_limit(asked.host, policy, turn.root, os.environ, began, asked.timeout)
    session = Session(asked.host, host, turn, directory, marked, limit, goal)
    if turn.waiting and session.waits(settings, began, say):
        return
    remarks = []
    message = turn.message
    if message is None:
        message, sure = transcript.last_message(turn.transcript, host.said, host.stop_time, turn.stamp)
        if not sure:
            remarks.append(
                "exitgate: the agent's response was taken from the transcript, which may be behind"
            )
    if is_question(turn, host):
        say(NOTHING)
        return
    most = limit_of(host, asked.max_blocks, os.environ, settings)
    request = request.but(program=Program(policy), until=None if limit is None else limit.until)
    session.answer(request, message, most, began, remarks, say)


# Whether a session is a loop: somebody has to say so.

VARIABLE = "EXITGATE_LOOP"
#: Set by `exitgate run` for its agent: that loop decides already.
RUNNER_VARIABLE = "EXITGATE_ITERATION"
#: A line of the first prompt that makes a session a loop, where settings name no other.
MARKER = "exitgate: loop"
#: How a line of the first prompt begins that names a goal: the session is a loop until it is met.
GOAL = "exitgate: goal "
#: What is said where the settings have no judge for it.
NO_JUDGE = (
    "exitgate: no command judges whether the goal is met, so the agent may stop: define the probe `goal` in "
    "your own settings, such as `probes: {goal: {judge: it is met, command: [claude, -p, --model, haiku, "
    "--output-format, json]}}`, and allow it with `exitgate trust`"
)
#: A line of a prompt whose turn is left alone, in a loop as well.
QUESTION = "exitgate: question"
#: Signs of a fence around code, and the shortest.
_FENCES, _FENCE = ("`", "~"), "```"


def loop_wanted(environment: Mapping[str, str]) -> bool | None:
    """
    Return what the environment says of this session, None where it says nothing.

    Raises `ExitgateError` (64) for a value that is neither 1 nor 0.
    """
    if environment.get(MARK):
        return False  # a judge may be an agent with this very hook: its words are no end of this loop's turn
    text = environment.get(VARIABLE, "").strip()
    if text not in ("", "0", "1"):
        message = f"`{VARIABLE}` is neither 1 nor 0: `{text}`"
        raise problem(SETTING, message, "1 makes the session a loop, 0 leaves it alone", USAGE)
    if text:
        return text == "1"
    return False if environment.get(RUNNER_VARIABLE) else None


def first_prompts(turn: Turn, host: Host) -> tuple[str, ...]:
    """Return the session's first prompt, and the one that the payload has."""
    # Who gives the message in the transcript alone, with a time to find it by, writes that late.
    late = turn.message is None and bool(turn.stamp)
    found = (turn.prompt, transcript.first_prompt(turn.transcript, host.said, late))
    return tuple(prompt for prompt in found if prompt)


def goal_of(prompts: Sequence[str]) -> str:
    """Return the goal that a line of prompts names, on one line; the empty text without such a line."""
    lines = (line for prompt in prompts if GOAL in prompt for line in _said(prompt))
    found = next((line[len(GOAL) :] for line in lines if line.startswith(GOAL)), "")
    return " ".join(found.split())[:LONGEST]


def is_question(turn: Turn, host: Host) -> bool:
    """
    Return whether the prompt asks something beside the loop: the end of such a turn is not an iteration.
    """
    if turn.active or turn.held:
        return False  # the agent continues because it was held back
    prompt = turn.prompt
    if prompt is None:
        prompt = transcript.last_prompt(turn.transcript, host.said, QUESTION)
    return _holds(prompt, QUESTION)


def _holds(prompt: str | None, marker: str) -> bool:
    return prompt is not None and marker in prompt and marker in _said(prompt)


def _said(prompt: str) -> Iterator[str]:
    """Yield the lines of a prompt that are said, without those in a fence, which are shown."""
    fence = ""
    for line in prompt.splitlines():
        text = line.strip()
        if not fence:
            yield text
        fence = _fence_behind(text, fence)


def _fence_behind(line: str, fence: str) -> str:
    """Return the fence that is open behind a line of Markdown: what is in one is shown, not said."""
    sign = line[:1]
    length = len(line) - len(line.lstrip(sign)) if sign in _FENCES else 0
    if not fence:
        # A line that has the sign once more is code in a sentence.
        return sign * length if length >= len(_FENCE) and sign not in line[length:] else ""
    return "" if sign == fence[0] and length >= len(fence) and length == len(line) else fence


# What is answered when something is wrong: the agent may stop, the user is informed, an incident is kept.


def fail_open(
    error: BaseException, host: Host | None, directory: str, name: str, session: str = "", aside: bool = False
) -> Reply:
    """
    Return the reply that lets the agent stop and shows what is wrong; an incident is kept beside it.

    Args:
        error: What is wrong.
        host: Whose form the reply has; None where it is not known: then both a message and stderr.
        directory: The state directory.
        name: The host as it was named.
        session: The session, where it is known.
        aside: Nothing may be written to the state directory.
    """
    what = in_one_line(error)
    keep = note_aside if aside else note
    kept = keep(directory, "failed_open", what, host=name, session=session)
    shown = f"exitgate: the agent may stop; no decision was made: {what}"
    if not kept:
        shown += " (and this could not be recorded)"
    if host is not None:
        return host.let_stop(shown)
    from exitgate.hosts.hook.protocol import Reply

    return Reply({"systemMessage": shown}, f"{shown}\n")


def in_one_line(error: BaseException) -> str:
    """Return what is wrong in one line."""
    if not isinstance(error, ExitgateError):
        return f"internal error: {type(error).__name__}: {safe(str(error))[:200]}"
    first = error.diagnostics[0]
    place = f"{safe(str(first.place))}: " if first.place is not None else ""
    more = len(error.diagnostics) - 1
    rest = f" (and {more} more)" if more else ""
    help = f"; {safe(first.help)}" if first.help else ""
    return f"[{first.code}] {place}{safe(first.message)}{rest}{help}"
