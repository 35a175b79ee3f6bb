"""The kinds of mistakes, one file each."""
