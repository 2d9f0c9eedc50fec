"""The referee of a euchre table: rules, facts, the log and the state they fold into.

Standard library only. The engine knows nothing of cameras, pins or web pages.
"""
