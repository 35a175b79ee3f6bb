"""
Where the layers are. On the path of every check: files are looked for and read as bytes, nothing is parsed.

The project file is the nearest `.bb3/config.yaml` from the folder of a check up to the root of its
repository, the first folder with `.git`. The way up ends at the home folder and at a folder that
belongs to somebody else: what lies there is not the repository's. Where no root is found, only the
folder itself counts.
"""

from __future__ import annotations

import os

from exitgate.core.model.value import Value
from exitgate.core.system import portable
from exitgate.core.system.folders import folders_up, home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


PROJECT_FILE = ".bb3/config.yaml"
PRESET_VARIABLE = "EXITGATE_PRESET"
SET_PREFIX = "EXITGATE_SET_"

#: Layers, from low to high; a profile is just below the layer that chose it. `DEFAULT` is what
#: is when no layer speaks.
DEFAULT, POLICY, PROFILE = "default", "policy", "profile"
PRESET, USER, PROJECT = "preset", "user", "project"
ENVIRONMENT, COMMAND_LINE = "environment", "command line"
LAYERS = (POLICY, PROFILE, PRESET, USER, PROJECT, ENVIRONMENT, COMMAND_LINE)


class SettingsRequest(Value):
    """
    What a caller asks for beside what the layers say.

    Args:
        policy: Shipped name or path, which wins over every layer; None for what the layers choose.
        settings: Parameter -> text, as ``--set`` takes them.
        root: Folder the project file is looked for from.
        environment: Variable -> text.
        default: The policy when nothing names one.
        profile: Name of a profile, which wins over every layer; or None.
        layer: Text of a layer above all files; the empty text for none.
    """

    __slots__ = ("default", "environment", "layer", "policy", "profile", "root", "settings")

    def __init__(
        self,
        default: str,
        policy: str | None = None,
        settings: Mapping[str, str] | None = None,
        root: str = ".",
        environment: Mapping[str, str] | None = None,
        profile: str | None = None,
        layer: str = "",
    ) -> None:
        self.default = default
        self.policy = policy
        self.settings = settings or {}
        self.root = root
        self.environment = os.environ if environment is None else environment
        self.profile = profile
        self.layer = layer


def user_file(environment: Mapping[str, str]) -> str:
    """Return the path of the user's file, whether it exists or not."""
    return os.path.join(portable.settings_folder(environment), "config.yaml")


def project_file(root: str, environment: Mapping[str, str]) -> str | None:
    """Return the path of the project file, or None where there is none."""
    for folder in folders_up(root, environment):
        path = os.path.join(folder, PROJECT_FILE)
        if is_there(path):
            return path
    return None


def project_folder(root: str, environment: Mapping[str, str]) -> str:
    """Return the folder, without links, that has the project file; `root` itself where there is none."""
    path = project_file(root, environment)
    return os.path.realpath(root) if path is None else os.path.dirname(os.path.dirname(path))


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that set a parameter, sorted; one that is empty sets nothing."""
    return {name: environment[name] for name in sorted(environment)
            if name.startswith(SET_PREFIX) and environment[name]}  # fmt: skip


def files(root: str, environment: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """
    Return the file of each layer that can be known without reading one; None for one that does not exist.

    A preset that a file names is not among them: the reader of that file finds it.
    """
    preset = environment.get(PRESET_VARIABLE)
    mine = user_file(environment)
    return (
        (PRESET, os.path.abspath(os.path.expanduser(preset)) if preset else None),
        (USER, mine if is_there(mine) else None),
        (PROJECT, project_file(root, environment)),
    )


def texts(asked: SettingsRequest, folder: bool = True) -> list[str]:
    """
    Return all that decides which files are read as layers and what is set beside them, as texts.

    Together with the files that were looked at, these decide what is settled. Nothing is read.

    Args:
        asked: What the caller asks for.
        folder: False where the folder does not matter, as `bare` says.
    """
    environment = asked.environment
    found = [asked.default, asked.policy or "", str(asked.policy is None), asked.profile or ""]
    found += [str(asked.profile is None), asked.layer]
    if folder:
        found += [os.getcwd(), os.path.realpath(asked.root), home_of(environment)]
        found.append(environment.get(PRESET_VARIABLE, ""))
        found += [path or "" for _, path in files(asked.root, environment)]
    found += [f"{name}={value}" for name, value in variables(environment).items()]
    return [*found, "--set", *(f"{name}={value}" for name, value in asked.settings.items())]


def bare(asked: SettingsRequest) -> tuple[str, ...]:
    """
    Return the places where there is nothing, so that the folder does not matter; none where it does.

    Where no file of settings is near and the policy goes by a name, all folders have the same policy. Each
    place was looked at just now.
    """
    named = asked.default if asked.policy is None else asked.policy
    if (
        asked.layer
        or asked.environment.get(PRESET_VARIABLE)
        or "/" in named
        or "." in named
        or os.sep in named
    ):
        return ()
    up = folders_up(asked.root, asked.environment)
    endings = (PROJECT_FILE, PROJECT_FILE[: -len("yaml")] + "yml")
    found = (os.path.join(folder, name) for folder in up for name in endings)
    places = (user_file(asked.environment), os.path.abspath(named), *found)
    return () if any(map(is_there, places)) else places


def is_there(path: str) -> bool:
    """Return whether something is at `path`, be it unreadable or a link that leads nowhere."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def shown(path: str, root: str) -> str:
    """Return a path as its reader would write it: from the working directory, or from the home folder."""
    relative = portable.relative(path)
    up = relative.split(os.sep).count(os.pardir)
    if up <= os.path.realpath(root).count(os.sep) and not os.path.isabs(relative) and up <= 3:
        return relative
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if portable.is_below(path, home) else path
