"""Texts worth trying: one for every way in which the tests of some conditions can come out together."""
