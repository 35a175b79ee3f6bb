"""What is reported of decisions to other programs: OpenTelemetry, and a textfile for Prometheus."""
