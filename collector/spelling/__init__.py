"""What dialects share: the spellings, envelopes and habits of instrumentation libraries.

A room that two dialects need stands here, since dialects never import each other.
"""
