"""How a policy that extends another changes it."""
