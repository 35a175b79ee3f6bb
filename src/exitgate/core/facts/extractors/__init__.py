"""One file for each extractor, listed in `exitgate.core.facts.registry`."""
