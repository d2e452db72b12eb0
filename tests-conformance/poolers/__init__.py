"""Poolers that lend a connection to PostgreSQL for one transaction."""
