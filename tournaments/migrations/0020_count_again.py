"""Count every event again: contributions have place points and an index since 0017.

A worker does it; until then nothing of these events is published (services/recount.py).
"""

from django.db import migrations, models


def mark_events(apps, schema_editor):
    """Mark each event that has contributions, in one statement that reads and few that write."""
    dirty = apps.get_model("tournaments", "Dirty")
    contributions = apps.get_model("tournaments", "Contribution")
    events = contributions.objects.order_by().values_list("event_id", flat=True).distinct()
    dirty.objects.bulk_create(
        [dirty(scope=f"recount:{event}", version=1) for event in events],
        batch_size=1000,
        ignore_conflicts=True,
    )


def forget(apps, schema_editor):
    """What is counted again already does no harm to an older release; the marks do."""
    apps.get_model("tournaments", "Dirty").objects.filter(scope__startswith="recount:").delete()


class Migration(migrations.Migration):

    dependencies = [("tournaments", "0019_sheets_with_totals_only")]

    operations = [
        migrations.AddField(
            model_name="dirty",
            name="progress",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.RunPython(mark_events, forget),
    ]
