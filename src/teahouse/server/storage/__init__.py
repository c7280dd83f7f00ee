"""The server's state: schema, connections, the writer, clocks and notifications."""
