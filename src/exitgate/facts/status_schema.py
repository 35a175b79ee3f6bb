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
        "description": "Fact -> field of the block. Each is a fact under the prefix.",
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
                    "description": "The key in the block, or several that mean the same, the preferred "
                    "one first. By default the fact's name in capitals. Case, `_`, `-` and spaces do not "
                    "matter.",
                    "anyOf": [{"type": "string", "minLength": 1}, _TEXTS],
                    "examples": ["EXIT_SIGNAL", ["TASKS_COMPLETED_THIS_LOOP", "TASKS_COMPLETED"]],
                },
                "type": {
                    "description": "Type of the fact.",
                    "enum": ["bool", "count", "number", "percent", "enum", "text"],
                    "examples": ["bool"],
                },
                "members": {
                    "description": "For enum: its members.",
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
                    "description": "For enum: the fact's value if the agent writes the member "
                    "`unknown`, since conditions use that word for unknown facts.",
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
                    "description": "For bool and enum: value -> pattern (RE2) of remarks after it "
                    "that revoke it, such as `true (once the tests pass)`. Such a value cannot be read.",
                    "type": "object",
                    "additionalProperties": {"type": "string", "minLength": 1},
                    "examples": [{"true": "^\\W*(once|when|if|unless)\\b"}],
                },
                "unreadable": {
                    "description": "The fact's value, with a note, if the field is "
                    "present but cannot be read. A missing field stays unknown.",
                    "type": ["boolean", "number", "string"],
                    "examples": [False],
                },
                "doc": {
                    "description": "Instructions for the value; `exitgate prompt` includes them.",
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
        "description": "Values that a block must not have together; a block with them is contradictory.",
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
        "description": "Guards that keep a block from counting. `template`: nothing is filled in (that "
        "never counts). `fenced`: part of a patch, or of a longer text in a fence. `quoted`: quoted. "
        "`echoed`: copied from the task. `hypothetical`: introduced as a form, or as something that will be "
        "said. `continued`: introduced, and the text continues with other work.",
        "type": "array",
        "items": {"enum": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"]},
        "default": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"],
        "examples": [["template"]],
    },
    "lexicon": {
        "description": "Words that introduce an example (`illustrations`), and the guards' own.",
        "type": "string",
        "default": "illustrations",
        "examples": ["illustrations"],
    },
}
