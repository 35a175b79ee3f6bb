"""The studio over HTTP: what is served, to whom, and what is refused."""
