"""Words of a command line: the quick reader, click for the rest, mistakes, completion."""
