"""
Who signed a wheel: attestations of an index (PEP 740), verified with the package sigstore where it is there.

One that cannot be verified is an error, never a remark. Who signed is kept without the revision at which the
signing workflow ran, which is another for each release.
"""

from __future__ import annotations

import json

from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.policy.locked.files import shown
from exitgate.core.policy.locked.lock_file import Signer
from exitgate.fleet.packages.fetched import FetchError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Verifies a bundle, JSON of sigstore: type and payload of what was signed, certificate as DER.
    Verify = Callable[[str], tuple[str, bytes, bytes]]


#: What a publisher of the index says by signing: this file is a release.
_PUBLISHED = "https://docs.pypi.org/attestations/publish/v1"
_STATEMENT, _PAYLOAD = "https://in-toto.io/Statement/v1", "application/vnd.in-toto+json"
_BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json"
#: Extensions of a certificate that name the issuer: the newer one is DER, the older one plain text.
_ISSUERS = ("1.3.6.1.4.1.57264.1.8", "1.3.6.1.4.1.57264.1.1")
#: Attestations of one wheel that are looked at.
_MOST = 20


def signer_of(raw: bytes, file: str, sha256: str, verify: Verify) -> Signer:
    """
    Return who published a wheel.

    Args:
        raw: Its provenance, JSON as the index gives it.
        file: Name of the wheel.
        sha256: Its SHA-256.
        verify: Verifies one bundle; raises RefusedError.

    Raises:
        RefusedError: An attestation is not well formed, does not verify, is about another file, or they name
            several publishers or none.
    """
    signers = set()
    for one in _attestations(raw):
        type, payload, certificate = verify(_bundle(one))
        statement = _statement(payload) if type == _PAYLOAD else JsonObject()
        subjects = statement.objects("subject")
        named = [(each.text("name"), each.object("digest").text("sha256")) for each in subjects]
        if statement.text("_type") != _STATEMENT or named != [(file, sha256)]:
            raise RefusedError(f"a signature is about another file than `{file}`")
        if statement.text("predicateType") == _PUBLISHED:
            signers.add(_signer(certificate))
    if len(signers) != 1:
        raise RefusedError(f"`{file}` is signed by {len(signers)} publishers, not by one")
    return signers.pop()


def sigstore_verifier() -> Verify | None:
    """Return what verifies with the public keys of sigstore, read when used first; None without it."""
    try:
        from sigstore.errors import Error
        from sigstore.models import Bundle, InvalidBundle
        from sigstore.verify import Verifier, policy
    except ImportError:
        return None
    verifiers: list[Verifier] = []

    def verify(bundle: str) -> tuple[str, bytes, bytes]:
        from cryptography.hazmat.primitives.serialization import Encoding

        try:
            if not verifiers:
                verifiers.append(Verifier.production())
        except (Error, OSError, ValueError) as error:
            why = f"the keys that signatures are verified with cannot be read: {shown(str(error))}"
            raise FetchError(why, "sigstore fetches them: is the network there?") from error
        try:
            read = Bundle.from_json(bundle)
            # Anybody may have signed: who it was is compared with the lock file, and shown to a person.
            type, payload = verifiers[0].verify_dsse(read, policy.UnsafeNoOp())
        except (Error, InvalidBundle, ValueError) as error:
            raise RefusedError(f"a signature does not verify: {shown(str(error))}") from error
        return type, payload, read.signing_certificate.public_bytes(Encoding.DER)

    return verify


def _attestations(raw: bytes) -> list[JsonObject]:
    """Return the attestations of a provenance. Raises RefusedError for anything else, and for none."""
    try:
        provenance = object_or_none(json.loads(raw))
    except (ValueError, RecursionError):
        provenance = None
    bundles = provenance.objects("attestation_bundles") if provenance is not None else []
    found = [one for bundle in bundles for one in bundle.objects("attestations")]
    versioned = [*found, provenance or JsonObject()]
    if not found or len(found) > _MOST or any(one.whole("version") != 1 for one in versioned):
        raise RefusedError("its attestations are not of the form that PEP 740 gives them")
    return found


def _bundle(attestation: JsonObject) -> str:
    """Return an attestation in sigstore's own form."""
    material, envelope = attestation.object("verification_material"), attestation.object("envelope")
    return json.dumps({
        "mediaType": _BUNDLE,
        "verificationMaterial": {
            "certificate": {"rawBytes": material.get("certificate")},
            "tlogEntries": list(material.array("transparency_entries")),
        },
        "dsseEnvelope": {
            "payload": envelope.get("statement"),
            "payloadType": _PAYLOAD,
            "signatures": [{"sig": envelope.get("signature")}],
        },
    })  # fmt: skip


def _statement(payload: bytes) -> JsonObject:
    try:
        return object_or_none(json.loads(payload)) or JsonObject()
    except (ValueError, RecursionError):
        return JsonObject()


def _signer(certificate: bytes) -> Signer:
    """Return issuer and identity of a certificate that was verified. Raises RefusedError."""
    from cryptography import x509

    read = x509.load_der_x509_certificate(certificate)
    try:
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        urls = names.get_values_for_type(x509.UniformResourceIdentifier)
        identities = [url.partition("@")[0] for url in urls] + names.get_values_for_type(x509.RFC822Name)
    except (x509.ExtensionNotFound, ValueError) as error:
        raise RefusedError("the certificate of a signature names no signer") from error
    issuers = {one.oid.dotted_string: one.value for one in read.extensions}
    newer, older = (getattr(issuers.get(oid), "value", b"") for oid in _ISSUERS)
    issuer = (newer[2:] or older).decode("utf-8", "replace")
    if len(identities) != 1 or not issuer.isprintable() or not issuer or not identities[0].isprintable():
        raise RefusedError("the certificate of a signature does not name one identity and its issuer")
    return Signer(issuer, identities[0])
