"""Lines that report an error, and one signature for equal errors."""
