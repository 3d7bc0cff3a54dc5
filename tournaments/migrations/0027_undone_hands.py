from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


def cover_done_versions(apps, schema_editor):
    """Let the newest publication of each event cover the versions that brought no other bytes."""
    publication = apps.get_model('tournaments', 'Publication')
    dirty = apps.get_model('tournaments', 'Dirty')
    rows = dirty.objects.filter(scope__startswith='event:', under_review_since__isnull=True)
    for scope, done in rows.values_list('scope', 'done').iterator():
        published = publication.objects.filter(event=int(scope.partition(':')[2]))
        newest = published.order_by('-number').values_list('pk', flat=True).first()
        publication.objects.filter(pk=newest, version__lt=done).update(covers=done)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0026_dismissed_hints'),
    ]

    operations = [
        AddColumns(
            [
                migrations.AddField(
                    model_name='publication',
                    name='covers',
                    field=models.PositiveBigIntegerField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name='hand',
                    name='undone',
                    field=models.BooleanField(db_default=False, default=False),
                ),
            ]
        ),
        migrations.RunPython(cover_done_versions, migrations.RunPython.noop, elidable=False),
    ]
