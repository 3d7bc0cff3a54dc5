"""Publish every season again: in its table an entrant is the set of its players now."""

from django.db import migrations
from django.db.models import F


def mark_seasons(apps, schema_editor):
    rows = apps.get_model("tournaments", "Dirty").objects.filter(scope__startswith="season:")
    rows.update(version=F("version") + 1, due_at=None, attempts=0, parked=False, error="")


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0027_tables_that_imports_made")]

    operations = [migrations.RunPython(mark_seasons, migrations.RunPython.noop)]
