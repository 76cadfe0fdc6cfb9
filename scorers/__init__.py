"""Pure measurement of agent turns: what a scorer's author reads and installs."""
