"""Asking a policy line by line: facts as series, conditions and rules answered with what they rest on."""
