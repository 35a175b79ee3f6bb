"""Every diagnostic code of every room, for the reference page."""

from __future__ import annotations


def codes() -> dict[str, str]:
    """Return code -> meaning; where two rooms use one code, both meanings."""
    from exitgate.analysis import second_opinion
    from exitgate.analysis.coverage import excuses
    from exitgate.analysis.prove import asker
    from exitgate.analysis.solver import codes as solver
    from exitgate.cli import explain_id, lint_files, lsp, new_files, plugins, test_coverage, usage
    from exitgate.dryrun import chosen, labels
    from exitgate.gate import circuit, discover, given, kept, recall, revisions, sources, tracked
    from exitgate.gate.observe import envelope, files
    from exitgate.hosts import codes as hosts
    from exitgate.hosts.imported import codes as imported
    from exitgate.hosts.install import trouble as install
    from exitgate.hosts.ralph import codes as shim
    from exitgate.language import codes as language
    from exitgate.ledger import trouble
    from exitgate.loop import codes as loop
    from exitgate.policy import codes as policy
    from exitgate.policy.layers import codes as layers
    from exitgate.policy.migrate import codes as migrate
    from exitgate.surfaces.in_process import iteration
    from exitgate.surfaces.repl import lines as repl
    from exitgate.surfaces.watch import codes as watch
    from exitgate.testing import as_test, mutation, remarks
    from exitgate.transcripts import unread

    found: dict[str, str] = {"EP999": "a bug in exitgate"}
    rooms = (
        second_opinion, excuses, solver, asker, language, policy, layers, migrate, mutation,
        remarks, circuit, discover, given, kept, recall, revisions, sources, tracked, envelope,
        files, trouble, unread, watch, usage, explain_id, lsp, test_coverage, lint_files, new_files,
        labels, chosen, iteration, imported, hosts, install, loop, shim, as_test,
        repl, plugins,
    )  # fmt: skip
    for room in rooms:
        for code, meaning in room.CODES.items():
            before = found.get(code, meaning)
            found[code] = meaning if before == meaning else f"{before}; or {meaning}"
    return found
