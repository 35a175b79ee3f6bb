"""What `--notify` names: a command, and services with addresses of the command line or the user's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from exitgate.cli.parsing.usage import usage_error
from exitgate.core.system.output import write_out
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.watch.sinks import Sink


def notified(values: Sequence[str]) -> tuple[tuple[str, ...], tuple[Sink, ...]]:
    """
    Return the words of the command and the services that values of `--notify` name.

    Raises:
        ExitgateError: 64 for what cannot be used; 65 for settings that are wrong where one is asked for.
    """
    from exitgate.surfaces.watch.notify import command_of
    from exitgate.surfaces.watch.sinks import KINDS, sink_of

    own: dict[str, str] = {}
    if any(value.partition("=")[0] in KINDS for value in values):
        own, remarks = _own_addresses(needed=any(value in KINDS for value in values))
        for text in remarks:
            if sys.stderr is not None:
                write_out(sys.stderr, f"warning: {safe(text)}\n")
    command: tuple[str, ...] = ()
    sinks: list[Sink] = []
    for value in values:
        sink = sink_of(value, own)
        if sink is not None:
            sinks.append(sink)
        elif command:
            raise usage_error(
                "`--notify` names two commands", "name one; it can be a script that starts both"
            )
        else:
            command = command_of(value)
    return command, tuple(dict.fromkeys(sinks))


def _own_addresses(*, needed: bool) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the user's own addresses, and remarks on others; with `needed`, raise for wrong files."""
    from exitgate.core.policy.findings import Findings
    from exitgate.core.settings.documents import read_layers
    from exitgate.core.settings.files import SettingsRequest
    from exitgate.core.settings.notify import addresses_of
    from exitgate.core.state.discover import DEFAULT_POLICY

    findings = Findings()
    layers = read_layers(SettingsRequest(DEFAULT_POLICY, environment=os.environ), findings)
    if needed:
        findings.raise_errors()
    return addresses_of(layers)
