"""`exitgate policies`: the policies that come with exitgate."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, OPTIONAL, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal


def run_list(given: Given, terminal: Terminal) -> Answer:
    """Return name, version and title of every shipped policy."""
    rows = titles()
    if given.word("format") == "json":
        from exitgate.report.json import json_text

        plain = [{"policy": name, "version": version, "title": title} for name, version, title in rows]
        return Answer(json_text(plain))
    from exitgate.report.policy_page import policies_text

    return Answer(policies_text(rows, terminal.out))


def titles() -> list[tuple[str, str, str]]:
    """Return name, version and title of every shipped policy, without compiling any."""
    from exitgate.policy import shipped
    from exitgate.policy.document import load_yaml

    rows = []
    for name in shipped.policies():
        with open(shipped.path(name), encoding="utf-8") as file:
            head = load_yaml(file.read(), shipped.path(name)).data
        assert isinstance(head, dict)
        rows.append((name, str(head.get("version", "")), str(head.get("title", ""))))
    return rows


def run_show(given: Given, terminal: Terminal) -> Answer:
    """Return one policy with effective parameters, rules and invariants."""
    from exitgate.policy.compile import load_policy

    policy = load_policy(given.word("name"), settings=pairs("--set", given.texts("set")))
    if given.word("format") == "json":
        from exitgate.report.json import json_text, policy_json

        return Answer(json_text(policy_json(policy)))
    from exitgate.report.policy_page import policy_text

    return Answer(policy_text(policy, terminal.out))


def run_eject(given: Given, _: Terminal) -> Answer:
    """Copy a shipped policy into a folder of the user's own."""
    from exitgate.cli.eject import eject

    name = given.word("name")
    written = eject(name, given.text("folder") or name)
    return Answer("".join(f"wrote {path}\n" for path in written))


FORMAT = Option("--format", choices=("text", "json"), default="text", doc="output format")
COMMAND = Command(
    "policies",
    "list, show and copy the shipped policies",
    examples=(
        ("exitgate policies list", "all shipped policies"),
        ("exitgate policies eject bb3 policies/ours", "start your own policy from a shipped one"),
    ),
    codes=(SUCCESS, *TROUBLE),
    children=(
        Command(
            "list",
            "list the shipped policies",
            options=(FORMAT, COLOR),
            examples=(("exitgate policies list", "name, version and title of each"),),
            codes=(SUCCESS, *TROUBLE),
            run=run_list,
        ),
        Command(
            "show",
            "show a policy: parameters, rules in order, invariants",
            arguments=(Argument("NAME", doc="a shipped policy, or the path of a policy file"),),
            options=(
                Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter"),
                FORMAT,
                COLOR,
            ),
            examples=(
                ("exitgate policies show bb3", "the rules of BB3 in order"),
                ("exitgate policies show bb3 --set min_completion=95", "with another threshold"),
            ),
            codes=(SUCCESS, *TROUBLE),
            run=run_show,
        ),
        Command(
            "eject",
            "copy a shipped policy with its tests into a folder of yours",
            about="Copies policy.yaml, tests.yaml and README.md, and notes its origin at the top of "
            "the policy. No existing file is overwritten: if one of the files exists, none is written.",
            arguments=(
                Argument("NAME", doc="a shipped policy"),
                Argument("FOLDER", OPTIONAL, "target folder; a new folder with the policy's name by default"),
            ),
            options=(COLOR,),
            examples=(("exitgate policies eject bb3 policies/ours", "copy BB3 to policies/ours"),),
            codes=(SUCCESS, *TROUBLE),
            run=run_eject,
        ),
    ),
)
