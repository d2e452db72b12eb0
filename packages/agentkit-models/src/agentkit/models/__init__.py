"""Model clients, the registry that picks one, and what they cost."""
