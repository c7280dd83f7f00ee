"""Worker processes outside the event loop: searches, rendering, jobs on uploaded texts."""
