"""The edge: HTTP API, pages and sockets, with validation, middleware and rate limits."""
