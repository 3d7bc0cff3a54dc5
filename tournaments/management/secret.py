"""A password that is made once and kept in a file for its owner's eyes."""

import os
import secrets
from pathlib import Path


def stored_password(file: Path) -> str:
    """Return the password in `file`; make a random one where there is no such file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(secrets.token_urlsafe(12), encoding="ascii")
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # made by an earlier run
    finally:
        draft.unlink()
    return file.read_text(encoding="ascii").strip()
