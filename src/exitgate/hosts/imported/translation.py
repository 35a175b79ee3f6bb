"""Settings of another project as parameters of a policy, and what is left of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from exitgate.analysis.edits import quoted_scalar
from exitgate.core.model.diagnostic import WARNING, Diagnostic, Location
from exitgate.core.model.spelling import nearest
from exitgate.core.policy.compiled import Parameter
from exitgate.core.policy.extending.merged import read_merged
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library
from exitgate.core.policy.sections.parameters import out_of_bounds, read_parameters
from exitgate.core.policy.values import Unfit, from_text
from exitgate.hosts.imported.projects import FoundSetting, Project

#: Characters of another file that a comment repeats.
SHOWN = 70
#: Digits of a number of minutes.
_DIGITS = 10


class Entry(Struct, frozen=True):
    """A parameter with its value as YAML, and its origin: `.ralphrc:12 CB_COOLDOWN_MINUTES=45`."""

    name: str
    text: str
    origin: str
    place: Location


class Translation(Struct, frozen=True):
    """
    What became of the settings of a file.

    Args:
        policy: Name of the policy that they are for.
        entries: Parameters to set, in the order of the file.
        left: Settings that are not taken over, each as the reason and the origin.
        problems: Warnings and notes.
    """

    policy: str
    entries: tuple[Entry, ...]
    left: tuple[tuple[str, str], ...]
    problems: tuple[Diagnostic, ...]

    def with_left(self, more: Sequence[tuple[str, str]]) -> Translation:
        """Return it with more settings that are not taken over."""
        return Translation(self.policy, self.entries, (*self.left, *more), self.problems)


def translate(
    project: Project, found: Sequence[FoundSetting], others: Sequence[Location], policy: str, file: str
) -> Translation:
    """
    Return what `found` becomes under a policy.

    Args:
        project: Whose settings they are.
        found: The settings of its file.
        others: Where that file reads other files or runs a text.
        policy: Name of one of those that the project's settings can go to.
        file: Name of the project's file for the comments on where a setting comes from.
    """
    parameters = parameters_of(policy)
    entries: dict[str, Entry] = {}
    left: list[tuple[str, str]] = []
    problems = [_elsewhere(place) for place in others]
    for one in found:
        setting = project.setting(one.name)
        if setting is None:
            # What is not a misspelt setting is a variable of the user's own: a comment says enough of it.
            near = nearest(one.name, [one.name for one in project.settings if not one.name.endswith("*")])
            if near is not None:
                problems.append(_unknown(one, project, near))
            left.append(("exitgate does not know it", _origin(one, file, named=True)))
            continue
        wanted = setting.to.get(policy, ())
        if not wanted:
            left.append((setting.why, _origin(one, file, setting.name.endswith("*"))))
        for name in wanted:
            try:
                entries[name] = Entry(name, _fitting(parameters[name], one), _origin(one, file), one.place)
            except Unfit as error:
                problems.append(_unfit(parameters[name], one, error))
                left.append((str(error), _origin(one, file)))
    return Translation(policy, tuple(entries.values()), tuple(dict.fromkeys(left)), tuple(problems))


def parameters_of(policy: str) -> Mapping[str, Parameter]:
    """Return the parameters of a shipped policy by name; it need not be compiled for that."""
    findings = Findings()
    merged = read_merged(policy, Library(findings), findings)
    findings.raise_errors()
    assert merged is not None
    parameters, _ = read_parameters(merged.root.get("parameters"), findings)
    return parameters


def _fitting(parameter: Parameter, found: FoundSetting) -> str:
    """Return the value of a setting as YAML. Raises `Unfit`."""
    if found.value is None:
        raise Unfit(found.why)
    type_, text = parameter.type, found.value.strip()
    if not text.isprintable():
        raise Unfit("it contains invisible characters")
    if type_.kind == "duration":
        # Every such setting counts minutes. To bash a number with a leading zero is octal.
        if not (text.isascii() and text.isdigit()) or (len(text) > 1 and text[0] == "0"):
            raise Unfit(f"`{text[:SHOWN]}` is not a whole number of minutes")
        if len(text) > _DIGITS:
            raise Unfit(f"`{text[:SHOWN]}` is too long")
        text += "m"
    if type_.kind == "list":
        # The loop passes over items that are missing, as in `Later,,Ideas,`.
        text = ",".join(item for item in text.split(",") if item.strip())
    value = from_text(type_, text)
    problem = out_of_bounds(parameter, value)
    if problem:
        raise Unfit(f"`{text[:SHOWN]}` is {problem}")
    if isinstance(value, tuple):
        return "[" + ", ".join(quoted_scalar(str(item), "plain", flow=True) for item in value) + "]"
    if type_.kind == "duration":
        return text
    return quoted_scalar(str(value), '"', flow=True) if type_.kind == "text" else str(value)


def _origin(found: FoundSetting, file: str, named: bool = False) -> str:
    """Return where a setting is and what is said there; only its name where it may hold a secret."""
    where = found.place.file if found.place.file.startswith("<") else f"{file}:{found.place.line}"
    words = " ".join((found.name if named else found.written).split())
    return f"{where} {words if len(words) <= SHOWN else words[: SHOWN - 3] + '...'}"


def _unknown(found: FoundSetting, project: Project, near: str) -> Diagnostic:
    message = f"exitgate has no setting `{found.name[:SHOWN]}` of {project.id}"
    return Diagnostic("EP595", message, found.place, f"did you mean `{near}`?", WARNING)


def _unfit(parameter: Parameter, found: FoundSetting, error: Unfit) -> Diagnostic:
    source = found.source
    if found.value is None:
        message = f"`{found.name}` cannot be read: {found.why}"
        return Diagnostic("EP593", message, found.place, f"set `{parameter.name}` by hand", WARNING, source)
    message = f"`{found.name}` does not match `{parameter.name}`: {error}"
    related = (("is the parameter", parameter.place),) if parameter.place is not None else ()
    return Diagnostic(
        "EP594", message, found.place, f"set `{parameter.name}` by hand", WARNING, source, related
    )


def _elsewhere(place: Location) -> Diagnostic:
    message = "the script read or run here may set more"
    return Diagnostic("EP593", message, place, "import that file too, or set its values by hand", WARNING)
