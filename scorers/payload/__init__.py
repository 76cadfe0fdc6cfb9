"""What a tool result is made of: its format, its records and fields, and the forms it may take."""
