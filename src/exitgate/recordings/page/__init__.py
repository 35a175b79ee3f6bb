"""The report that people look at: one HTML file, made of plain views of what a dry run found."""
