"""Decisions as spans, events and metrics of OpenTelemetry."""
