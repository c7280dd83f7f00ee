"""Static files from memory: no file is opened for a request, and each is compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MIN_COMPRESSED = 1_000
METHODS = ("GET", "HEAD")
COMPRESSED = ("font/woff2", "image/png")
"""Types of content that is compressed already."""


@dataclass(frozen=True)
class StaticFile:
    """A file and its headers."""

    content: bytes
    compressed: bytes | None
    media_type: str
    etag: str

    @classmethod
    def create(cls, content: bytes, media_type: str) -> StaticFile:
        """Compress some content."""
        worthwhile = len(content) >= MIN_COMPRESSED and not media_type.startswith(COMPRESSED)
        compressed = gzip.compress(content, mtime=0) if worthwhile else None
        etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        return cls(content, compressed, media_type, etag)

    @classmethod
    def read(cls, path: Path) -> StaticFile:
        """Read a file."""
        media_type, _ = mimetypes.guess_type(path.name)
        return cls.create(path.read_bytes(), media_type or "application/octet-stream")

    def response(self, headers: Headers) -> Response:
        """Return the response to a request with some headers."""
        own = {"ETag": self.etag, "Vary": "Accept-Encoding"}
        if self.etag in headers.get("if-none-match", ""):
            return Response(status_code=304, headers=own)
        if self.compressed is not None and "gzip" in headers.get("accept-encoding", ""):
            own["Content-Encoding"] = "gzip"
            return Response(self.compressed, media_type=self.media_type, headers=own)
        return Response(self.content, media_type=self.media_type, headers=own)


class StaticFiles:
    """An ASGI application that serves all files of a folder, as they were when it started."""

    def __init__(self, folder: Path) -> None:
        self._files = {
            path.relative_to(folder).as_posix(): StaticFile.read(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in METHODS:
            raise HTTPException(405, headers={"Allow": ", ".join(METHODS)})
        path = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
        file = self._files.get(path)
        if file is None:
            raise HTTPException(404)
        await file.response(Headers(scope=scope))(scope, receive, send)
