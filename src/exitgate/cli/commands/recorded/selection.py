"""What the commands that judge policies by recorded runs share: options, policies, what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from exitgate.cli.command import NUMBER, SUCCESS, TROUBLE, Option, ParsedArguments
from exitgate.cli.parsing.usage import at_least, pairs, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.replay.policies import chosen_policies
from exitgate.report.diagnostics import diagnostics_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.model import Problem
    from exitgate.recordings.replay.executors import Executor
    from exitgate.recordings.replay.loaded_runs import LoadedRuns, Read
    from exitgate.recordings.replay.replay_pool import PolicyReplay
    from exitgate.recordings.unread import Unread


READER = Option("--reader ID", "the format of the transcripts; detected from their content by default")
POLICIES = Option(
    "--policy, -p NAME|PATH...",
    "a policy, any number of times; `all` for every shipped one; `NAME:PARAMETER=VALUE` with its own "
    "settings; by default the policy that `check` uses here",
)
SETTINGS = Option("--set NAME=VALUE...", "set a parameter, in every policy that has it")
PROBE_RESULTS = Option(
    "--probe-results FILE",
    "what probes said, a list in JSON: `probe`, `passed`, and `iteration` or part of a `file`",
)
LOCAL, DASK = "local", "dask"
#: Where transcripts are read: the same options for every command that reads them.
EXECUTOR = (
    Option(
        "--executor",
        "where transcripts are read: on this machine, or by a Dask cluster (`exitgate[fleet]`)",
        choices=(LOCAL, DASK),
        default=LOCAL,
    ),
    Option("--scheduler ADDRESS", "the cluster's, `tls://HOST:PORT`; by default a new one on this machine"),
    Option("--insecure", "allow an address that is not encrypted: its workers run what they are sent"),
    Option("--workers N", "processes of a new cluster; one per core by default", kind=NUMBER),
)
LABELS = Option("--labels, -l FILE", "the labels", default="labels.yaml")
CODES = (SUCCESS, ("66", "there are no labels"), *TROUBLE)


@contextmanager
def executor_of(given: ParsedArguments) -> Iterator[Executor | None]:
    """
    Give what reads transcripts, None for this machine; a cluster is left behind it.

    Raises:
        ExitgateError: 64 for options that do not go together, or where Dask is not installed; 74 for a
            cluster that cannot be reached or started.
    """
    address, workers = given.text("scheduler"), at_least("--workers", given.number("workers"), 1)
    if given.word("executor") == LOCAL:
        named = {"--scheduler": address, "--insecure": given.flag("insecure") or None, "--workers": workers}
        for option, value in named.items():
            if value is not None:
                raise usage_error(f"`{option}` is for a cluster", "add `--executor dask`")
        yield None
        return
    from exitgate.fleet.cluster.cluster import Cluster
    from exitgate.fleet.cluster.connection import connection

    with Cluster(connection(address, workers, insecure=given.flag("insecure"))) as cluster:
        yield cluster


def told(executor: Executor | None) -> str:
    """Return what happened in a cluster that changes no result, a line each."""
    return "" if executor is None else "".join(f"note: {one}\n" for one in executor.remarks)


def load_policies(given: ParsedArguments, names: Sequence[str] = ()) -> dict[str, CompiledPolicy]:
    """
    Return the policies that a command line names, compiled, in order, each once.

    Without any it is the one that `exitgate check` would ask here, with the project's settings. A setting is
    for every policy that has the parameter. Raises `ExitgateError`: 65 with all that is wrong, also for a
    setting that no policy takes.
    """
    return chosen_policies(names or given.texts("policy"), pairs("--set", given.texts("set")))


def policies_and_results(given: ParsedArguments) -> dict[str, CompiledPolicy]:
    """Return the policies as `load_policies` does, with the results of probes that were given."""
    found = load_policies(given)
    path = given.text("probe_results")
    if path is None:
        return found
    from exitgate.recordings.recorded_probes import read_results, with_results

    results = read_results(path)
    return {name: with_results(policy, results) for name, policy in found.items()}


def load_policy(given: ParsedArguments) -> tuple[str, CompiledPolicy]:
    """Return the one policy that a command line names, as `load_policies` does, and what it is called."""
    name = given.text("policy")
    found = load_policies(given, (name,) if name is not None else ())
    if len(found) != 1:
        raise usage_error(f"`--policy {name}` means {len(found)} policies", "name one of them")
    return next(iter(found.items()))


def remarks(problems: Iterable[Problem], unread: Unread, terminal: Terminal) -> tuple[str, int]:
    """Return what to say of what could not be read, and the exit code that it asks for."""
    from exitgate.recordings.unread import reader_warnings

    found = (*unread.diagnostics, *reader_warnings(problems))
    passed = f"note: {unread.line()}\n" if unread.line() else ""
    return (diagnostics_text(found, terminal.err) if found else "") + passed, unread.code


def at_least_one(read: Read, paths: Sequence[str]) -> Read:
    """Return what reads the same, and raises `ExitgateError` (74, 65 or 66) where `paths` lead to no run."""

    def reading(players: Mapping[str, PolicyReplay]) -> LoadedRuns:
        from exitgate.recordings import unread as words

        gathered = read(players)
        if not gathered.runs:
            raise words.nothing_read(paths, gathered.unread)
        return gathered

    return reading


def nothing_to_judge(
    message: str, help: str, paths: Sequence[str], unread: Unread, runs: int = 0
) -> ExitgateError:
    """Return the error for nothing to judge by: no runs at all, or `message` where there are some."""
    if not runs:
        from exitgate.recordings import unread as words

        return words.nothing_read(paths, unread)
    problem = Diagnostic("EP876", message, help=help)
    return ExitgateError([*unread.diagnostics, problem], unread.code or NOTHING_TO_DECIDE)
