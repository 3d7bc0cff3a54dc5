"""Bytes of older publications: compressed many at a time, and read as if they were not."""

import json
import lzma
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, TypeAlias

from django.db import models
from django.db.models.query_utils import DeferredAttribute

from scoring.errors import Problem
from tournaments.errors import Missing
from tournaments.models.columns import PlainRow

Documents: TypeAlias = Mapping[int, tuple[bytes, bytes]]
"""JSON and CSV of publications by the id of their row, in the order of their numbers."""
COLUMNS: Final = ("body", "csv")
DISCARDED: Final = 0
"""`Publication.pack` of a publication whose bytes an operator has discarded."""


class Discarded(Missing):
    """The publication existed, but its bytes were discarded (410)."""

    status = 410

    def __init__(self, publication: Any) -> None:
        super().__init__("publication")
        number, digest = publication.number, publication.digest
        owner = {f"{of}_id": getattr(publication, f"{of}_id") for of in OWNERS}
        later = type(publication).objects.filter(**owner, number__gt=number)
        numbers = later.exclude(pack=DISCARDED).order_by("number").values_list("number", flat=True)
        facts = {"publication": number, "digest": digest, "next": numbers.first() or 0}
        self.problem = Problem("publication_discarded", facts=facts)


OWNERS: Final = ("event", "season", "ladder", "meeting")
"""Columns of a publication, one of which says whose it is."""


class PublicationPack(PlainRow):
    """Bytes of up to 64 publications of one event, season, ladder or evening, compressed together.

    A pack never changes. An erasure stores a new one and deletes the old one, so that a reader
    gets all of a publication as it was, or all as it is. A ladder's and an evening's have their
    `event`. Without
    constraints in the database: 0.4.0, which does not know the table, deletes clubs beside it.
    """

    club = models.ForeignKey(
        "tournaments.Club", models.CASCADE, related_name="+", db_constraint=False
    )
    event = models.ForeignKey(
        "tournaments.Event", models.CASCADE, null=True, related_name="+", db_constraint=False
    )
    season = models.ForeignKey(
        "tournaments.Season", models.CASCADE, null=True, related_name="+", db_constraint=False
    )
    content = models.BinaryField()


def pack(documents: Documents) -> bytes:
    """Compress publications together: each is a difference to all before it.

    LZMA finds what is repeated over the whole pack, zlib only over 32 kB.
    """
    lengths = [[pk, len(body), len(csv)] for pk, (body, csv) in documents.items()]
    parts = [part for document in documents.values() for part in document]
    return lzma.compress(json.dumps(lengths).encode() + b"\n" + b"".join(parts))


@lru_cache(maxsize=4)
def unpack(content: bytes) -> Documents:
    """Return the publications of a pack.

    >>> unpack(pack({7: (b"{}", b"a,b"), 8: (b"[]", b"")}))
    {7: (b'{}', b'a,b'), 8: (b'[]', b'')}
    """
    head, _, rest = lzma.decompress(content).partition(b"\n")
    documents = {}
    at = 0
    for pk, body, csv in json.loads(head):
        documents[pk] = (rest[at : at + body], rest[at + body : at + body + csv])
        at += body + csv
    return documents


class _PackedAttribute(DeferredAttribute):
    """A column that is empty where the bytes are in a pack; reading it reads the pack."""

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        value = super().__get__(instance, cls)
        if instance is None or value or instance.pack is None:
            return value
        if instance.pack == DISCARDED:
            raise Discarded(instance)
        content = PublicationPack.objects.filter(pk=instance.pack).values_list("content", flat=True)
        for packed in content:
            both = unpack(bytes(packed))[instance.pk]
            instance.__dict__.update(zip(COLUMNS, both, strict=True))
            return instance.__dict__[self.field.attname]
        before = instance.pack
        instance.refresh_from_db()  # an erasure rewrote it meanwhile
        if instance.pack == before:
            raise ValueError(f"publication {instance.pk}: its pack {before} does not exist")
        return getattr(instance, self.field.attname)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value  # or Python would not call __get__


class PackedBytes(models.BinaryField[Any, Any]):
    """A column of a publication's bytes, in the database like any other of bytes."""

    descriptor_class = _PackedAttribute

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.BinaryField", args, options
