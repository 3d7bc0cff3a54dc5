"""Count events with pairs or teams again: a side that two of them share counts for neither now.

A worker does it; until then nothing of these events is published (services/recount.py).
"""

from django.db import migrations
from django.db.models import F


def mark_events(apps, schema_editor):
    """Mark each event in which pairs or teams compete."""
    dirty = apps.get_model("tournaments", "Dirty")
    entrants = apps.get_model("tournaments", "Entrant").objects.exclude(kind="player")
    events = entrants.order_by().values_list("event_id", flat=True).distinct()
    scopes = [f"recount:{event}" for event in events]
    for at in range(0, len(scopes), 500):
        some = scopes[at : at + 500]
        there = set(dirty.objects.filter(scope__in=some).values_list("scope", flat=True))
        dirty.objects.filter(scope__in=there).update(version=F("version") + 1, progress=None)
        dirty.objects.bulk_create(
            [dirty(scope=scope, version=1) for scope in some if scope not in there]
        )


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0031_rounds_of_an_imported_file")]

    operations = [migrations.RunPython(mark_events, migrations.RunPython.noop)]
