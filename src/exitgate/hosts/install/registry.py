"""Every host whose settings are known; adding one is a file beside this one and a line here."""

from __future__ import annotations

from exitgate.hosts.install import claude_code, codex, copilot, cursor, gemini

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.install.host import Host

HOSTS: dict[str, Host] = {
    module.HOST.id: module.HOST for module in (claude_code, codex, gemini, copilot, cursor)
}
