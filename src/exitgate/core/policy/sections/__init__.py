"""The sections of a policy, each from YAML to what it compiles to."""
