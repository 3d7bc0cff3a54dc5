from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0042_worker_without_process'),
    ]

    operations = [
        migrations.AddField(
            model_name='token',
            name='made_with_factor',
            field=models.BooleanField(blank=True, null=True),
        ),
    ]
