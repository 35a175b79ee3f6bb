"""Settings in force as plain JSON values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.provenance import Setting, Settled
    from exitgate.report.config_entries import Entry


def config_json(settled: Settled, shown: Sequence[Entry]) -> dict[str, object]:
    """Return the entries with value, layer, place, chain and rules, and what was read."""
    policy = settled.policy
    return {
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "path": policy.path,
        "layers": [{"layer": r.layer, "file": r.file, "digest": r.digest} for r in settled.read],
        "settings": [_entry(entry) for entry in shown],
    }


def _entry(entry: Entry) -> dict[str, object]:
    last, *below = reversed(entry.chain)
    plain: dict[str, object] = {"name": entry.name, "kind": entry.kind, **_setting(last)}
    if entry.kind == "parameter":
        plain |= {"type": str(entry.type), "used_by": list(entry.used_by), "read_by": list(entry.read_by)}
    return plain | {"overrode": [_setting(one) for one in below]}


def _setting(setting: Setting) -> dict[str, object]:
    value = list(setting.value) if isinstance(setting.value, tuple) else setting.value
    plain: dict[str, object] = {"value": value, "layer": setting.layer}
    if setting.place is not None:
        place = setting.place
        plain |= {"file": place.file, "line": place.line, "column": place.column}
    plain |= {key: text for key, text in (("why", setting.why), ("until", setting.until)) if text}
    return plain
