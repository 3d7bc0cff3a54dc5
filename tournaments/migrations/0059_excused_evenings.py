from django.db import migrations, models

from tournaments.migrations._add_columns import AddColumns


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0058_guests_and_shared_tables'),
    ]

    operations = [
        AddColumns([
            migrations.AddField(
                model_name='attendance',
                name='answered_at',
                field=models.DateTimeField(blank=True, null=True),
            ),
            migrations.AddField(
                model_name='attendance',
                name='excused',
                field=models.BooleanField(blank=True, null=True),
            ),
        ]),
    ]
