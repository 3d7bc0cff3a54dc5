from datetime import timedelta

from django.db import migrations, models
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

RECENT = timedelta(days=4)
"""Older evenings are ended by a sweep, which makes no results of them either."""


def end_recent_evenings(apps, schema_editor):
    """End the evenings of the last days whose rounds are all closed.

    The release before this one sent their results; the noon of the day of the upgrade must not
    announce them again.
    """
    first = (timezone.now() - RECENT).date()  # noqa: TID251 - a migration is given no time
    rounds = apps.get_model("tournaments", "Round").objects.exclude(state="draft")
    meetings = apps.get_model("tournaments", "Meeting").objects
    of_meeting = rounds.filter(meeting=OuterRef("pk"))
    over = meetings.filter(
        Exists(of_meeting),
        ~Exists(of_meeting.filter(closed_at=None)),
        ended_at=None,
        date__gte=first,
    )
    for pk in tuple(over.values_list("pk", flat=True)):
        closed_at = rounds.filter(meeting=pk).aggregate(at=Max("closed_at"))["at"]
        meetings.filter(pk=pk).update(ended_at=closed_at, ended_by="record")


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0055_results_of_evenings'),
    ]

    operations = [
        migrations.AddConstraint(
            model_name='publication',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('event__isnull', False), ('ladder__isnull', True), ('meeting__isnull', True), ('season__isnull', True)), models.Q(('event__isnull', True), ('ladder__isnull', True), ('meeting__isnull', True), ('season__isnull', False)), models.Q(('event__isnull', True), ('ladder__isnull', False), ('meeting__isnull', True), ('season__isnull', True)), models.Q(('event__isnull', True), ('ladder__isnull', True), ('meeting__isnull', False), ('season__isnull', True)), _connector='OR'), name='publication_has_one_owner'),
        ),
        migrations.AddIndex(
            model_name='meeting',
            index=models.Index(condition=models.Q(('ended_at__isnull', True)), fields=['date'], name='meetings_without_an_end'),
        ),
        migrations.RunPython(end_recent_evenings, migrations.RunPython.noop, elidable=False),
    ]
