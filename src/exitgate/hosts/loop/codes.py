"""What can go wrong around a loop, as its user reads it."""

from __future__ import annotations

import errno

from exitgate.core.model.decision import CANNOT_READ, CANNOT_WRITE, LOCKED, NOTHING_TO_DECIDE, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

#: Code -> what it means.
CODES = {
    "EP570": "the prompt of a loop cannot be read",
    "EP571": "the agent's command cannot be started",
    "EP572": "another loop of the same run is running",
    "EP573": "the files of a loop beside the ledger cannot be written or read",
    "EP574": "the agent's output cannot be passed on",
    "EP575": "the prompt cannot be passed on a command line",
    "EP576": "an agent of an earlier loop cannot be ended",
}


def no_prompt(path: str, why: str, code: int = CANNOT_READ) -> ExitgateError:
    """Return the error for a prompt that cannot be read; `code` is 66 where it does not exist."""
    help = "give the path of a text file, or `-` to read it from standard input once"
    return ExitgateError([Diagnostic("EP570", f"prompt at `{path}` {why}", help=help)], code)


def nothing_for(word: str) -> ExitgateError:
    """Return the error (66) for a command line that wants a prompt where there is none."""
    help = "write .ralph/PROMPT.md or PROMPT.md, or name a file: `--prompt FILE`"
    message = f"the command needs `{word}`, but there is no prompt"
    return ExitgateError([Diagnostic("EP570", message, help=help)], NOTHING_TO_DECIDE)


def no_command(word: str, why: str, help: str = "") -> ExitgateError:
    """Return the error (64) for a command that cannot be started."""
    if not help:
        help = "write the command after `--` as the shell would find it"
    if len(word.split()) > 1:
        help = "separate its words, `-- agent --option`; for a shell command line use `-- sh -c 'LINE'`"
    return ExitgateError([Diagnostic("EP571", f"`{word}` cannot be started: {why}", help=help)], USAGE)


def held(name: str, who: str) -> ExitgateError:
    """Return the error (75) for a run that another loop is at."""
    message = f"run `{name}` is already running: {who}"
    help = "wait for it to end, or give this loop its own name: `--run NAME`"
    return ExitgateError([Diagnostic("EP572", message, help=help)], LOCKED)


def cannot_keep(path: str, error: OSError) -> ExitgateError:
    """Return the error (73) for a file beside the ledger that cannot be written."""
    message = f"cannot write `{path}`: {error.strerror or error}"
    help = "free some space or fix the permissions, or name another folder with `--state-dir`"
    if error.errno == errno.ENOENT:  # `git clean -x` of an agent, for one
        help = (
            "its folder was removed while the loop was running: keep the agent out of it, or name a folder"
            " outside the project with `--state-dir`; then start again"
        )
    return ExitgateError([Diagnostic("EP573", message, help=help)], CANNOT_WRITE)


def cannot_recall(path: str, error: OSError) -> ExitgateError:
    """Return the error (74) for a file beside the ledger that cannot be read."""
    message = f"cannot read `{path}`: {error.strerror or error}"
    return ExitgateError(
        [Diagnostic("EP573", message, help="fix the permissions, or move it away")], CANNOT_READ
    )


def ledger_gone(directory: str) -> ExitgateError:
    """Return the error (74) for a ledger without what this loop wrote: budgets would begin anew."""
    message = f"the ledger in `{directory}` was removed or replaced while the loop was running"
    help = "keep the agent out of it, or name another folder with `--state-dir`; then start again"
    return ExitgateError([Diagnostic("EP573", message, help=help)], CANNOT_READ)


def cannot_pass_on(error: OSError) -> ExitgateError:
    """Return the error (73) for an output that cannot take what the agent says."""
    message = f"cannot pass on the agent's output: {error.strerror or error}"
    help = "free some space, or send the output elsewhere: the agent was ended, its iteration is kept"
    return ExitgateError([Diagnostic("EP574", message, help=help)], CANNOT_WRITE)


def not_a_word(word: str, why: str) -> ExitgateError:
    """Return the error (64) for a prompt that cannot be a word of a command line."""
    help = "leave `{prompt}` out and let the agent read it from standard input, or write `{prompt_file}`"
    return ExitgateError([Diagnostic("EP575", f"the prompt cannot be `{word}`: {why}", help=help)], USAGE)


def still_there(pid: int) -> ExitgateError:
    """Return the error (75) for an agent that outlived its loop and does not end."""
    message = f"process {pid}, an agent of an earlier loop of this run, cannot be ended"
    return ExitgateError([Diagnostic("EP576", message, help="end it yourself, then start again")], LOCKED)
