"""The tools of `tools_server.py`, whose library tells of every request it serves: OTEL_EXPORTER_OTLP_ENDPOINT says to whom."""

import runpy
from pathlib import Path

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
runpy.run_path(str(Path(__file__).with_name("tools_server.py")), run_name="__main__")
