"""The options of `status_block`, as JSON Schema."""

from __future__ import annotations

_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
OPTIONS: dict[str, object] = {
    "name": {
        "description": "Name of the block, as in `---NAME---` or `NAME:`; several are alternatives.",
        "anyOf": [{"type": "string", "minLength": 1}, _TEXTS],
        "examples": ["RALPH_STATUS"],
    },
    "fields": {
        "description": "Fact -> field of the block. Each is a fact behind the prefix.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {
            "pattern": "^[a-z][a-z0-9_]*$",
            "not": {"enum": ["present", "count", "contradictory", "unread", "outside"]},
        },
        "additionalProperties": {
            "type": "object",
            "additionalProperties": False,
            "required": ["type"],
            "properties": {
                "key": {
                    "description": "The key in the block, or several that mean the same, the one to ask for "
                    "first. Without it: the fact's name in capitals. Case, `_`, `-` and blanks do not count.",
                    "anyOf": [{"type": "string", "minLength": 1}, _TEXTS],
                    "examples": ["EXIT_SIGNAL", ["TASKS_COMPLETED_THIS_LOOP", "TASKS_COMPLETED"]],
                },
                "type": {
                    "description": "Type of the fact.",
                    "enum": ["bool", "count", "number", "percent", "enum", "text"],
                    "examples": ["bool"],
                },
                "members": {
                    "description": "For enum: the values there are.",
                    "type": "array",
                    "items": {
                        "type": "string",
                        "pattern": "^[A-Za-z][A-Za-z0-9_]*$",
                        "not": {"pattern": "^[Kk][Nn][Oo][Ww][Nn]$"},
                    },
                    "minItems": 1,
                    "uniqueItems": True,
                    "examples": [["IN_PROGRESS", "COMPLETE", "BLOCKED"]],
                },
                "unknown": {
                    "description": "For enum: what the fact is where the agent writes the member `unknown`, "
                    "for in conditions that is the word for what is not known.",
                    "type": "string",
                    "pattern": "^[A-Z][A-Z0-9_]*$",
                    "default": "NOT_SAID",
                    "examples": ["NOT_SAID"],
                },
                "also": {
                    "description": "For bool and enum: other words, or marks, for a value.",
                    "type": "object",
                    "additionalProperties": _TEXTS,
                    "examples": [{"true": ["yes"], "false": ["no"]}],
                },
                "unless": {
                    "description": "For bool and enum: value -> pattern (RE2) of remarks behind it that take "
                    "it back, such as `true (once the tests pass)`. Such a value cannot be read.",
                    "type": "object",
                    "additionalProperties": {"type": "string", "minLength": 1},
                    "examples": [{"true": "^\\W*(once|when|if|unless)\\b"}],
                },
                "unreadable": {
                    "description": "What the fact is, with a note, where the field is there but its value "
                    "cannot be read. A field that is not there stays unknown.",
                    "type": ["boolean", "number", "string"],
                    "examples": [False],
                },
                "doc": {
                    "description": "What to write there; `exitgate prompt` tells it to the agent.",
                    "type": "string",
                    "examples": ["true only when nothing is left to do"],
                },
            },
        },
        "examples": [{"exit_signal": {"key": "EXIT_SIGNAL", "type": "bool", "unreadable": False}}],
    },
    "style": {
        "description": "How `exitgate prompt` writes the block: `ruled` between `---NAME---` and "
        "`---END_NAME---`, `header` indented under `NAME:`. Either is read, and other shapes too.",
        "enum": ["ruled", "header"],
        "default": "ruled",
        "examples": ["header"],
    },
    "contradictions": {
        "description": "Values that a block must not hold together; one that does is contradictory.",
        "type": "array",
        "items": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": ["boolean", "number", "string"]},
        },
        "default": [],
        "examples": [[{"status": "COMPLETE", "tests_status": "FAILING"}]],
    },
    "apply": {
        "description": "What may keep a block from counting. `template`: nothing is filled in (that never "
        "counts). `fenced`: part of a patch, or of a longer text in a fence. `quoted`: quoted. "
        "`echoed`: a copy from the task. `hypothetical`: led in as a form, or as what will be said. "
        "`continued`: led in, and the text goes on to other work.",
        "type": "array",
        "items": {"enum": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"]},
        "default": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"],
        "examples": [["template"]],
    },
    "lexicon": {
        "description": "Words that lead in an example (`illustrations`), and the guards' own.",
        "type": "string",
        "default": "illustrations",
        "examples": ["illustrations"],
    },
}
