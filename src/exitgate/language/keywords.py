"""The terminals of the grammar in words, for messages, and the words that no fact may be called."""

from __future__ import annotations

#: Terminal of `grammar.lark` -> the keyword it stands for.
KEYWORDS: dict[str, str] = {
    "AFTER": "after",
    "ALL": "all",
    "AND": "and",
    "ANY": "any",
    "AT_LEAST": "at least",
    "AT_MOST": "at most",
    "BETWEEN": "between",
    "BY": "by",
    "CONSECUTIVE": "consecutive",
    "CONTAINS": "contains",
    "COUNT_OF": "count of",
    "DECLINED": "declined",
    "FALSE": "false",
    "FOR": "for",
    "IN": "in",
    "IS": "is",
    "ITERATIONS": "iterations",
    "KNOWN": "known",
    "LAST": "last",
    "MATCHES": "matches",
    "NOT": "not",
    "NOTHING": "nothing",
    "OF": "of",
    "OR": "or",
    "OR_ELSE": "or else",
    "OVER": "over",
    "PER": "per",
    "REPEATS": "repeats",
    "ROSE": "rose",
    "SKIPPING": "skipping",
    "TIMES": "times",
    "TRUE": "true",
    "UNCHANGED": "unchanged",
    "UNKNOWN": "unknown",
    "WHERE": "where",
    "WITHIN": "within",
}

#: Names that a fact may not have, since they would be read as keywords.
RESERVED = frozenset(KEYWORDS.values()) | {"iteration", "time"}

#: Terminal -> the sign it stands for.
SIGNS: dict[str, str] = {
    "GE": ">=",
    "LE": "<=",
    "EQ": "==",
    "NE": "!=",
    "GT": ">",
    "LT": "<",
    "PLUS": "+",
    "MINUS": "-",
    "STAR": "*",
    "SLASH": "/",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": ",",
}

#: Terminals with any of which a value may begin.
VALUES = frozenset(
    {"NUMBER", "PERCENT", "DURATION", "MONEY", "STRING", "ENUM", "FACT", "PARAMETER", "CONDITION"}
)

#: Terminals that compare the value before them with the one behind.
COMPARISONS = frozenset({"GE", "LE", "EQ", "NE", "GT", "LT"})

#: What a reader sees for a terminal that is neither keyword nor sign.
VALUE_WORDS: dict[str, str] = {
    "NUMBER": "a number",
    "PERCENT": "a percentage such as `70%`",
    "DURATION": "a duration such as `30m`",
    "MONEY": "an amount such as `5 USD`",
    "STRING": "a text in quotes",
    "ENUM": "an upper-case member such as `OPEN`",
    "FACT": "a fact",
    "PARAMETER": "a parameter such as `$limit`",
    "CONDITION": "a named condition such as `@ready`",
}


def written(terminal: str) -> str:
    """Return the words for a terminal of the grammar, keywords and signs in backticks."""
    if terminal == "$END":
        return "the end of the condition"
    exact = KEYWORDS.get(terminal) or SIGNS.get(terminal)
    return f"`{exact}`" if exact else VALUE_WORDS[terminal]
