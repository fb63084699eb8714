"""Keeps the spans that a collector hands on as OTLP in protobuf, and gives them as JSON. PORT says where; GET /spans?trace=ID&count=N waits for so many."""

import gzip
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

spans = []
news = threading.Condition()
KINDS = {1: "internal", 2: "server", 3: "client"}
CODES = {0: "unset", 1: "ok", 2: "error"}


def plain(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None


def attributes(pairs):
    return {pair.key: plain(pair.value) for pair in pairs}


def span_of(span, resource, scope):
    links = [{"traceId": link.trace_id.hex(), "spanId": link.span_id.hex(), "flags": link.flags} for link in span.links]
    events = [{"name": event.name, "at": event.time_unix_nano, "attributes": attributes(event.attributes)} for event in span.events]
    return {
        "traceId": span.trace_id.hex(), "spanId": span.span_id.hex(), "parent": span.parent_span_id.hex(), "state": span.trace_state,
        "name": span.name, "kind": KINDS[span.kind], "start": span.start_time_unix_nano, "end": span.end_time_unix_nano,
        "attributes": attributes(span.attributes), "events": events, "links": links, "flags": span.flags,
        "dropped": span.dropped_events_count, "status": CODES[span.status.code], "message": span.status.message,
        "resource": attributes(resource.attributes), "scope": [scope.name, scope.version],
    }


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        request = ExportTraceServiceRequest.FromString(body)
        with news:
            for part in request.resource_spans:
                for scoped in part.scope_spans:
                    spans.extend(span_of(span, part.resource, scoped.scope) for span in scoped.spans)
            news.notify_all()
        self.answer(ExportTraceServiceResponse().SerializeToString(), "application/x-protobuf")

    def do_GET(self):
        asked = parse_qs(urlparse(self.path).query)
        trace, count = asked.get("trace", [""])[0], int(asked.get("count", ["0"])[0])
        found = lambda: [span for span in spans if span["traceId"] == trace]
        with news:
            news.wait_for(lambda: len(found()) >= count, timeout=20)
            self.answer(json.dumps(found()).encode(), "application/json")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Store).serve_forever()
