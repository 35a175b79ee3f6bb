"""One file for each lint, named by its id with underscores; `exitgate.analysis.lint.registry` lists them."""
