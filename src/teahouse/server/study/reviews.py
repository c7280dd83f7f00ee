"""Reviews of finished games: the page and the HTTP API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.templating import Jinja2Templates

from teahouse.search.review import HALVING_LOSS, THRESHOLDS
from teahouse.server.study.review_queue import NOT_FOUND, Reviews
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep, TableId, flow_of
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import to_json

router = APIRouter(responses=api.router.responses)


class ReviewIn(ms.StrictModel):
    """A record to review."""

    record: ms.TableId


class RetryIn(ms.StrictModel):
    """Another move in a position of a reviewed game."""

    ply: ms.Ply
    move: ms.MoveText


def get_reviews(request: Request) -> Reviews:
    """Return the reviews of the application."""
    reviews: Reviews = request.app.state.reviews
    return reviews


ReviewsDep = Annotated[Reviews, Depends(get_reviews)]
Since = Annotated[int | None, Query(ge=0, le=1 << 40)]


def _json(body: dict[str, Any], status: int = 200) -> Response:
    return Response(to_json(body), status, media_type="application/json")


@router.post("/api/reviews", status_code=202)
async def start_review(body: ReviewIn, request: Request, reviews: ReviewsDep) -> Response:
    """Start the review of a stored record, or join the one in progress."""
    game = await reviews.request(body.record, flow_of(request).address)
    return _json(await reviews.payload(game, None), 202)


@router.get("/api/reviews/{record_id}")
async def read_review(
    record_id: TableId, request: Request, reviews: ReviewsDep, since: Since = None
) -> Response:
    """Return a review as far as it is computed; without it if it has not changed since."""
    game = await reviews.get(record_id, flow_of(request).address)
    return _json(await reviews.payload(game, since))


@router.post("/api/reviews/{record_id}/retry")
async def retry(
    record_id: TableId, body: RetryIn, request: Request, reviews: ReviewsDep
) -> Response:
    """Grade another move in a position of a reviewed game."""
    graded = await reviews.retry(record_id, body.ply, body.move, flow_of(request))
    return _json({"grade": graded.grade, "loss": graded.loss})


@router.get("/review/{record_id}", include_in_schema=False, response_class=HTMLResponse)
async def review_page(request: Request, record_id: TableId, registry: RegistryDep) -> Response:
    """Show the review of a record."""
    text = await registry.store.record(record_id)
    if text is None:
        raise ApiError("not_found", NOT_FOUND)
    explored = await registry.jobs.record_page(record_id, text, flow_of(request).address)
    templates: Jinja2Templates = request.app.state.templates
    context = {
        "id": record_id,
        "record": text,
        "explored": explored,
        "thresholds": {grade: round(100 * value) for grade, value in THRESHOLDS.items()},
        "halving": round(100 * HALVING_LOSS),
    }
    return templates.TemplateResponse(request, "review.html", context)
