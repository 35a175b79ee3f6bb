"""The operating system: files that others can write, child processes, what Windows lacks."""
