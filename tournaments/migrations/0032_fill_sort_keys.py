import re
import unicodedata

from django.db import migrations, transaction

SAME = str.maketrans(
    dict.fromkeys("'’‘‛ʼʻʹʾʿ`´′＇", None) | dict.fromkeys("‐‑‒–—−", "-")
)
PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŋ": "n"}
)
AT_ONCE = 500


def sort_key(name):
    """Return the key that `tournaments.domain.name_matching.sort_key` made in this release."""
    text = unicodedata.normalize("NFKC", name.translate(SAME)).casefold()
    text = unicodedata.normalize("NFKC", text).translate(SAME)
    plain = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text)).translate(PLAIN)
    return (" ".join(unicodedata.normalize("NFC", plain).split()) or name)[:120].rstrip()


def fill_sort_keys(apps, schema_editor):
    """Give each player a sort key, some at a time; a worker does it for those that come later."""
    players = apps.get_model("tournaments", "Player").objects.using(schema_editor.connection.alias)
    last = 0
    while True:
        with transaction.atomic(schema_editor.connection.alias):
            rows = players.select_for_update().filter(pk__gt=last, sort_key="").order_by("pk")
            batch = list(rows.only("pk", "name", "is_compared")[:AT_ONCE])
            for player in batch:
                player.sort_key = sort_key(player.name)
                is_plain = re.fullmatch(r"[A-Za-z0-9 .-]*", player.name)
                player.is_compared &= is_plain is not None  # others are found by more spellings
            players.bulk_update(batch, ["sort_key", "is_compared"])
        if not batch:
            return
        last = batch[-1].pk


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('tournaments', '0031_sort_keys'),
    ]

    operations = [
        migrations.RunPython(fill_sort_keys, migrations.RunPython.noop, elidable=False),
    ]
