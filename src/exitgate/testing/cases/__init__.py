"""From the text of a tests.yaml to its cases, ready to run."""
