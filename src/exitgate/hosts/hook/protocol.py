"""Every host, by its id."""

from __future__ import annotations

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Value
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from exitgate.core.model.json_object import JsonObject
    from exitgate.hosts.hook.payload import Payload
    from exitgate.hosts.install.host import Host as SettingsOf

    class Host(Protocol):
        """What the module of a host offers."""

        def cap(self, environment: Mapping[str, str]) -> int:
            """Return after how many blocks in a row the host itself ends the turn, at least 1."""

        def read(self, payload: Payload, environment: Mapping[str, str]) -> Turn:
            """Return the turn that a payload shows; never raises, no matter what is in it."""

        def said(self, record: JsonObject) -> tuple[bool, str] | None:
            """Return whether a line of the transcript is the user's, and its text; None for other lines."""

        def stop_time(self, record: JsonObject) -> str | None:
            """Return the time of the stop that a line of the transcript shows; None for other lines."""

        def go_on(self, reason: str, note: str) -> Reply:
            """Return the reply that holds the agent back with `reason`; the user sees `note`."""

        def let_stop(self, note: str) -> Reply:
            """Return the reply that lets the agent stop; the user sees `note`."""

        def settings(self) -> SettingsOf:
            """Return where the hook goes in the settings of the host."""

    from collections.abc import Sequence


#: Every host: its id as it is in the command line; the module in `hosts/agents` has `_` for `-`.
HOSTS = ("claude-code", "codex", "gemini", "copilot", "cursor")


def load_host(host: str) -> Host:
    """Return the module of a host; only that one is imported. Raises `ExitgateError` (64)."""
    if host not in HOSTS:
        raise problem(UNKNOWN_HOST, f"no host `{host}`", f"hosts: {', '.join(HOSTS)}", USAGE)
    module: Host = __import__(f"exitgate.hosts.agents.{host.replace('-', '_')}", fromlist=["read"])
    return module


# The end of one turn as a host tells it.


class Turn(Value):
    """
    What a host's payload says, in one form for all hosts.

    Args:
        session: The host's id of the session, or the empty text.
        root: Folder of the project: an absolute path that exists.
        message: What the agent said last; None where the payload does not say.
        prompt: What the user asked, where the payload says; else None.
        prompt_id: The host's id of the user's prompt, the same for all stops until the next one;
            the empty text where there is none.
        stamp: The host's time of this very event, or the empty text.
        active: Whether the agent continues because it was held back, as the host says; None where it
            does not say.
        held: How often the host says it was held back since the last prompt; 0 where it does not say.
        waiting: What runs in the background and may wake the agent.
        transcript: Path of the session's transcript, or None.
        gathered: Whether the message holds all that was said since the user's prompt, at every stop anew.
        aside: Why this is not an end of a turn to decide on, or the empty text: an agent below the
            agent, another event, an interrupt.
    """

    __slots__ = (
        "active", "aside", "gathered", "held", "message", "prompt", "prompt_id", "root", "session", "stamp",
        "transcript", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        session: str,
        root: str,
        message: str | None = None,
        prompt: str | None = None,
        prompt_id: str = "",
        stamp: str = "",
        active: bool | None = None,
        held: int = 0,
        waiting: tuple[Task, ...] = (),
        transcript: str | None = None,
        aside: str = "",
        gathered: bool = False,
    ) -> None:
        self.session = session
        self.root = root
        self.message = message
        self.prompt = prompt
        self.prompt_id = prompt_id
        self.stamp = stamp
        self.active = active
        self.held = held
        self.waiting = waiting
        self.transcript = transcript
        self.aside = aside
        self.gathered = gathered


class Reply(Value):
    """
    What is answered.

    Args:
        out: The one JSON object for stdout, plain values.
        err: For stderr, line ends included: what the user should see of a host that shows nothing else.
    """

    __slots__ = ("err", "out")

    def __init__(self, out: dict[str, object] | None = None, err: str = "") -> None:
        self.out: dict[str, object] = {} if out is None else out
        self.err = err


#: Leaves the host alone.
NOTHING = Reply()


# What runs in the background when a turn ends, and whether it is waited for. Pure.
#
# A task that ends wakes the agent, so the turn is not finished. A server never ends: what settings name as
# one is not waited for, nor is what was there at the two stops before (`docs/decisions/0701-hooks.md`).

#: Stops at which one task is waited for.
STOPS_WAITED = 2
#: Tasks that are looked at, and characters of a digest that stands for one.
MOST_TASKS = 40
_SIGNS = 6


class Task(Value):
    """
    Something in the background.

    Args:
        id: The host's id of it, or what else distinguishes it from others.
        named: A short text for people.
        told: What the host says of it, command and description: what `hooks: {servers: ...}` is sought in.
    """

    __slots__ = ("id", "named", "told")

    def __init__(self, id: str, named: str, told: str = "") -> None:
        self.id = id
        self.named = named
        self.told = told


def waited_for(tasks: Sequence[Task], settings: JsonObject, before: str) -> tuple[tuple[Task, ...], str]:
    """
    Return the tasks that are waited for at this stop, and what must be remembered of all.

    Args:
        tasks: What runs in the background.
        settings: What settings say of hooks.
        before: What is remembered of the stop before, or the empty text.
    """
    named = settings.texts("servers")
    seen = dict(word.partition(":")[::2] for word in before.split())
    waited, remembered = [], []
    for task in tasks[:MOST_TASKS]:
        if any(name in task.told for name in named):
            continue
        sign = hex_digest(task.id.encode("utf-8", "replace"))[:_SIGNS]
        times = seen.get(sign, "")
        stops = 1 + (int(times) if times.isascii() and times.isdigit() else 0)
        remembered.append(f"{sign}:{min(stops, STOPS_WAITED)}")
        if stops <= STOPS_WAITED:
            waited.append(task)
    return tuple(waited), " ".join(remembered)


# Replies in the form that several hosts share: `decision`, `reason`, `systemMessage`.


def block(reason: str, note: str = "", decision: str = "block") -> Reply:
    """Return the reply that holds the agent back with `reason`; `note` is for the user."""
    out: dict[str, object] = {"decision": decision, "reason": reason}
    if note:
        out["systemMessage"] = note
    return Reply(out)


def system_message(note: str) -> Reply:
    """Return the reply that lets the agent stop and shows `note` to the user."""
    return Reply({"systemMessage": note}) if note else NOTHING


def on_stderr(note: str) -> Reply:
    """Return the reply for a host that shows no message of a hook: nothing, and `note` on stderr."""
    return Reply({}, f"{note}\n") if note else NOTHING


# How often in a row an agent may be held back.

BLOCKS_VARIABLE = "EXITGATE_MAX_BLOCKS"
#: Limit of hosts that publish none.
UNPUBLISHED_CAP = 8
MOST_BLOCKS = 1000


def limit_of(host: Host, asked: int | None, environment: Mapping[str, str], settings: JsonObject) -> int:
    """
    Return the largest number of blocks in a row, at least 1.

    The command line counts before the environment, that before the settings. Without any it is one
    less than the host's own limit, so that the user reads why from here and not from the host.

    Raises `ExitgateError` (64) for a variable that is no such number.
    """
    wanted = asked if asked is not None else _from_environment(environment)
    if wanted is None:
        wanted = settings.whole("max_blocks")
    return max(1, host.cap(environment) - 1) if wanted is None else wanted


def _from_environment(environment: Mapping[str, str]) -> int | None:
    text = environment.get(BLOCKS_VARIABLE, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MOST_BLOCKS):
        message = f"`{BLOCKS_VARIABLE}` is not a number from 1 to {MOST_BLOCKS}: `{text}`"
        raise problem(SETTING, message, f"write `{BLOCKS_VARIABLE}=5`", USAGE)
    return int(text)


# What can be wrong around a hook.

PAYLOAD, NO_MESSAGE, SETTING, UNKNOWN_HOST, MEMORY = "EP560", "EP561", "EP562", "EP563", "EP564"

#: Code -> what it means.
CODES = {
    PAYLOAD: "a host's payload for a hook cannot be read",
    NO_MESSAGE: "a host does not provide the agent's response",
    SETTING: "an environment variable for hooks is wrong",
    UNKNOWN_HOST: "no such host",
    MEMORY: "a hook cannot save its state",
}


def problem(code: str, message: str, help: str, exit_code: int) -> ExitgateError:
    """Return the error with one diagnostic."""
    return ExitgateError([Diagnostic(code, message, help=help)], exit_code)
