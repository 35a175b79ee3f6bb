"""The second opinion: conditions evaluated by simpleeval, apart from the compiled evaluator."""
