"""Values and messages as instrumentation writes them, decoded to text and `Message`s.

The same key holds a plain text, JSON, JSON inside JSON, a Python repr, a framework's constructor
wrapper or an OTLP map, depending on library and version. The dialects share this one decoder, so
that the same text comes out of all of them.
"""
