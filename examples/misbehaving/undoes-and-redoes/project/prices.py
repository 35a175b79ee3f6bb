"""Prices of articles."""


def price(article, file):
    return read(file)[article]
