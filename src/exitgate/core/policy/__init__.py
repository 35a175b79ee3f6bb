"""From a YAML document to a compiled policy: positions, schema, composition, compilation."""
