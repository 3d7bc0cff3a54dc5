from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0007_problems_settled_in_place'),
    ]

    operations = [
        migrations.AddField(
            model_name='aggregate',
            name='uncounted',
            field=models.IntegerField(default=0),
        ),
        migrations.AddField(
            model_name='contribution',
            name='uncounted',
            field=models.IntegerField(default=0),
        ),
    ]
