"""The edge: HTTP, pages and sockets, what is validated, limited and charged there."""
