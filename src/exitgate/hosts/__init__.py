"""Agents whose loop asks exitgate, projects that come from another loop, and exitgate's own loop runner."""
