"""Why a match may not count: one guard a file, its words in `policies/lexicons/`."""
