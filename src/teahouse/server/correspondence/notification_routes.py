"""The HTTP API of notifications and vacations: an account's own settings."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Request
from fastapi.responses import Response
from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from teahouse.server.accounts.identity import SignedIn
from teahouse.server.correspondence import email_settings
from teahouse.server.correspondence.email_settings import DEFAULT_KINDS, DEFAULT_MINUTES
from teahouse.server.correspondence.mailer import Mailer
from teahouse.server.correspondence.notices import Kind
from teahouse.server.correspondence.services import Correspondence
from teahouse.server.correspondence.smtp import is_address
from teahouse.server.tables.seat_keys import new_secret
from teahouse.server.web import api
from teahouse.server.web import messages as ms
from teahouse.server.web.api import RegistryDep
from teahouse.server.web.errors import ApiError
from teahouse.server.web.pages import constant_page

router = APIRouter(prefix="/api", responses=api.router.responses)
pages = APIRouter(include_in_schema=False)

Minutes = Literal[0, 5, 15, 60, 240, 1440]
KeyPath = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22,64}$")]


def _address(text: str) -> str:
    if not is_address(text):
        raise PydanticCustomError("custom", "This is not an e-mail address.")
    return text


class EmailIn(ms.StrictModel):
    """An address that is going to be verified; None removes the address."""

    address: Annotated[str, Field(max_length=300), AfterValidator(_address)] | None


class MailIn(ms.StrictModel):
    """Which notices are mailed, and after how many minutes offline."""

    kinds: Annotated[list[Kind], Field(max_length=10)]
    minutes: Minutes


class KeyIn(ms.StrictModel):
    """The key of a link in an e-mail."""

    key: ms.Secret


class VacationIn(ms.StrictModel):
    """Days of vacation from now on; 0 ends it."""

    days: Annotated[int, Field(ge=0, le=365)]


def _services(request: Request) -> Correspondence:
    services: Correspondence = request.app.state.correspondence
    return services


def _mailer(request: Request) -> Mailer:
    mailer = _services(request).mailer
    if mailer is None:
        raise ApiError("not_found", "This server sends no e-mail.")
    return mailer


@router.get("/notifications")
async def notifications(
    account: SignedIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Return the notification settings and the vacation of an account."""
    found = await registry.store.read(partial(email_settings.get, account_id=account.id))
    email = {
        "address": found and found.email,
        "verified": bool(found and found.verified),
        "kinds": list(found.kinds if found else DEFAULT_KINDS),
        "minutes": found.minutes if found else DEFAULT_MINUTES,
    }
    services = _services(request)
    return {
        "feed": bool(found and found.has_feed),
        "email": email if services.mailer else None,
        "vacation": await services.vacations.describe(account.id),
    }


@router.post("/notifications/feed", status_code=201)
async def new_feed(account: SignedIn, registry: RegistryDep) -> dict[str, str]:
    """Return a new address of the account's feed; an earlier one no longer works."""
    key = new_secret()
    await registry.store.write(partial(email_settings.set_feed, account_id=account.id, key=key))
    return {"path": f"/feed/{key}.atom"}


@router.post("/notifications/feed/revoke")
async def revoke_feed(account: SignedIn, registry: RegistryDep) -> dict[str, bool]:
    """Revoke the address of the account's feed."""
    await registry.store.write(partial(email_settings.set_feed, account_id=account.id, key=None))
    return {"feed": False}


@router.post("/notifications/email")
async def set_email(
    body: EmailIn, account: SignedIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Set the account's e-mail address, and send a link that verifies it; or remove it."""
    mailer = _mailer(request)
    if body.address is not None:
        await mailer.verify(account.id, account.name, body.address)
    else:
        now = registry.store.now().wall
        remove = partial(
            email_settings.set_email, account_id=account.id, address=None, key=None, now=now
        )
        await registry.store.write(remove)
    return {"address": body.address, "verified": False}


@router.post("/notifications/mail")
async def set_mail(
    body: MailIn, account: SignedIn, request: Request, registry: RegistryDep
) -> dict[str, Any]:
    """Set which notices are mailed."""
    _mailer(request)
    kinds = list(dict.fromkeys(body.kinds))
    change = partial(
        email_settings.set_mail, account_id=account.id, kinds=kinds, minutes=body.minutes
    )
    await registry.store.write(change)
    return {"kinds": kinds, "minutes": body.minutes}


@router.post("/email/confirm")
async def confirm_email(body: KeyIn, registry: RegistryDep) -> dict[str, str]:
    """Verify an e-mail address by the key that was sent to it."""
    now = registry.store.now().wall
    address = await registry.store.write(partial(email_settings.verify, key=body.key, now=now))
    if address is None:
        message = "This link is not valid any more. Ask for a new one in your account."
        raise ApiError("not_found", message)
    return {"address": address}


@router.post("/email/unsubscribe/{key}")
async def unsubscribe(key: KeyPath, registry: RegistryDep) -> dict[str, bool]:
    """Stop all e-mail to an account. Mail programs post to this with one click (RFC 8058)."""
    if not await registry.store.write(partial(email_settings.unsubscribe, key=key)):
        raise ApiError("not_found", "This link is not valid any more.")
    return {"unsubscribed": True}


@router.post("/vacation")
async def vacation(body: VacationIn, account: SignedIn, request: Request) -> dict[str, Any]:
    """Start a vacation, change its end, or end it."""
    vacations = _services(request).vacations
    if body.days:
        await vacations.begin(account.id, body.days)
    else:
        await vacations.end(account.id)
    return await vacations.describe(account.id)


@pages.get("/account/notifications")
async def notifications_page(request: Request) -> Response:
    """Show the notification settings; a script fills them in."""
    return await constant_page(request, "account_notifications.html")


@pages.get("/email/confirm")
async def confirm_page(request: Request) -> Response:
    """Confirm an address: the key is in the fragment, which only the script sends."""
    _mailer(request)
    return await constant_page(request, "email_confirm.html")


@pages.get("/email/unsubscribe")
async def unsubscribe_page(request: Request) -> Response:
    """Unsubscribe: the key is in the fragment."""
    _mailer(request)
    return await constant_page(request, "email_unsubscribe.html")
