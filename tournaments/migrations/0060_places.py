from django.db import migrations, models


class Migration(migrations.Migration):
    """Let an evening have a number of places, and who answers later wait for one.

    The check of the states goes here, and 0061 adds the one that knows who waits: the release
    before this one writes rows that satisfy both.
    """

    dependencies = [
        ('tournaments', '0059_excused_evenings'),
    ]

    operations = [
        migrations.AddField(
            model_name='meeting',
            name='capacity',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.RemoveConstraint(
            model_name='attendance',
            name='attendance_state_is_known',
        ),
        migrations.AlterField(
            model_name='attendance',
            name='answer',
            field=models.CharField(blank=True, choices=[('expected', 'Expected'), ('here', 'Here'), ('late', 'Late'), ('left', 'Left'), ('absent', 'Absent'), ('waiting', 'Waiting')], default='', max_length=8),
        ),
        migrations.AlterField(
            model_name='attendance',
            name='state',
            field=models.CharField(choices=[('expected', 'Expected'), ('here', 'Here'), ('late', 'Late'), ('left', 'Left'), ('absent', 'Absent'), ('waiting', 'Waiting')], default='expected', max_length=8),
        ),
    ]
