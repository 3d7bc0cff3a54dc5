from django.db import migrations, models

CONTRACTS = {
    "attendance.attendance_state_is_known": "not stricter: it is the check of 0.6.0 with one more "
    "state, which 0.6.0 does not write",
}


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
