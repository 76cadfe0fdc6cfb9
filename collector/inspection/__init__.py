"""What a team's own telemetry lets Tellback see, and what to switch on to see the rest."""
