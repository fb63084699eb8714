"""A server without anything special, made with the official Python library. PORT says where."""

import os

import uvicorn
from mcp.server import MCPServer

server = MCPServer("plain", version="1")


@server.tool()
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


app = server.streamable_http_app(json_response=True)
uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="warning")
