"""OpenTelemetry traces of requests and of the database, if `OTEL_*` asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import sqlalchemy as sa
from fastapi import FastAPI

import teahouse
from teahouse.core.extras import install_command
from teahouse.server.storage.lock import StartupError

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
EXPORTER = "OTEL_TRACES_EXPORTER"
"""`otlp` by default; `console` prints traces, `none` switches them off."""
EXPORTERS = ("otlp", "console", "none")
UNTRACED = "healthz,readyz,static/,feed/,email/"
"""Paths that are not traced: static files, and those that contain a key."""


def tracing_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether traces are to be sent."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return False
    exporter = environment.get(EXPORTER)
    if exporter is not None and exporter not in EXPORTERS:
        raise StartupError(f"Unknown {EXPORTER} {exporter!r}; exporters: {', '.join(EXPORTERS)}.")
    named = any(environment.get(name) for name in ENDPOINTS)
    return exporter != "none" and (exporter is not None or named)


def start_tracing(app: FastAPI, engine: sa.Engine) -> Callable[[], None] | None:
    """Trace the requests of an application and its statements, if `OTEL_*` is set.

    Return what to call at the end, to send what is left.
    """
    if not tracing_wanted():
        return None
    try:
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
        from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import (
            BatchSpanProcessor,
            ConsoleSpanExporter,
            SimpleSpanProcessor,
        )
    except ModuleNotFoundError as missing:
        message = f"OTEL_* is set, but {missing}; traces need: {install_command('otel')}"
        raise StartupError(message) from None
    resource = Resource.create(
        {
            "service.name": os.environ.get("OTEL_SERVICE_NAME", "teahouse"),
            "service.version": teahouse.__version__,
        }
    )
    provider = TracerProvider(resource=resource)
    if os.environ.get(EXPORTER) == "console":
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    FastAPIInstrumentor.instrument_app(
        app, tracer_provider=provider, excluded_urls=UNTRACED, exclude_spans=["receive", "send"]
    )
    SQLAlchemyInstrumentor().instrument(
        engine=engine,
        tracer_provider=provider,
        skip_dep_check=True,  # it works with SQLAlchemy 2.1, but does not declare that
    )
    return provider.shutdown
