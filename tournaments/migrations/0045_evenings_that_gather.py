from django.db import migrations, models
from django.db.models import Exists, OuterRef, Q


def mark_dates_of_sheets(apps, schema_editor):
    """Mark the meetings that only a typed sheet, an import or a challenge's result made."""
    meetings = apps.get_model("tournaments", "Meeting").objects
    rounds = apps.get_model("tournaments", "Round").objects.filter(meeting=OuterRef("pk"))
    answers = apps.get_model("tournaments", "Attendance").objects.filter(meeting=OuterRef("pk"))
    plans = apps.get_model("tournaments", "SeatingPlan").objects.filter(meeting=OuterRef("pk"))
    requests = apps.get_model("tournaments", "FillInRequest").objects.filter(
        meeting=OuterRef("pk")
    )
    gathers = (
        Q(time__isnull=False)
        | ~Q(place="")
        | Q(changed_at__isnull=False)
        | Exists(answers)
        | Exists(plans)
        | Exists(requests)
        | Exists(rounds.filter(posted_at__isnull=False))
    )
    made_by_rounds = meetings.filter(Exists(rounds)).exclude(gathers)
    made_by_rounds.update(gathers=False)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0044_counting_of_publications'),
    ]

    operations = [
        migrations.AddField(
            model_name='meeting',
            name='gathers',
            field=models.BooleanField(db_default=True, default=True),
        ),
        migrations.RunPython(mark_dates_of_sheets, migrations.RunPython.noop, elidable=False),
    ]
