"""What a text says of test runs."""
