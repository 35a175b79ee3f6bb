"""
Signatures that sigstore itself verifies, with authorities and logs of the test's own.

Needs the package `sigstore`, which is not among those of development: `pip install sigstore`.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from test_attestations import FILE, ISSUER, SHA, WORKFLOW, statement

from exitgate.core.policy.locked.lock_file import Signer
from exitgate.fleet.packages.attestations import signer_of, sigstore_verifier
from exitgate.fleet.packages.fetched import RefusedError

verify = pytest.importorskip("sigstore.verify")
trust = pytest.importorskip("sigstore.models")

BEGAN = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
SIGNED = int(BEGAN.timestamp()) + 60
PAYLOAD = "application/vnd.in-toto+json"
ORIGIN = "rekor.test"


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


class Key:
    """A key of an authority or a log, and how it is known."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.public = self.private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.id = hashlib.sha256(self.public).digest()

    def sign(self, raw: bytes) -> bytes:
        return self.private.sign(raw, ec.ECDSA(hashes.SHA256()))

    def listed(self) -> dict[str, object]:
        key = {"rawBytes": b64(self.public), "keyDetails": "PKIX_ECDSA_P256_SHA_256",
               "validFor": {"start": "2025-01-01T00:00:00Z"}}  # fmt: skip
        return {
            "baseUrl": f"https://{ORIGIN}",
            "hashAlgorithm": "SHA2_256",
            "publicKey": key,
            "logId": {"keyId": b64(self.id)},
        }


class World:
    """An authority for certificates, a log of certificates, and a log of signatures."""

    def __init__(self) -> None:
        self.authority, self.certificates, self.signatures = Key(), Key(), Key()
        self.name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "test")])
        self.root = (
            self._certificate(self.name, self.authority)
            .add_extension(x509.BasicConstraints(ca=True, path_length=1), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self.authority.private.public_key()), False
            )
            .add_extension(x509.KeyUsage(*[False] * 5, True, True, False, False), critical=True)
            .sign(self.authority.private, hashes.SHA256())
        )

    def _certificate(self, name: x509.Name, key: Key, days: int = 3650) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self.name)
            .public_key(key.private.public_key())
            .serial_number(7)
            .not_valid_before(BEGAN)
            .not_valid_after(BEGAN + datetime.timedelta(days=days))
        )

    def trusted(self, folder: Path) -> object:
        """Return the root of trust that a verifier takes."""
        plain = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [self.signatures.listed()],
            "ctlogs": [self.certificates.listed()],
            "certificateAuthorities": [{
                "subject": {"organization": "test", "commonName": "test"},
                "uri": "https://authority.test",
                "certChain": {"certificates": [{"rawBytes": b64(self.root.public_bytes(Encoding.DER))}]},
                "validFor": {"start": "2025-01-01T00:00:00Z"},
            }],
            "timestampAuthorities": [],
        }  # fmt: skip
        path = folder / "trusted.json"
        path.write_text(json.dumps(plain), encoding="utf-8")
        return trust.TrustedRoot.from_file(str(path))

    def issued(self, key: Key) -> x509.Certificate:
        """Return a certificate of a workflow, which the log of certificates has seen."""
        issuer = x509.UnrecognizedExtension(
            x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.8"), bytes((12, len(ISSUER))) + ISSUER.encode()
        )
        above = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.authority.private.public_key())
        workflow = x509.UniformResourceIdentifier(f"{WORKFLOW}@refs/tags/v2")
        made = (
            self._certificate(x509.Name([]), key, days=1)
            .add_extension(above, critical=False)
            .add_extension(x509.SubjectAlternativeName([workflow]), critical=True)
            .add_extension(x509.KeyUsage(True, *[False] * 8), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(issuer, critical=False)
        )
        before = made.sign(self.authority.private, hashes.SHA256()).tbs_certificate_bytes
        at = struct.pack(">Q", SIGNED * 1000)
        size = struct.pack(">I", len(before))[1:]
        seen = self.certificates.sign(b"\0\0" + at + b"\0\1" + self.authority.id + size + before + b"\0\0")
        receipt = b"\0" + self.certificates.id + at + b"\0\0\4\3" + struct.pack(">H", len(seen)) + seen
        listed = struct.pack(">HH", len(receipt) + 2, len(receipt)) + receipt
        value = bytes((4, len(listed))) if len(listed) < 128 else bytes((4, 0x81, len(listed)))
        oid = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
        with_receipt = made.add_extension(x509.UnrecognizedExtension(oid, value + listed), critical=False)
        return with_receipt.sign(self.authority.private, hashes.SHA256())

    def attestation(self, said: bytes, spoil: Callable[[dict[str, object]], None] = lambda _: None) -> bytes:
        """Return the provenance of a statement that a workflow signed, as an index gives it."""
        key = Key()
        certificate = self.issued(key)
        whole = f"DSSEv1 {len(PAYLOAD)} {PAYLOAD} {len(said)} ".encode() + said
        signature = b64(key.sign(whole))
        body = self._logged(said, signature, certificate)
        attestation = {
            "version": 1,
            "verification_material": {
                "certificate": b64(certificate.public_bytes(Encoding.DER)),
                "transparency_entries": [self._entry(body)],
            },
            "envelope": {"statement": b64(said), "signature": signature},
        }
        spoil(attestation)
        return json.dumps({"version": 1, "attestation_bundles": [{"attestations": [attestation]}]}).encode()

    def _logged(self, said: bytes, signature: str, certificate: x509.Certificate) -> bytes:
        digest = {"algorithm": "sha256", "value": hashlib.sha256(said).hexdigest()}
        verifier = b64(certificate.public_bytes(Encoding.PEM))
        spec = {
            "envelopeHash": digest,
            "payloadHash": digest,
            "signatures": [{"signature": signature, "verifier": verifier}],
        }
        return json.dumps(
            {"apiVersion": "0.0.1", "kind": "dsse", "spec": spec}, separators=(",", ":"), sort_keys=True
        ).encode()

    def _entry(self, body: bytes) -> dict[str, object]:
        root = hashlib.sha256(b"\0" + body).digest()
        note = f"{ORIGIN}\n1\n{b64(root)}\n"
        mark = b64(self.signatures.id[:4] + self.signatures.sign(note.encode()))
        promised = {
            "body": b64(body),
            "integratedTime": SIGNED,
            "logID": self.signatures.id.hex(),
            "logIndex": 0,
        }
        promise = self.signatures.sign(json.dumps(promised, separators=(",", ":"), sort_keys=True).encode())
        return {
            "logIndex": "0",
            "logId": {"keyId": b64(self.signatures.id)},
            "kindVersion": {"kind": "dsse", "version": "0.0.1"},
            "integratedTime": str(SIGNED),
            "inclusionPromise": {"signedEntryTimestamp": b64(promise)},
            "inclusionProof": {
                "logIndex": "0", "rootHash": b64(root), "treeSize": "1", "hashes": [],
                "checkpoint": {"envelope": f"{note}\n\u2014 {ORIGIN} {mark}\n"},
            },
            "canonicalizedBody": b64(body),
        }  # fmt: skip


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    trusted = found.trusted(tmp_path)
    monkeypatch.setattr(verify.Verifier, "production", lambda: verify.Verifier(trusted_root=trusted))
    return found


def test_a_signature_that_is_right(world: World) -> None:
    verifier = sigstore_verifier()
    assert verifier is not None
    assert signer_of(world.attestation(statement()), FILE, SHA, verifier) == Signer(ISSUER, WORKFLOW)


def other_statement(attestation: dict[str, object]) -> None:
    attestation["envelope"]["statement"] = b64(statement("other.whl"))  # type: ignore[index]


def other_signature(attestation: dict[str, object]) -> None:
    attestation["envelope"]["signature"] = b64(Key().sign(b"x"))  # type: ignore[index]


def other_certificate(attestation: dict[str, object]) -> None:
    other = World().issued(Key()).public_bytes(Encoding.DER)
    attestation["verification_material"]["certificate"] = b64(other)  # type: ignore[index]


def not_logged(attestation: dict[str, object]) -> None:
    attestation["verification_material"]["transparency_entries"] = []  # type: ignore[index]


@pytest.mark.parametrize("spoil", [other_statement, other_signature, other_certificate, not_logged])
def test_a_signature_that_is_wrong(world: World, spoil: Callable[[dict[str, object]], None]) -> None:
    verifier = sigstore_verifier()
    assert verifier is not None
    with pytest.raises(RefusedError, match="does not verify"):
        signer_of(world.attestation(statement(), spoil), FILE, SHA, verifier)


def test_a_signature_of_an_unknown_authority(world: World) -> None:
    verifier = sigstore_verifier()
    assert verifier is not None
    with pytest.raises(RefusedError, match="does not verify"):
        signer_of(World().attestation(statement()), FILE, SHA, verifier)
