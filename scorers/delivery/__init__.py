"""How much of a produced tool result was delivered: evidence, then the verdict."""
