from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0001_first_house'),
    ]

    operations = [
        migrations.AddField(
            model_name='entrant',
            name='start_position',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.UniqueConstraint(fields=('event', 'start_position'), name='start_position_is_unique_in_its_event'),
        ),
        migrations.AddConstraint(
            model_name='entrant',
            constraint=models.CheckConstraint(condition=models.Q(('start_position__gte', 1)), name='start_positions_start_at_one'),
        ),
    ]
