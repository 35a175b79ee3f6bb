"""What the facts of a policy can be: the points at which its conditions change their answer."""
