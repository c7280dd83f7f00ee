"""The web application, put together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from teahouse.server import api, pages, sockets
from teahouse.server.bots import Bots
from teahouse.server.errors import Refused, malformed
from teahouse.server.middleware import Buckets, Safety
from teahouse.server.registry import House
from teahouse.server.renderer import Painter
from teahouse.server.settings import Settings
from teahouse.server.store import Store, StoreError

log = logging.getLogger("teahouse.app")


def create_app(settings: Settings | None = None, opened: Store | None = None) -> FastAPI:
    """The house as an ASGI application; it opens and closes with the server's lifespan."""
    chosen = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = opened or Store(chosen.database)
        store.start()
        bots = Bots(chosen.workers, chosen.max_thoughts, chosen.hint_seconds)
        painter = Painter(chosen.painters)
        house = House(chosen, store, bots, painter)
        app.state.house = house
        try:
            await house.open()
            yield
        finally:
            await house.close()
            await bots.close()
            await painter.close()
            await store.close()

    app = FastAPI(
        title="Teahouse",
        description="The house's protocol is told in docs/protocol.md.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.templates = Jinja2Templates(directory=chosen.pages)
    app.state.buckets = Buckets(chosen.request_rate, 10 * chosen.request_rate)
    app.include_router(api.router)
    app.include_router(sockets.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(directory=chosen.static), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    app.add_middleware(Safety, settings=chosen)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(StoreError, _no_store)
    app.add_exception_handler(Exception, _broken)
    return app


def _answer(request: Request, refused: Refused) -> Response:
    """For programs under /api, for people elsewhere."""
    if not request.url.path.startswith(("/api/", "/static/")):
        return pages.error_page(request, refused)
    headers = {"Retry-After": "5"} if refused.status in (429, 503) else None
    return JSONResponse(refused.body, refused.status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _answer(request, error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _answer(request, malformed(error.errors()))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = {404: "missing", 405: "method"}.get(error.status_code, "invalid")
    response = _answer(request, Refused(code, str(error.detail)))
    response.status_code = error.status_code
    response.headers.update(error.headers or {})
    return response


async def _no_store(request: Request, error: Exception) -> Response:
    log.error("a request could not be followed: %s", error)
    return _answer(request, Refused("busy", "the house cannot reach its games just now; try again"))


async def _broken(request: Request, error: Exception) -> Response:
    return _answer(
        request, Refused("broken", "something is wrong with the house; it has been noted")
    )
