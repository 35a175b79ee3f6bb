"""`exitgate lsp`: the language server for editors."""

from __future__ import annotations

from exitgate import __version__
from exitgate.cli.command import NUMBER, Answer, Command, Option, ParsedArguments
from exitgate.cli.parsing.usage import failure, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CANNOT_READ, USAGE

#: Codes of this command, one line each; `docs` reads them.
CODES = {
    "EP555": "an optional package is not installed",
    "EP556": "the port cannot be used",
}
PORTS = range(1, 65536)


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Answer an editor until it says `exit` or goes away."""
    port = given.number("tcp")
    if port is not None and port not in PORTS:
        raise usage_error(f"`--tcp {port}` is not a port", f"write a number of at least 1 to {PORTS[-1]}")

    try:
        from exitgate.surfaces.lsp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise failure(
            "EP555", "the language server needs `pygls`", "install it: `pip install 'exitgate[lsp]'`", USAGE
        ) from None
    try:
        serve(__version__, port)
    except OSError as error:
        message = f"port {port} of this machine cannot be used: {error.strerror}"
        raise failure("EP556", message, "name another one", CANNOT_READ) from None
    return Answer()


COMMAND = Command(
    "lsp",
    "run the language server for policies, lexicons, tests and settings",
    about="A language server: diagnostics while you type, completion in conditions, the meaning of names "
    "and the origin of their values, definitions across `extends:`, renaming, formatting. It speaks the "
    "Language Server Protocol on standard input and output; editors start it themselves. It needs the extra "
    "`lsp`: `pip install 'exitgate[lsp]'`.",
    options=(Option("--tcp PORT", "wait for one editor on this local port", kind=NUMBER),),
    examples=(
        ("exitgate lsp", "the command that an editor starts"),
        ("exitgate lsp --tcp 2087", "for an editor that connects by itself"),
    ),
    codes={"65": ""},
    run=run,
    color=False,
)
