"""Questions to the world: what they are, how they are asked, what was answered."""

#: Folder below the user's state with what persons allowed to run (`exitgate.core.probes.trust`).
CONSENTS = "trust"
#: Variable of the environment that allows the commands of one digest, as a CI job sets it.
VARIABLE = "EXITGATE_TRUST"
