"""Settings files of agent hosts: putting our hook there, and taking it out again."""
