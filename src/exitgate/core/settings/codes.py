"""Codes of diagnostics on layers; those they share with policies are in `exitgate.core.policy.codes`."""

from __future__ import annotations

CODES = {
    "EP448": "a setting that means something else in another policy",
    "EP449": "settings of a scheme that was not chosen",
    "EP479": "the date of an exception has passed",
    "EP484": "settings in a place that exitgate does not read",
    "EP485": "a setting that only another policy has",
    "EP486": "a rule change without effect, or one that contradicts itself",
    "EP487": "no such rule",
    "EP488": "a preset that cannot be used",
    "EP489": "two variables set one parameter",
    "EP507": "an unknown time zone",
}
