"""JSON Schema over a document, with errors in words."""
