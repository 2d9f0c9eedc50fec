"""Prove the reader: what it finds, what it gets wrong, and where it stops finding."""
