"""The house on the web: tables where people and bots play, over HTTP and WebSockets."""
