"""Rooms of the lexical reader: what a text says about itself, without a model."""
