"""Every process that exitgate starts is built here alone (`docs/decisions/0901-child-processes.md`)."""
