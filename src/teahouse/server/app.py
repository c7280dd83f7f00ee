"""The web application."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.templating import Jinja2Templates
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Match

from teahouse.core.catalog import broken_games
from teahouse.server.accounts import (
    account_pages,
    data_routes,
    passkey_routes,
    security_routes,
    token_routes,
)
from teahouse.server.accounts import routes as account_routes
from teahouse.server.accounts.attempts import Attempts
from teahouse.server.accounts.challenges import Challenges
from teahouse.server.accounts.confirmation import Confirmations
from teahouse.server.accounts.deletion import AccountDeletion
from teahouse.server.accounts.open_sockets import OpenSockets
from teahouse.server.accounts.passwords import Passwords
from teahouse.server.accounts.sign_up_quota import SignUpQuota
from teahouse.server.correspondence import (
    conditional_routes,
    feed,
    notification_routes,
    waiting,
)
from teahouse.server.correspondence.services import Correspondence
from teahouse.server.lobby import routes as lobby_routes
from teahouse.server.lobby import socket as lobby_socket
from teahouse.server.lobby.lobby import Lobby
from teahouse.server.lobby.relations import Relations
from teahouse.server.moderation import operator_routes, relation_routes, reports
from teahouse.server.moderation import pages as moderation_pages
from teahouse.server.moderation.moderator import Moderator
from teahouse.server.operations import base_path, health, metrics
from teahouse.server.operations.gauges import ApplicationGauges, worker_pools
from teahouse.server.operations.requests import RequestMiddleware
from teahouse.server.operations.retention import Retention
from teahouse.server.operations.watchdog import Watchdog
from teahouse.server.profiles import routes as profile_routes
from teahouse.server.ratings import routes as rating_routes
from teahouse.server.ratings.service import Ratings
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.study import (
    analysis_socket,
    explanation_routes,
    lab_routes,
    lesson_routes,
    opening_routes,
    puzzle_routes,
    reviews,
    study_routes,
)
from teahouse.server.study.review_queue import Reviews
from teahouse.server.tables import socket as table_socket
from teahouse.server.tables.quota import TableQuota
from teahouse.server.tables.registry import Registry
from teahouse.server.tournaments import routes as tournament_routes
from teahouse.server.tournaments import socket as tournament_socket
from teahouse.server.tournaments.service import Tournaments
from teahouse.server.web import api, embed, pages, sharing
from teahouse.server.web.client_address import ClientAddressMiddleware, TrustedProxies
from teahouse.server.web.errors import ApiError
from teahouse.server.web.limits import Limits, LimitsMiddleware, RateLimitError
from teahouse.server.web.middleware import SecurityMiddleware
from teahouse.server.web.static_files import StaticFiles
from teahouse.server.web.validation import NOT_JSON, validation_error
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer

log = logging.getLogger("teahouse.server.app")

NO_PAGE = "There is no such page."
RETRY_AFTER = 5

ROUTERS = (
    api.router,
    health.router,
    account_routes.router,
    account_pages.router,
    passkey_routes.router,
    security_routes.router,
    data_routes.router,
    conditional_routes.router,
    feed.router,
    notification_routes.router,
    notification_routes.pages,
    waiting.router,
    waiting.pages,
    token_routes.router,
    explanation_routes.router,
    lab_routes.router,
    lesson_routes.router,
    embed.router,
    lobby_routes.router,
    lobby_socket.router,
    opening_routes.router,
    puzzle_routes.router,
    sharing.router,
    reviews.router,
    table_socket.router,
    analysis_socket.router,
    study_routes.router,
    tournament_routes.router,
    tournament_socket.router,
    moderation_pages.router,
    operator_routes.router,
    relation_routes.router,
    reports.router,
    rating_routes.router,
    rating_routes.pages,
    profile_routes.router,
    profile_routes.pages,
    pages.router,
)
"""The routes of each part; of two that fit a request, the first answers it."""


class Application(FastAPI):
    """Adds the schema of error responses to the OpenAPI description."""

    def openapi(self) -> dict[str, Any]:
        schema = super().openapi()
        schema["components"]["schemas"][api.ERROR_SCHEMA] = api.ErrorBody.model_json_schema()
        return schema


def create_app(settings: ServerSettings | None = None, store: Store | None = None) -> FastAPI:
    """Return the ASGI application; it starts and stops with the server's lifespan."""
    chosen = settings or ServerSettings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        for broken in broken_games():
            log.warning("%s", broken.message)
        opened = store or Store(chosen.database)
        opened.start()
        state = app.state
        for shared in (
            state.open_sockets,
            state.sign_in_attempts,
            state.challenges,
            state.confirmations,
        ):
            shared.replicate(opened.notifications, opened.publish)
        bots = Bots(chosen)
        renderer = Renderer(chosen.renderers)
        jobs = JobPool()
        registry = Registry(chosen, opened, bots, renderer, jobs)
        app.state.registry = registry
        app.state.reviews = Reviews(opened, bots, jobs, registry.fair_play)
        counts = opening_routes.OpeningCounts(opened, jobs, registry.game_finished)
        app.state.ratings = ratings = Ratings(registry)
        app.state.lobby = lobby = Lobby(registry, app.state.table_quota, Relations(opened, ratings))
        app.state.correspondence = correspondence = Correspondence(registry)
        lobby.on_direct_challenge = correspondence.on_challenge
        app.state.tournaments = tournaments = Tournaments(registry, correspondence.notices)
        app.state.account_deletion = deletion = AccountDeletion(
            registry,
            app.state.open_sockets,
            ratings,
            (tournaments.on_account_deleted, lobby.on_account_deleted),
        )
        app.state.moderator = moderator = Moderator(
            registry, app.state.open_sockets, lobby, tournaments.rename
        )
        app.state.watchdog = watchdog = Watchdog()
        app.state.retention = retention = Retention(registry, chosen)
        readiness: health.Readiness = app.state.readiness
        gauges = ApplicationGauges(registry, opened, bots, renderer, app.state.reviews)
        collector = metrics.GaugeCollector(gauges)
        metrics.REGISTRY.register(collector)
        try:
            watchdog.start()
            bots.start()
            jobs.start()
            _build_routes(app)
            await registry.start()
            app.state.reviews.start()
            counts.start()
            await ratings.start()
            await lobby.start()
            await correspondence.start()
            await tournaments.start()
            await deletion.start()
            await moderator.start()
            retention.start()
            readiness.started(opened, worker_pools(bots, renderer, jobs))
            yield
        finally:
            readiness.drain()
            metrics.REGISTRY.unregister(collector)
            await retention.close()
            await moderator.close()
            await deletion.close()
            await tournaments.close()
            await correspondence.close()
            await lobby.close()
            await ratings.close()
            await counts.close()
            await app.state.reviews.close()
            await registry.close()
            await bots.close()
            await renderer.close()
            await jobs.close()
            await opened.close()
            await watchdog.close()
            app.state.passwords.close()

    app = Application(
        title="Teahouse",
        description="docs/protocol.md describes the protocol.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,  # `api.py` has it
    )
    base = base_path.normalize(chosen.base_path)
    app.state.base_path = base
    app.state.templates = Jinja2Templates(
        directory=chosen.templates, context_processors=[sharing.page_context]
    )
    app.state.templates.env.globals["base"] = base
    app.state.templates.env.add_extension(base_path.SiteLinks)
    app.state.openapi = None
    app.state.lesson_steps = {}
    app.state.lab_pages = OrderedDict()
    app.state.pictures = sharing.Pictures()
    app.state.settings = chosen
    app.state.readiness = health.Readiness()
    app.state.constant_pages = OrderedDict()
    app.state.waiting_boards = waiting.WaitingBoards()
    app.state.limits = limits = Limits(chosen)
    app.state.table_quota = TableQuota(chosen)
    app.state.passwords = Passwords(chosen.password_memory)
    app.state.sign_in_attempts = Attempts()
    app.state.sign_up_quota = SignUpQuota(chosen.max_accounts_per_address)
    app.state.open_sockets = OpenSockets()
    app.state.report_quota = reports.ReportQuota(chosen.max_reports_a_day)
    app.state.challenges = Challenges()
    app.state.confirmations = Confirmations()
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", StaticFiles(chosen.static), name="static")
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    app.add_middleware(LimitsMiddleware, limits=limits)
    app.add_middleware(SecurityMiddleware, settings=chosen)
    proxies = TrustedProxies(chosen.trusted_proxies, chosen.proxy_header)
    app.add_middleware(ClientAddressMiddleware, proxies=proxies)
    app.add_middleware(RequestMiddleware)
    app.add_middleware(base_path.BasePathMiddleware, base_path=base)
    app.add_exception_handler(ApiError, _handle_api_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid)
    app.add_exception_handler(HTTPException, _handle_http)
    app.add_exception_handler(StoreError, _handle_store_error)
    app.add_exception_handler(Exception, _handle_unexpected)
    return app


def _build_routes(app: FastAPI) -> None:
    """Let FastAPI build its routes now instead of with the first request."""
    scope = {"type": "http", "method": "GET", "path": "/", "root_path": "", "headers": []}
    for route in app.routes:
        route.matches(scope)


def _respond(request: Request, error: ApiError) -> Response:
    """Return JSON under /api and a page elsewhere."""
    if not request.url.path.startswith(("/api/", "/static/")):
        return pages.error_page(request, error)
    wait = error.retry_after if isinstance(error, RateLimitError) else RETRY_AFTER
    headers = {"Retry-After": str(wait)} if error.status in (429, 503) else None
    return JSONResponse(error.body, error.status, headers)


async def _handle_api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return _respond(request, error)


async def _handle_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    if all(one["loc"][0] == "path" for one in errors) and not request.url.path.startswith("/api/"):
        return _respond(request, ApiError("not_found", NO_PAGE))
    return _respond(request, validation_error(errors))


async def _handle_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: "not_found", 405: "method_not_allowed"}
    if error.status_code == 400:  # FastAPI cannot decode the body, or it is nested too deeply
        return _respond(request, ApiError("invalid", NOT_JSON))
    message = NO_PAGE if error.status_code == 404 else f"{error.detail}."
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = _allowed_methods(request) or headers.get("Allow", "")
        message = f"Method {request.method} is not allowed here; allowed: {headers['Allow']}."
    response = _respond(request, ApiError(codes.get(error.status_code, "invalid"), message))
    response.status_code = error.status_code
    response.headers.update(headers)
    return response


def _allowed_methods(request: Request) -> str:
    """Return the methods of all routes for a path; an error of the router names those of one."""
    scopes = {method: {**request.scope, "method": method} for method in ("GET", "POST")}
    return ", ".join(
        method
        for method, scope in scopes.items()
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes)
    )


async def _handle_store_error(request: Request, error: Exception) -> Response:
    log.error("A request failed because of the database: %s", error)
    message = "The database is not available right now. Please try again."
    return _respond(request, ApiError("busy", message))


async def _handle_unexpected(request: Request, error: Exception) -> Response:
    return _respond(request, ApiError("internal", "Internal server error. It has been logged."))
