"""Bodies of the schemas' snippets as YAML."""

from __future__ import annotations


def body_text(body: object, indent: str = "") -> str:
    """
    Return the body of a snippet (plain data whose texts hold fields such as ``${1:name}``) as YAML.

    Fields and what surrounds them are kept as they are: an editor fills them in.
    """
    lines = []
    if isinstance(body, dict):
        for key, value in body.items():
            lines.append(f"{indent}{key}:{_below(value, indent)}")
    elif isinstance(body, list):
        for value in body:
            lines.append(f"{indent}- {body_text(value, indent + '  ').lstrip()}")
    else:
        return indent + _scalar(body)
    return "\n".join(lines)


def _below(value: object, indent: str) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + body_text(value, indent + "  ")
    return " " + _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    # `^` before a text says that it is not text in YAML: a number or a word that is filled in.
    return text[1:] if text.startswith("^") else text
