"""Codes of diagnostics on layers; those they share with policies are in `exitgate.policy.codes`."""

from __future__ import annotations

CODES = {
    "EP448": "a setting for another policy, in which it means something else",
    "EP449": "settings of a scheme that was not chosen",
    "EP479": "the date of an exception has passed",
    "EP484": "settings where exitgate does not read them",
    "EP485": "a setting that only another policy has",
    "EP486": "a change of a rule that changes nothing, or contradicts itself",
    "EP487": "no such rule to change",
    "EP488": "a preset that cannot be used",
    "EP489": "two variables set one parameter",
}
