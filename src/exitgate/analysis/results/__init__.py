"""What analyses find, as plain values: reports print them."""
