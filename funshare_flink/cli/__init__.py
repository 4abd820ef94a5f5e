"""Thin commands: parse arguments, call the wiring, print one object. Ban: no logic worth a test of its own."""
