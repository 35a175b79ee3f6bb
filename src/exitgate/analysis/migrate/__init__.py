"""Policies of older formats, step by step to the format of today. Nothing here is on the path of a check."""
