import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Let a publication be the result of an evening.

    The check of the owners goes here, and 0056 adds the one that knows the new owner: the release
    before this one writes rows that satisfy both.
    """

    dependencies = [
        ('tournaments', '0054_ended_evenings'),
    ]

    operations = [
        migrations.AddField(
            model_name='publication',
            name='meeting',
            field=models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='results', to='tournaments.meeting'),
        ),
        migrations.RemoveConstraint(
            model_name='publication',
            name='publication_is_of_one_event_season_or_ladder',
        ),
        migrations.AddConstraint(
            model_name='publication',
            constraint=models.UniqueConstraint(condition=models.Q(('meeting__isnull', False)), fields=('meeting', 'number'), name='publication_number_is_unique_in_its_meeting'),
        ),
        migrations.AlterField(
            model_name='meeting',
            name='ended_by',
            field=models.CharField(blank=True, choices=[('person', 'Person'), ('hour', 'Hour'), ('noon', 'Noon'), ('record', 'Record')], db_default='', default='', max_length=8),
        ),
    ]
