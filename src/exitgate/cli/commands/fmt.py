"""`exitgate fmt`: conditions of a policy in canonical form."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.commands.validate import files_of_all
from exitgate.cli.files import replace_text
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import BAD_POLICY, FINDINGS, OK
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.report.terminal import safe


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Rewrite each file whose canonical form differs, or only say so with `--check` and `--diff`."""
    from exitgate.analysis.format import format_text
    from exitgate.core.policy.library import load_file
    from exitgate.report.formats.unified_diff import change_text

    looking = given.flag("check") or given.flag("diff")
    problems: list[Diagnostic] = []
    codes: list[int] = []
    changed: dict[str, tuple[str, str]] = {}
    # Every file is formatted before any is written: an error leaves all of them as they are.
    for path in files_of_all(given.texts("path")):
        try:
            old = load_file(path).lines.text
            new = format_text(old, path)
        except ExitgateError as error:
            problems += error.diagnostics
            codes.append(error.exit_code)
            continue
        if new != old:
            changed[path] = (old, new)
    if problems:
        raise ExitgateError(problems, BAD_POLICY if BAD_POLICY in codes else codes[0])
    out = ""
    for path, (old, new) in changed.items():
        if given.flag("diff"):
            out += change_text(path, old, new, "formatted", terminal.out)
        elif not given.flag("check"):
            replace_text(path, new)
    verb = "would change" if looking else "changed"
    err = "".join(f"{verb} {safe(path)}\n" for path in changed)
    return Answer(out, err, FINDINGS if changed and looking else OK)


COMMAND = Command(
    "fmt",
    "write policies in canonical form",
    about="Conditions are rewritten in canonical form; everything else, comments included, stays as it "
    "is, and no condition changes its meaning. If one file has an error, no file is changed.",
    arguments=(Argument("PATH...", "policy files, or folders of them"),),
    options=(
        Option("--check", "change nothing; exit 69 if something would change"),
        Option("--diff", "like --check, and print what would change"),
    ),
    examples=(
        ("exitgate fmt policies/", "format every file below a folder"),
        ("exitgate fmt --check --diff policy.yaml", "in a workflow"),
    ),
    codes={"66": "a file is missing", "69": "--check: a file would change"},
    run=run,
)
