"""Running a server: health checks, metrics, logs, traces, backups, retention, diagnosis."""
