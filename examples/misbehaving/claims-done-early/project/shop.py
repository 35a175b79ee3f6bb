"""A shopping list for the command line."""
