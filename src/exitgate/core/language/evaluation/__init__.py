"""The compiled evaluator: closures over records, three-valued."""
