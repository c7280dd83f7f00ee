"""Tables: rooms in memory, their events in the database, their clients, clocks and bots."""
