"""Diagnostic codes of the import of other projects' settings."""

from __future__ import annotations

CODES = {
    "EP592": "there are no settings to import",
    "EP593": "a setting cannot be read without running its file",
    "EP594": "a setting of another project does not match the parameter that stands for it",
    "EP595": "an unknown setting of another project",
    "EP596": "existing settings differ from imported ones",
    "EP597": "imported settings cannot be merged into the existing file",
}
