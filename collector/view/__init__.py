"""What people see on a terminal: turns in the shape of `replay`, as tables and sentences."""
