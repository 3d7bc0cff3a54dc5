"""Keys of backups: which files are key files, and what opens an encrypted backup."""

from pathlib import Path

import pyrage
import pytest

from config.operation.backup.destination import BackupRefused
from config.operation.backup.encryption import BackupKeys, is_encrypted

CONTENT = b"the rows of a club " * 40


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
def test_file_without_a_key_is_refused_and_its_text_is_not_repeated(
    tmp_path: Path, lines: list[str]
) -> None:
    with pytest.raises(BackupRefused, match=r"BACKUP_KEY_FILE: .* age-keygen makes one") as refusal:
        BackupKeys(key_file(tmp_path, *lines))
    assert not any(line in str(refusal.value) for line in lines)


def test_key_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="cannot be read"):
        BackupKeys(tmp_path / "none")
