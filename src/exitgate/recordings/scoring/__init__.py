"""What policies are worth on recorded runs: labels, scores, calibration, sweeps."""
