"""The web server: tables where people and bots play, over HTTP and WebSockets."""
