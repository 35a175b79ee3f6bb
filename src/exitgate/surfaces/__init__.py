"""Where exitgate meets other programs: editors, terminals, collectors of telemetry, Python, pytest."""
