"""What is at a path of a policy, of policy tests and of settings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.twig import Path

CONDITION, MESSAGE = "condition", "message"
POLICY, LEXICON, TESTS, SETTINGS = "policy", "lexicon", "tests", "settings"

_MESSAGES = ("because", "advice", "escalation")
_TREE = ("all", "any", "not")


def text_role(path: Path) -> str:
    """
    Return `CONDITION` or `MESSAGE` for a path of a policy that leads to one, else the empty text.

    Formulas count as conditions: they are written in the same language.
    """
    match _without_tree(path):
        case ("rules", int(), "when" | "retry_after") | ("invariants", int(), "given"):
            return CONDITION
        case ("conditions", str()) | ("conditions", str(), "when"):
            return CONDITION
        case ("circuit", "open", int(), "when") | ("circuit", "watch" | "close"):
            return CONDITION
        case ("facts", str(), "formula") | ("facts", str(), "points", int(), "when"):
            return CONDITION
        case ("facts", str(), "points", str(), int(), "when"):
            return CONDITION
        case ("rules", int(), key) if key in _MESSAGES:
            return MESSAGE
        case ("otherwise", "because"):
            return MESSAGE
    return ""


def _without_tree(path: Path) -> Path:
    """Return the path without the `all:`, `any:` and `not:` at its end that only take a condition apart."""
    end = len(path)
    while end > 2:
        if path[end - 1] == "not":
            end -= 1
        elif isinstance(path[end - 1], int) and path[end - 2] in _TREE[:2]:
            end -= 2
        else:
            break
    return path[:end]


#: Top-level keys one of which a file of each kind has.
_TELLING = ((LEXICON, "lexicon"), (SETTINGS, "exit_decision"), (POLICY, "policy"))
#: Keys that a file with `policy:` has beside it when it is a policy, and one with `tests:` when it is ours.
_BESIDE = frozenset(("format", "version", "rules", "extends", "facts", "parameters"))
_MODELINE = "yaml-language-server:"
#: Lines in which a modeline is looked for.
_HEAD = 5


def kind_of(path: str, text: str, keys: tuple[str, ...]) -> str:
    """
    Return what kind of file a text is, the empty text for one that is not one of ours.

    Args:
        path: The file's path.
        text: What it holds.
        keys: Its top-level keys.
    """
    told = _by_modeline(text)
    if told:
        return told
    name = path.replace("\\", "/").rpartition("/")[2]
    if "tests" in keys and ("format" in keys or "policy" in keys or name == "tests.yaml"):
        return TESTS
    for kind, key in _TELLING:
        if key in keys and (kind != POLICY or _BESIDE.intersection(keys) or name == "policy.yaml"):
            return kind
    if path.replace("\\", "/").endswith(".bb3/config.yaml"):
        return SETTINGS
    if not keys and name in ("policy.yaml", "tests.yaml"):
        return POLICY if name == "policy.yaml" else TESTS
    return ""


def _by_modeline(text: str) -> str:
    for line in text.split("\n", _HEAD)[:_HEAD]:
        if line.startswith("#") and _MODELINE in line:
            for kind, word in ((POLICY, POLICY), (LEXICON, LEXICON), (TESTS, TESTS), (SETTINGS, "config")):
                if line.rstrip().endswith(f"{word}.schema.json"):
                    return kind
    return ""
