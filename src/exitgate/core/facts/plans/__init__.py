"""Plans: the tasks of a Markdown or JSON file, and which are done."""
