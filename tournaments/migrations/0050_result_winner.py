from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0049_moves_of_hands'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='result_won_by',
            field=models.CharField(blank=True, db_default='', default='', max_length=10),
        ),
    ]
