"""The shuffler: its passes, who may start them, the pin that touches it."""
