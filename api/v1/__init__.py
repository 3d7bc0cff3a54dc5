"""Version 1: the serializers and views, a module for each resource."""
