"""Issues of a report, as facts of exitgate."""
