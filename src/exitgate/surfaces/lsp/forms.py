"""The forms of the condition language as snippets, by the terminal of the grammar that each begins with."""

from __future__ import annotations

#: Terminal -> label, snippet, what it is true for. Behind a value or condition, or instead of one.
FORMS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "UNCHANGED": (
        ("unchanged for … iterations", "unchanged for ${1:3} iterations",
         "The value is the same in that many iterations in a row, this one included."),
        ("unchanged for … (a time)", "unchanged for ${1:45m}",
         "The value has been the same for that long."),
    ),
    "REPEATS": (
        ("repeats … times", "repeats ${1:3} times",
         "This iteration's value has occurred that many times in a row."),
        ("repeats … times within last …", "repeats ${1:3} times within last ${2:5}",
         "This iteration's value has occurred that many times in the last N, in a row or not."),
    ),
    "PER": (("per …", "per ${1:tasks.current}", "Only iterations in which that fact is what it is now."),),
    "DECLINED": (
        ("declined by … over last …", "declined by ${1:70%} over last ${2:3}",
         "The value went down by that share from the first of the last N iterations to this one."),
    ),
    "ROSE": (
        ("rose by … over last …", "rose by ${1:70%} over last ${2:3}",
         "The value went up by that share from the first of the last N iterations to this one."),
    ),
    "BETWEEN": (("between … and …", "between ${1:50} and ${2:70}", "Both bounds are included."),),
    "IN": (("in […]", "in [${1}]", "The value is one of those."),),
    "CONTAINS": (("contains …", "contains ${1:\"text\"}",
                  "A text contains a text, or a list contains an item."),),
    "MATCHES": (("matches …", "matches ${1:\"^pattern\"}", "An RE2 pattern is found in the text."),),
    "IS": (
        ("is", "is ", "The value is equal; members of an enum ignore case."),
        ("is not", "is not ", "The value is different."),
        ("is known", "is known", "There is a value; always true or false."),
        ("is unknown", "is unknown", "There is no value; always true or false."),
    ),
    "OR_ELSE": (("or else …", "or else ${1:false}", "The value to use if it is unknown."),),
    "AFTER": (
        ("after … (a time)", "after ${1:45m}", "The run is that old."),
        ("after … iterations", "after ${1:4} iterations",
         "So many iterations of the run have ended, this one included."),
    ),
    "AT_LEAST": (
        ("at least … of last … where (…)", "at least ${1:3} of last ${2:5} where (${3:condition})",
         "The condition is true in that many of the last N iterations."),
    ),
    "AT_MOST": (
        ("at most … of last … where (…)", "at most ${1:1} of last ${2:5} where (${3:condition})",
         "The condition is true in at most that many of the last N iterations."),
    ),
    "ANY": (
        ("any of last … where (…)", "any of last ${1:3} where (${2:condition})",
         "The condition is true in one of the last N iterations."),
        ("any of … where (item …)", "any of ${1:list} where (${2:item matches \"^pattern\"})",
         "The condition is true of an item of the list; false of an empty list."),
    ),
    "ALL": (
        ("all of last … where (…)", "all of last ${1:3} where (${2:condition})",
         "The condition is true in each of the last N iterations."),
        ("all of … where (item …)", "all of ${1:list} where (${2:item matches \"^pattern\"})",
         "The condition is true of each item of the list; true of an empty list."),
    ),
    "COUNT_OF": (
        ("count of … where (item …)", "count of ${1:list} where (${2:item matches \"^pattern\"})",
         "How many items of the list the condition is true of."),
    ),
    "NOTHING": (("nothing is known", "nothing is known", "No fact that is read from the agent is known."),),
    "SKIPPING": (
        ("skipping (…)", "skipping (${1:condition})", "Iterations in which it is true are skipped."),
    ),
}  # fmt: skip

#: Behind a closing parenthesis, where `FOR` may follow.
CONSECUTIVE = (
    "for … consecutive iterations", "for ${1:3} consecutive iterations",
    "The condition in parentheses is true in that many iterations in a row.",
)  # fmt: skip
#: Where a condition may begin.
PARENTHESES = (
    "(…) for … consecutive iterations", "(${1:condition}) for ${2:3} consecutive iterations",
    "The condition is true in that many iterations in a row.",
)  # fmt: skip
WINDOWS = {"OVER": "over last ${1:3}", "WITHIN": "within last ${1:5}", "LAST": "last ${1:5}"}
#: Terminals after which a whole condition may be, and not only a value.
WHOLE = frozenset(("NOTHING", "AT_LEAST"))
