"""Writing the archive of a club as a stream: a zip with rows, files, checksums."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import IO, Final, cast

from django.conf import settings

from tournaments.domain.archives.format import CHECKSUMS, MANIFEST, Manifest
from tournaments.exporters.archives.readable_files import anonymous_readme, readable_files
from tournaments.exporters.archives.rows import ClubRows
from tournaments.models.clubs import Club
from tournaments.models.standings import Publication
from tournaments.selectors.db.isolation import snapshot_read
from tournaments.services.events.change_club import club_settings

PACKED: Final = (".jpeg", ".png", ".upload")
"""Files that are not made smaller once more."""


def archive_chunks(club: Club, *, anonymous: bool = False, now: datetime) -> Iterator[bytes]:
    """Yield the archive of a club piece by piece, all of it as of one moment.

    What is in memory at one time is one file of rows; nothing is locked.

    Args:
        anonymous: without names, pictures, and what people wrote.
    """
    with snapshot_read():
        club = Club.objects.get(pk=club.pk)
        writer = _ZipStream(now)
        at = now.isoformat(timespec="seconds")
        texts = anonymous_readme(at=at) if anonymous else _readable(club, at)
        for name, text in texts:
            yield from writer.add(name, (piece.encode() for piece in text))
        rows = ClubRows(club, is_anonymous=anonymous)
        for file in rows.files():
            yield from writer.add(file.name, [file.content])
        manifest = Manifest(
            slug=club.slug,
            name=club.name,
            made_at=at,
            release=settings.VERSION,
            is_anonymous=anonymous,
            tables=rows.tables,
            publications={} if anonymous else publication_digests(club),
            jobs=() if anonymous else tuple(rows.jobs()),
        )
        text = json.dumps(manifest.as_json(), ensure_ascii=False, indent=1)
        yield from writer.add(MANIFEST, [text.encode()])
        yield from writer.close()


def publication_digests(club: Club) -> dict[str, list[str]]:
    """Return the digests of a club's publications in the order of their numbers, by owner."""
    found: dict[str, list[str]] = {}
    rows = Publication.objects.filter(club=club).order_by("number")
    columns = ("event__slug", "season__slug", "ladder__slug", "digest")
    for event, season, ladder, digest in rows.values_list(*columns).iterator():
        of = f"event:{event}" if event else f"season:{season}" if season else f"ladder:{ladder}"
        found.setdefault(of, []).append(digest)
    return dict(sorted(found.items()))


def _readable(club: Club, at: str) -> Iterator[tuple[str, Iterable[str]]]:
    yield from readable_files(club, club_settings(club), at=at)


class _Sink:
    """Takes what the zip writes, until it is handed on; it cannot be read or gone back in."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes, /) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> object:
        """Do nothing: pieces are handed on by `taken`."""

    def taken(self) -> bytes:
        """Return what was written since the last call."""
        found = b"".join(self._pieces)
        self._pieces.clear()
        return found


class _ZipStream:
    """A zip that is handed on while it is made, and the checksums of its files."""

    def __init__(self, now: datetime) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._sink), "w", zipfile.ZIP_DEFLATED)
        self._moment = (now.year, now.month, now.day, now.hour, now.minute, now.second)
        self._sums: list[str] = []

    def add(self, name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Write one file, and yield what there is of the zip meanwhile."""
        about = zipfile.ZipInfo(name, self._moment)
        about.external_attr = 0o644 << 16
        is_packed = name.endswith(PACKED)
        about.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        digest = hashlib.sha256()
        with self._zip.open(about, "w") as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
                if found := self._sink.taken():
                    yield found
        self._sums.append(f"{digest.hexdigest()}  {name}\n")
        yield self._sink.taken()

    def close(self) -> Iterator[bytes]:
        """Write the checksums and the end of the zip."""
        yield from self.add(CHECKSUMS, ["".join(self._sums).encode()])
        self._zip.close()
        yield self._sink.taken()
