"""One check from start to end: discover, observe, extract, decide, record."""
