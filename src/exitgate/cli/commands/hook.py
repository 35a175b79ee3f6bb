"""`exitgate hook`: one decision in a host's own protocol."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option
from exitgate.cli.options import FACT, STATE_DIR
from exitgate.hosts.hook.protocol import HOSTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from exitgate.cli.command import ParsedArguments
    from exitgate.cli.terminal import Terminal
    from exitgate.hosts.hook.protocol import Reply


#: Not empty once the call under way has said its reply: an interrupt after that must not say another.
_SAID: list[bool] = []


def run(given: ParsedArguments, _terminal: Terminal) -> Answer:
    """Answer the host on stdout; always exit code 0."""
    from exitgate.cli.parsing.usage import at_least, pairs
    from exitgate.hosts.hook import payload
    from exitgate.hosts.hook.answer import HookRequest, answer
    from exitgate.hosts.hook.protocol import load_host

    most = at_least("--max-blocks", given.number("max_blocks"), 1)
    seconds = at_least("--timeout", given.number("timeout"), 1)
    facts = pairs("--fact", given.texts("fact"))
    policy, state_dir = given.text("policy"), given.text("state_dir")
    asked = HookRequest(given.word("host"), policy, state_dir, most, facts, seconds)
    host = load_host(asked.host)
    _SAID.clear()
    answer(asked, host, payload.read_payload, os.environ, say)
    _SAID.clear()
    return Answer()


def trouble(error: BaseException, words: Sequence[str]) -> Answer:
    """Answer the host where the command line is wrong or the program fails: the agent may stop."""
    from exitgate.core.state.discover import STATE_DIR as STATE_FOLDER
    from exitgate.core.state.discover import planted_link
    from exitgate.hosts.hook.answer import fail_open
    from exitgate.hosts.hook.protocol import load_host

    if isinstance(error, KeyboardInterrupt):
        from exitgate.hosts.hook.protocol import NOTHING

        if not _SAID:
            say(NOTHING)
        return Answer()
    name = next((word for word in words if word in HOSTS), "")
    here = _here()
    aside = bool(planted_link(here, None))
    say(
        fail_open(
            error, load_host(name) if name else None, os.path.join(here, STATE_FOLDER), name, aside=aside
        )
    )
    return Answer()


def _here() -> str:
    """Return the current folder; where it is gone, what it was called."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD", os.sep)


def say(reply: Reply) -> bool:
    """
    Write a reply, one JSON object and a line end, and return whether stdout took it.

    There is no way to report a stream that takes nothing, and a hook's exit code is always 0.
    """
    from exitgate.core.system.quick_json import dumps_finite

    _SAID.append(True)
    _write(sys.stderr, reply.err)
    return _write(sys.stdout, dumps_finite(reply.out) + "\n")


def _write(stream: TextIO | None, text: str) -> bool:
    if not text:
        return True
    if stream is None:
        return False
    from exitgate.core.system.output import write_out

    try:
        write_out(stream, text)
    except (OSError, ValueError):
        return False
    return True


COMMAND = Command(
    "hook",
    "answer an agent's stop hook in its own protocol",
    about="Reads the payload of a host's hook at the end of a turn on stdin, decides, and prints the one "
    "JSON object that the host understands: CONTINUE blocks the stop with the policy's advice, EXIT lets "
    "the agent stop. The exit code is always 0. A session is left alone unless it is a loop: by `hooks: "
    "{enabled: true}` in the settings, by EXITGATE_LOOP=1, or by a line `exitgate: loop` in its first "
    "prompt.\n\n"
    "On any error the hook lets the agent stop and reports it; `exitgate doctor` lists it. "
    f"Hosts: {', '.join(HOSTS)}. `exitgate install HOST` writes their settings.",
    arguments=(Argument("HOST", "the agent's host"),),
    options=(
        Option("--policy, -p NAME|PATH", "the policy that decides"),
        FACT,
        Option(
            "--max-blocks N",
            "block a stop at most N times in a row; EXITGATE_MAX_BLOCKS, `hooks: {max_blocks: "
            "N}`, or one less than the host allows",
            kind=NUMBER,
        ),
        Option(
            "--timeout SECONDS",
            "how long the host waits for this hook: probes end before; by default as its settings say",
            kind=NUMBER,
        ),
        STATE_DIR,
    ),
    examples=(
        ("exitgate hook claude-code < payload.json", "the command in a host's settings, run by hand"),
        ("EXITGATE_LOOP=1 claude", "a session that is a loop"),
        ("exitgate hook codex --max-blocks 3", "block a stop at most three times"),
    ),
    codes=(("0", "always; the decision is in the JSON object printed"),),
    run=run,
    trouble=trouble,
    color=False,
)
