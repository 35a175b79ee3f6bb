"""What is reported about decisions to other programs: OpenTelemetry, and a textfile for Prometheus."""
