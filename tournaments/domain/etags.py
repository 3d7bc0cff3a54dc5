"""ETags: identify one state of a document, for REST and for pages.

The ETag of a publication is its number with the start of its digest; that of an object with a
revision is the revision; any other is a hash of the contents. `api/conditional_requests.py` reads
the request headers `If-None-Match` and `If-Match`.
"""

import hashlib
from typing import Final

ALGORITHM: Final = "sha256:"
MARK: Final = 12
"""Digits of a digest that an ETag has."""


def etag(state: object) -> str:
    """Return the ETag of a state: an entity tag is in quotation marks (RFC 9110).

    >>> etag(3), etag("3-0123456789ab")
    ('"3"', '"3-0123456789ab"')
    """
    return f'"{state}"'


def bare(tag: str) -> str:
    return tag.strip('"')


def digest_of(body: bytes) -> str:
    """Return the digest of a body, in the form of publications.

    >>> digest_of(b"")[:19]
    'sha256:e3b0c44298fc'
    """
    return f"{ALGORITHM}{hashlib.sha256(body).hexdigest()}"


def mark_of(digest: str) -> str:
    return digest.removeprefix(ALGORITHM)[:MARK]


def mark_of_text(text: str) -> str:
    return mark_of(digest_of(text.encode()))


def publication_etag(number: int, digest: str) -> str:
    """Return the ETag of a publication.

    >>> publication_etag(3, "sha256:e3b0c44298fc1c149afb")
    '"3-e3b0c44298fc"'
    """
    return etag(f"{number}-{mark_of(digest)}")
