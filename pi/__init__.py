"""The kit itself: drivers, the simulated table, the wiring and the command line."""
