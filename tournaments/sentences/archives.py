"""Sentences about archives of clubs."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "not_an_archive": _(
        "This file is not an archive of a club. Choose the zip file that Export club or "
        "export_club wrote."
    ),
    "archive_newer": _(
        "A later release wrote this archive (format {found}). Upgrade this installation, then "
        "import the file again."
    ),
    "archive_damaged": _(
        "The archive is damaged: {file} is not as it was written. Export the club again, or copy "
        "the file again. Nothing was stored."
    ),
    "archive_unsafe_name": _(
        "The archive has a file with a name that no export writes: {file}. Nothing was stored."
    ),
    "archive_too_large": _(
        "The files in this archive are larger than an export writes. Nothing was stored."
    ),
    "archive_differs": _(
        "The totals of the event {event} do not follow from its hands. The archive was changed "
        "after the export. Nothing was stored."
    ),
    "archive_slug_taken": _(
        "{slug} is the address of another club here. Import the club under another address."
    ),
    "archive_file_too_large": _(
        "The file has {found} MB. The maximum is {expected} MB. Ask the administrator of this "
        "site, who imports larger files with import_club."
    ),
    "club_import_running": _(
        "Import {number} of your account is running. Wait until it is done, then upload the next "
        "file."
    ),
    "club_import_moved_on": _("Import {number} has changed. Check its current state."),
    "unknown_club_import": _("There is no import {number} of your account here."),
    "import_of_club_ended": _(
        "The import stopped for too long, and its rows are being removed. Import the file again."
    ),
    "merge_of_archive": _(
        "The merge of {player} into {into} was made before the club was imported, and cannot be "
        "undone here."
    ),
}
