"""One file for each extractor, listed in `exitgate.facts.registry`."""
