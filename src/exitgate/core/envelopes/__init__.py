"""From what an agent's runner wrote to what its agent said and did."""
