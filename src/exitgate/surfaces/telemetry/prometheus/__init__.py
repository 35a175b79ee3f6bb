"""Decisions as counters and gauges in a file that Prometheus' node_exporter reads."""
