"""`exitgate new`: skeletons that work as they are written."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, SUCCESS, TROUBLE, Argument, Command, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.declared import Run
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

_CODES = (SUCCESS, TROUBLE[0], ("73", "a file exists or cannot be written; no file is overwritten"))
_IN = Option("--in", metavar="FOLDER", default=".", doc="target folder; the current folder by default")
_TREE = Option("--in", metavar="FOLDER", default=".", doc="the checkout of exitgate; this folder by default")


def _run(kind: str) -> Run:
    def run(given: Given, _: Terminal) -> Answer:
        """Write the files of a skeleton and say what is left to do."""
        from exitgate.cli.new_files import skeleton, write
        from exitgate.report.safe import safe

        made = skeleton(kind, given.word("name"), given.word("in"))
        write(made.files)
        written = "".join(f"wrote {safe(path)}\n" for path in made.files)
        return Answer(written + "next:\n" + "".join(f"  {safe(line)}\n" for line in made.next))

    return run


def _child(kind: str, summary: str, about: str, name: str, where: Option, example: str) -> Command:
    return Command(
        kind,
        summary,
        about=about,
        arguments=(Argument("NAME", doc=name),),
        options=(where, COLOR),
        examples=((f"exitgate new {kind} {example}", summary),),
        codes=_CODES,
        run=_run(kind),
    )


COMMAND = Command(
    "new",
    "start a policy, a reader of transcripts, a lint or an extractor",
    about="Writes a small working example with passing tests. No existing file is overwritten.",
    examples=(
        ("exitgate new policy night_run --in policies", "a policy with tests and a page"),
        ("exitgate new reader acme", "a package that reads another format"),
    ),
    codes=_CODES,
    children=(
        _child(
            "policy",
            "start a policy with tests",
            "Writes NAME/policy.yaml, tests.yaml and README.md; the policy validates, its tests pass, "
            "and lint finds nothing.",
            "its name: lower case, `-` or `_` between words",
            _IN,
            "night_run --in policies",
        ),
        _child(
            "reader",
            "start a reader of transcripts",
            "Writes a package with an entry point that exitgate finds once it is installed. In a checkout "
            "of exitgate: a reader in its own tree, and the registry line that you must add.",
            "the format's id: lower case, `-` between words",
            _IN,
            "acme",
        ),
        _child(
            "lint",
            "start a lint, in a checkout of exitgate",
            "Writes the lint with its page and a test, and shows the registry line that you must add.",
            "its id: lower case, `-` between words",
            _TREE,
            "rule-of-ours",
        ),
        _child(
            "extractor",
            "start an extractor of facts, in a checkout of exitgate",
            "Writes the extractor and a test, and shows the registry line that you must add.",
            "its id: lower case, `_` between words",
            _TREE,
            "todo_lines",
        ),
    ),
)
