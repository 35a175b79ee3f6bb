"""The condition language: grammar, tree, types, compiler, reference evaluator, unparser."""
