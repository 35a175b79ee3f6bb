"""Who signed a wheel: recorded, compared the next time, and never taken on trust."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from pathlib import Path

import pytest
from cases import each
from cli_program import Ran, run
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st
from test_lock_command import project
from wheels import Pages, version

from exitgate.core.policy.locked.lock_file import Signer
from exitgate.core.system.folders import LOCK_FILE
from exitgate.fleet.packages import attestations
from exitgate.fleet.packages.attestations import signer_of
from exitgate.fleet.packages.fetched import RefusedError

ISSUER = "https://token.actions.githubusercontent.com"
WORKFLOW = "https://github.com/acme/policies/.github/workflows/release.yml"
FILE, SHA = "acme_policies-2.0.0-py3-none-any.whl", "0" * 64
KEY = ec.generate_private_key(ec.SECP256R1())


def certificate(*names: x509.GeneralName, issuer: bytes | None = ISSUER.encode()) -> bytes:
    began = datetime.datetime(2026, 1, 1)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([]))
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(began)
        .not_valid_after(began + datetime.timedelta(days=1))
    )
    if names:
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=True)
    if issuer is not None:
        older = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1"), issuer)
        made = made.add_extension(older, critical=False)
    return made.sign(KEY, hashes.SHA256()).public_bytes(Encoding.DER)


SIGNED = certificate(x509.UniformResourceIdentifier(f"{WORKFLOW}@refs/tags/v2.0.0"))


def statement(file: str = FILE, sha256: str = SHA, kind: str = "publish") -> bytes:
    return json.dumps({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file, "digest": {"sha256": sha256}}],
        "predicateType": f"https://docs.pypi.org/attestations/{kind}/v1",
        "predicate": None,
    }).encode()  # fmt: skip


def provenance(*statements: bytes) -> bytes:
    each = [
        {
            "version": 1,
            "verification_material": {
                "certificate": base64.b64encode(SIGNED).decode(),
                "transparency_entries": [{}],
            },
            "envelope": {"statement": base64.b64encode(one).decode(), "signature": "AAAA"},
        }
        for one in statements
    ]
    return json.dumps(
        {"version": 1, "attestation_bundles": [{"publisher": {}, "attestations": each}]}
    ).encode()


def trusting(bundle: str) -> tuple[str, bytes, bytes]:
    """Believe everything, as if the signature were right; check that the bundle is of sigstore's form."""
    read = json.loads(bundle)
    assert read["mediaType"] == "application/vnd.dev.sigstore.bundle.v0.3+json"
    assert read["dsseEnvelope"]["signatures"] == [{"sig": "AAAA"}]
    envelope = read["dsseEnvelope"]
    raw = read["verificationMaterial"]["certificate"]["rawBytes"]
    return envelope["payloadType"], base64.b64decode(envelope["payload"]), base64.b64decode(raw)


def refusing(bundle: str) -> tuple[str, bytes, bytes]:
    raise RefusedError("a signature does not verify: wrong key")


def test_who_signed() -> None:
    found = signer_of(provenance(statement(), statement(kind="other")), FILE, SHA, trusting)
    assert found == Signer(ISSUER, WORKFLOW)


@each(
    ("raw", "part"),
    [
        (b"", "PEP 740"),
        (b"[]", "PEP 740"),
        (b"[" * 100_000, "PEP 740"),
        (b'{"version": 2}', "PEP 740"),
        (provenance(), "PEP 740"),
        (provenance(*[statement()] * 21), "PEP 740"),
        (provenance(statement()).replace(b'"version": 1, "verif', b'"version": 3, "verif'), "PEP 740"),
        (provenance(statement("other.whl")), "about another file"),
        (provenance(statement(sha256="1" * 64)), "about another file"),
        (provenance(statement(), statement("other.whl")), "about another file"),
        (provenance(b"x"), "about another file"),
        (provenance(b"[" * 100_000), "about another file"),
        (provenance(statement(kind="other")), "signed by 0 publishers"),
    ],
)
def test_what_is_no_signature(raw: bytes, part: str) -> None:
    with pytest.raises(RefusedError, match=part):
        signer_of(raw, FILE, SHA, trusting)


@each(
    "signed",
    [
        certificate(),
        certificate(x509.DNSName("acme.example")),
        certificate(x509.RFC822Name("a@b.example"), x509.RFC822Name("c@d.example")),
        certificate(x509.RFC822Name("a@b.example"), issuer=None),
        certificate(x509.RFC822Name("a@b.example"), issuer=b"x\ny"),
    ],
)
def test_certificates_that_name_no_signer(signed: bytes) -> None:
    with pytest.raises(RefusedError, match="certificate"):
        signer_of(provenance(statement()), FILE, SHA, lambda bundle: (*trusting(bundle)[:2], signed))


def test_a_person_signs_with_an_address() -> None:
    signed = certificate(x509.RFC822Name("ada@acme.example"))
    found = signer_of(provenance(statement()), FILE, SHA, lambda bundle: (*trusting(bundle)[:2], signed))
    assert found.identity == "ada@acme.example"


MEMBERS = st.sampled_from(["version", "attestation_bundles", "attestations", "envelope"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MEMBERS, inner, max_size=4),
    max_leaves=12,
)


@given(PLAIN)
def test_any_json_is_refused(plain: object) -> None:
    with pytest.raises(RefusedError):
        signer_of(json.dumps(plain).encode(), FILE, SHA, refusing)


def said(ran: Ran) -> str:
    return " ".join(ran.err.split())


def signed_version(pages: Pages, number: str) -> None:
    name, content = version(number)
    pages.put({name: content}, provenance="/provenance")
    pages.answers["/provenance"] = (200, {}, provenance(statement(name, hashlib.sha256(content).hexdigest())))


def test_the_signer_is_recorded_and_another_one_refused(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path / "p")
    lock = here / LOCK_FILE
    monkeypatch.setattr(attestations, "sigstore_verifier", lambda: None)
    signed_version(pages, "2.0.0")
    assert "signed, not verified: sigstore is not installed" in run("policies", "lock", cwd=here).out
    assert "signer" not in lock.read_text(encoding="utf-8")
    lock.unlink()
    monkeypatch.setattr(attestations, "sigstore_verifier", lambda: refusing)
    ran = run("policies", "lock", cwd=here)
    assert (ran.code, "does not verify" in said(ran)) == (65, True)
    assert not lock.exists()
    monkeypatch.setattr(attestations, "sigstore_verifier", lambda: trusting)
    assert f"signed by {WORKFLOW} ({ISSUER})" in run("policies", "lock", cwd=here).out
    assert f'identity: "{WORKFLOW}"' in lock.read_text(encoding="utf-8")
    text = lock.read_text(encoding="utf-8")

    signed_version(pages, "2.1.0")
    other = certificate(x509.RFC822Name("eve@elsewhere.example"))
    for verifier, part in (
        (lambda: lambda bundle: (*trusting(bundle)[:2], other), "eve@elsewhere.example"),
        (lambda: None, "2.1.0 is signed, not verified"),
    ):
        monkeypatch.setattr(attestations, "sigstore_verifier", verifier)
        ran = run("policies", "update", cwd=here)
        assert ran.code == 65
        assert f"2.0.0 was signed by {WORKFLOW}" in said(ran)
        assert part in said(ran)
        assert lock.read_text(encoding="utf-8") == text
        assert run("policies", "lock", "--check", cwd=here).code == 0
    pages.put(dict([version("2.1.0")]))
    ran = run("policies", "update", cwd=here)
    assert (ran.code, "2.1.0 is not signed" in said(ran)) == (65, True)
    assert run("policies", "update", "--accept-signer", cwd=here).code == 0
    assert "signer" not in lock.read_text(encoding="utf-8")


def test_without_sigstore_there_is_no_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("sigstore", "sigstore.errors", "sigstore.models", "sigstore.verify"):
        monkeypatch.setitem(sys.modules, name, None)
    assert attestations.sigstore_verifier() is None
