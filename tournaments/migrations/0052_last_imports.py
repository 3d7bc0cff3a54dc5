from django.db import migrations, models
from django.db.models import Max


def note_last_imports(apps, schema_editor):
    """Store the highest number of an import for each event that has one."""
    events = apps.get_model("tournaments", "Event").objects
    batches = apps.get_model("tournaments", "ImportBatch").objects
    numbers = batches.values("event").annotate(last=Max("number")).order_by("event")
    for event_id, last in numbers.values_list("event", "last"):
        events.filter(pk=event_id).update(last_import=last)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0051_names_of_players'),
    ]

    operations = [
        migrations.AddField(
            model_name='event',
            name='last_import',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(note_last_imports, migrations.RunPython.noop, elidable=False),
    ]
