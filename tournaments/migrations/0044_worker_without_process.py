from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0038_names_of_models"),
    ]

    operations = [
        migrations.AddField(
            model_name="heartbeat",
            name="without_process_since",
            field=models.DateTimeField(null=True),
        ),
    ]
