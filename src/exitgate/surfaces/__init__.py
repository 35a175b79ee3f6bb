"""Where exitgate meets other programs: the pytest plugin."""
