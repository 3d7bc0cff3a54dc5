from django.db import migrations, models


class Migration(migrations.Migration):
    """Add the check of the states that 0060 took away, with the one of who waits."""

    dependencies = [
        ('tournaments', '0060_places'),
    ]

    operations = [
        migrations.AddConstraint(
            model_name='attendance',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['expected', 'here', 'late', 'left', 'absent', 'waiting'])), name='attendance_state_is_known'),
        ),
    ]
