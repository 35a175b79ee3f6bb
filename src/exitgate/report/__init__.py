"""The forms in which decisions, facts and diagnostics are shown; one file for each form."""
