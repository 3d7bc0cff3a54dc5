"""Backups: archives, their encryption and where they go."""

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pyrage
import pytest

from config.operation.backup.archive import (
    SUMS,
    Archive,
    ArchiveWriter,
    BackupKeys,
    DatabaseContents,
    Manifest,
    TableDigest,
    is_encrypted,
)
from config.operation.backup.destination import (
    BackupRefused,
    free_name,
    remove_old,
    reserved_directory,
    staging_directory,
)

CONTENT = b"the rows of a club " * 40
MANIFEST = Manifest(
    created_at=datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC),
    version="0.1.0",
    database="sqlite",
    contents=DatabaseContents(
        {"tournaments_hand": TableDigest(3, "ab" * 32)}, {"tournaments": ["0001_initial"]}
    ),
    key_fingerprint="0123456789abcdef",
)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive.zip"
    with ArchiveWriter(path) as writer:
        with writer.member("database.sqlite3") as file:
            file.write(CONTENT)
        writer.finish(MANIFEST)
    return path


def test_archive_gives_back_what_was_written_to_its_owner(archive: Path, tmp_path: Path) -> None:
    found = Archive(archive)
    assert found.manifest == MANIFEST
    assert found.manifest.counts == {"hands": 3}
    copy = found.extract("database.sqlite3", tmp_path / "copy")
    assert copy.read_bytes() == CONTENT
    assert [path.stat().st_mode & 0o777 for path in (archive, copy)] == [0o600, 0o600]


def test_archive_is_a_zip_file_whose_sums_other_programs_can_verify(archive: Path) -> None:
    with zipfile.ZipFile(archive) as found:
        assert found.testzip() is None
        assert found.namelist() == ["database.sqlite3", "manifest.json", SUMS]
        lines = found.read(SUMS).decode().splitlines()
    assert [line[64:] for line in lines] == ["  database.sqlite3", "  manifest.json"]


def test_each_flipped_byte_and_each_cut_file_is_noticed(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    damaged = tmp_path / "damaged.zip"
    for place in range(len(whole)):
        flipped = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        for content in (flipped, whole[:place]):
            damaged.write_bytes(content)
            with pytest.raises(BackupRefused, match="damaged"):
                Archive(damaged)


def test_other_zip_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("photos.txt", "x" * 500)
    with pytest.raises(BackupRefused, match="not one of ours"):
        Archive(other)


def test_archive_of_a_newer_format_is_refused_and_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.operation.backup.archive.FORMAT", 2)
    with ArchiveWriter(tmp_path / "newer.zip") as writer:
        writer.finish(MANIFEST)
    monkeypatch.undo()
    with pytest.raises(BackupRefused, match="format 2, this release reads up to 1"):
        Archive(tmp_path / "newer.zip")


@pytest.fixture
def secret() -> pyrage.x25519.Identity:
    return pyrage.x25519.Identity.generate()


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain"
    path.write_bytes(CONTENT)
    return path


def key_file(place: Path, *lines: object) -> Path:
    path = place / "keys"
    path.write_text("\n".join(map(str, lines)) + "\n", encoding="utf-8")
    return path


def test_secret_key_opens_what_was_encrypted_for_it(
    tmp_path: Path, plain: Path, secret: pyrage.x25519.Identity
) -> None:
    keys = BackupKeys(key_file(tmp_path, "# made by age-keygen", "", secret))
    keys.encrypt(plain, tmp_path / "sealed")
    keys.decrypt(tmp_path / "sealed", tmp_path / "opened")
    assert (tmp_path / "opened").read_bytes() == CONTENT
    assert CONTENT[:19] not in (tmp_path / "sealed").read_bytes()
    assert [is_encrypted(tmp_path / name) for name in ("plain", "sealed")] == [False, True]
    assert (tmp_path / "opened").stat().st_mode & 0o777 == 0o600


def test_public_key_encrypts_and_opens_nothing(
    tmp_path: Path, plain: Path, secret: pyrage.x25519.Identity
) -> None:
    keys = BackupKeys(key_file(tmp_path, secret.to_public()))
    keys.encrypt(plain, tmp_path / "sealed")
    with pytest.raises(BackupRefused, match="only public keys"):
        keys.decrypt(tmp_path / "sealed", tmp_path / "opened")
    BackupKeys(key_file(tmp_path, secret)).decrypt(tmp_path / "sealed", tmp_path / "opened")
    assert (tmp_path / "opened").read_bytes() == CONTENT


def test_other_key_is_refused(tmp_path: Path, plain: Path, secret: pyrage.x25519.Identity) -> None:
    BackupKeys(key_file(tmp_path, secret)).encrypt(plain, tmp_path / "sealed")
    other = BackupKeys(key_file(tmp_path, pyrage.x25519.Identity.generate()))
    with pytest.raises(BackupRefused, match="damaged, or encrypted for another key"):
        other.decrypt(tmp_path / "sealed", tmp_path / "opened")


def test_flipped_byte_or_a_missing_end_is_refused(
    tmp_path: Path, plain: Path, secret: pyrage.x25519.Identity
) -> None:
    keys = BackupKeys(key_file(tmp_path, secret))
    keys.encrypt(plain, tmp_path / "sealed")
    whole = (tmp_path / "sealed").read_bytes()
    flipped = (
        whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        for place in (30, 100, len(whole) // 2, len(whole) - 1)
    )
    for number, damaged in enumerate((*flipped, whole[:-1], whole[: len(whole) // 2])):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(BackupRefused, match="damaged"):
            keys.decrypt(tmp_path / "damaged", tmp_path / f"opened{number}")


@pytest.mark.parametrize("lines", [[], ["# nothing"], ["a-passphrase"], ["age1nothing"]])
def test_file_without_a_key_is_refused_and_not_repeated(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(BackupRefused, match=r"BACKUP_KEY_FILE: .* age-keygen makes one") as refusal:
        BackupKeys(key_file(tmp_path, *lines))
    assert not any(line in str(refusal.value) for line in lines)
    with pytest.raises(BackupRefused, match="cannot be read"):
        BackupKeys(tmp_path / "none")


NOW = datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC)
OLD = (
    "blacklady-20260101T030000Z.zip",
    "blacklady-20260101T030000Z-2.zip",
    "blacklady-20260102T030000Z.zip.age",
    "blacklady-20260103T030000Z.zip",
)
FOREIGN = (
    "blacklady-20260101T030000Z.zip.txt",
    "blacklady-20260101T030000Z.zip.aged",
    "my-blacklady-20260101T030000Z.zip",
    "blacklady-2026.zip",
    "blacklady-before-the-move.zip",
    "notes.txt",
)


def names(place: Path) -> set[str]:
    return {path.name for path in place.iterdir()}


def test_only_the_newest_backups_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    for name in (*OLD, *FOREIGN):
        (tmp_path / name).touch()
    for name in OLD[:3]:
        (tmp_path / name.replace(".zip", ".key")).touch()
    (tmp_path / "blacklady-20250101T030000Z.zip").mkdir()
    (tmp_path / "blacklady-20250102T030000Z.zip").symlink_to(tmp_path / "notes.txt")
    before = names(tmp_path)
    removed = remove_old(tmp_path, keep=2)
    assert [path.name for path in removed] == list(OLD[:2])
    gone = before - names(tmp_path)
    assert gone == {*OLD[:2], *(name.replace(".zip", ".key") for name in OLD[:2])}
    assert remove_old(tmp_path, keep=9) == []


def test_second_backup_of_a_second_gets_a_name_of_its_own(tmp_path: Path) -> None:
    first = free_name(tmp_path, NOW)
    (tmp_path / f"{first}.key").touch()
    second = free_name(tmp_path, NOW)
    (tmp_path / f"{second}.zip.age").touch()
    found = [first, second, free_name(tmp_path, NOW)]
    base = "blacklady-20260301T030007Z"
    assert found == [base, f"{base}-2", f"{base}-3"]


def test_two_backups_do_not_write_to_one_directory(tmp_path: Path) -> None:
    with (
        reserved_directory(tmp_path / "backups"),
        pytest.raises(BackupRefused, match="Another backup is being written"),
        reserved_directory(tmp_path / "backups"),
    ):
        pass
    with reserved_directory(tmp_path / "backups"):
        pass


def test_what_a_killed_backup_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with staging_directory(tmp_path) as staging:
        left = tmp_path / f"{staging.name}0"
        left.mkdir()
        (left / "blacklady-20260101T030000Z.zip").touch()
    with reserved_directory(tmp_path):
        assert [name for name in names(tmp_path) if "unfinished" in name] == []
