"""Formats in which agents' runners write down what was said and done: text in, plain values out."""
