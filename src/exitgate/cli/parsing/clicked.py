"""Command lines read by click: what the quick reader leaves, usage errors, shell completion."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr

import click

from exitgate.cli.command import (
    ANY,
    FLAG,
    MANY,
    NUMBER,
    ONE,
    REPEAT,
    REST,
    Argument,
    Command,
    Option,
    ParsedArguments,
)
from exitgate.cli.parsing.arguments import ends_in_rest
from exitgate.cli.parsing.usage import usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


PROGRAM = "exitgate"
_NO_SPACE = "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"


def read(command: Command, words: Sequence[str], path: str) -> ParsedArguments:
    """
    Return what `words` give to `command`.

    `path` is the command as typed, ``exitgate policies show``. Raises `ExitgateError` with exit code 64.
    """
    form = click_command(command)
    try:
        with form.make_context(path, list(words)) as context:
            return _given(command, context.params)
    except click.NoSuchOption as error:
        near = error.possibilities[0] if error.possibilities else None
        advice = f"did you mean `{near}`?" if near else f"see `{path} --help`"
        raise usage_error(f"no option `{error.option_name}`", advice) from error
    except click.MissingParameter as error:
        advice = f"see `{path} --help`"
        if ends_in_rest(command) and isinstance(error.param, click.Argument):
            advice = f"write it after `--`, as in `{command.examples[0][0]}`"
        raise usage_error(_message(error), advice) from error
    except click.UsageError as error:
        raise usage_error(_message(error), f"see `{path} --help`") from error


def click_command(command: Command, path: str = "") -> click.Command:
    """Return click's form of a declared command, without a help option of its own; `path` as typed."""
    path = path or command.name
    single = frozenset(o.key for o in command.options if o.kind != REPEAT)
    parameters: list[click.Parameter] = [_argument(a, path, single) for a in command.arguments]
    parameters += [_option(o, path, single) for o in command.options]
    settings = {"allow_interspersed_args": not ends_in_rest(command)}
    return click.Command(command.name, settings, params=parameters, add_help_option=False)


def complete(commands: Iterable[Command]) -> None:
    """Answer the shell's request for completion, as `_EXITGATE_COMPLETE` words it; always exits."""
    from click.shell_completion import add_completion_class

    from exitgate.cli.parsing.completions import Bash

    add_completion_class(Bash)
    group = click.Group(PROGRAM, commands=[_tree(command) for command in commands])
    with open(os.devnull, "w", encoding="utf-8", newline="") as nowhere, redirect_stderr(nowhere):
        try:
            group.main(prog_name=PROGRAM)
        except Exception:  # a shell that waits for names gets none
            raise SystemExit(0) from None


def commands_typed(names: Sequence[str]) -> Sequence[str]:
    """Return the commands that the shell asks about: the one typed before the cursor, or all."""
    words, at = os.environ.get("COMP_WORDS", "").split(), os.environ.get("COMP_CWORD", "")
    if at.isdecimal() and int(at) > 1 and words[1:2] and words[1] in names:
        return words[1:2]
    return names


def completion_script(shell: str) -> str:
    """Return the script by which `shell` (bash, zsh or fish) asks for completion, with a line end."""
    from click.shell_completion import ShellComplete, get_completion_class

    form = get_completion_class(shell)
    assert form is not None
    asking = form(click.Group(PROGRAM), {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE")
    # Bash's own would start a bash to ask for its version.
    text = ShellComplete.source(asking).strip() + "\n"
    if shell == "bash":  # the value comes next, without a space
        text = text.replace(
            "    return 0\n", "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n    return 0\n", 1
        )
    return text


def _tree(command: Command) -> click.Command:
    if not command.children:
        return click_command(command)
    children = [click_command(child, f"{command.name} {child.name}") for child in command.children]
    return click.Group(command.name, commands=children)


def _argument(argument: Argument, path: str, single: frozenset[str]) -> click.Argument:
    many = argument.arity in (MANY, ANY, REST)
    return click.Argument(
        [argument.key],
        metavar=argument.name,
        nargs=-1 if many else 1,
        required=argument.arity in {ONE, MANY, REST},
        type=click.STRING,
        shell_complete=_completer(path, argument.key, argument.name, single, argument.suggests),
    )


def _option(option: Option, path: str, single: frozenset[str]) -> click.Option:
    if option.kind == FLAG:
        return click.Option([*option.flags, option.key], is_flag=True, help=option.doc)
    if option.choices:
        kind: click.Choice[str] | type[int] | type[str] = click.Choice(option.choices)
    else:
        kind = int if option.kind == NUMBER else str
    return click.Option(
        [*option.flags, option.key],
        type=kind,
        multiple=True,  # `_single` finds two values of an option that has one
        help=option.doc,
        shell_complete=None
        if option.choices
        else _completer(path, option.key, option.metavar, single, option.suggests),
    )


def _completer(
    path: str, key: str, metavar: str, single: frozenset[str], values: tuple[str, ...]
) -> Completer:
    """
    Return the function that completes the value of an option or argument of the command `path`.

    `single` are the options that have one value, of which click keeps all that were typed; `values` what the
    declaration itself suggests.
    """

    def completer(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from exitgate.cli.parsing.completions import completions_for

        given = {
            name: value[-1] if value and name in single and isinstance(value, tuple) else value
            for name, value in context.params.items()
        }
        names, paths = completions_for(path, key, metavar, {**given, "": context.args}, begun, values)
        # Bash lists paths only where no name fits, and forgets what came before them.
        found = [CompletionItem(begun, type=paths)] if paths else []
        return found + [CompletionItem(name, help=" ".join(about.split()) or None) for name, about in names]

    return completer


def _given(command: Command, params: dict[str, object]) -> ParsedArguments:
    options = {option.key: option for option in command.options}
    kept: dict[str, object] = {}
    for key, value in params.items():
        found = tuple(value) if isinstance(value, list | tuple) else value
        if key in options and isinstance(found, tuple):
            found = _single(options[key], found)
        if found is not None and found != () and not (found is False and options[key].kind == FLAG):
            kept[key] = found
    return ParsedArguments(kept)


def _single(option: Option, values: tuple[object, ...]) -> object:
    """
    Return the value of an option, or all if it may be repeated.

    Raises `ExitgateError` (64) for two values, and for an empty one.
    """
    if option.kind == REPEAT:
        return values
    other = next((value for value in values if value != values[0]), None)
    if other is not None:
        message = f"`{option.flags[0]}` is given twice: `{values[0]}` and `{other}`"
        raise usage_error(message, "keep one of them")
    if values[:1] == ("",):  # as of a variable of a shell that is not set
        raise usage_error(f"`{option.flags[0]}` is empty", "write a value, or omit the option")
    return values[0] if values else option.default


def _message(error: click.UsageError) -> str:
    text = error.format_message().replace("'", "`").rstrip(".")
    return text[:1].lower() + text[1:]
