"""Work outside the event loop, in processes: searches, drawings, jobs on texts from outside."""
