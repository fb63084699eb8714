"""Tools of every shape of result, for the tests and the examples. PORT says where; PAGE_SIZE makes the list come in pages, CORS lets pages in, AUTH asks for a token."""

import os

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from mcp.server.auth.settings import ClientRegistrationOptions
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

page_size = int(os.environ["PAGE_SIZE"]) if "PAGE_SIZE" in os.environ else None
port = int(os.environ["PORT"])
clients = ClientRegistrationOptions(enabled=True, valid_scopes=["shop"], default_scopes=["shop"])
guard = InMemoryOAuthProvider(base_url=f"http://127.0.0.1:{port}", client_registration_options=clients, required_scopes=["shop"])
server = FastMCP("shop", list_page_size=page_size, auth=guard if "AUTH" in os.environ else None)

# Nothing here changes anything, and the tools say so: agents may call them without asking anybody first.
# Only `add` says nothing of itself, as many tools of others do.
READS = {"readOnlyHint": True}
PRICES = {"tea": 3.5, "coffee": 4.25, "water": 0}
WEATHER = {"Oslo": (-4, "snow"), "Bergen": (8, "light rain"), "Lisbon": (27, "sunny"), "Prague": (15, "cloudy")}


@server.tool(annotations=READS)
def price(item: str) -> dict:
    """The price of an item of the menu."""
    if item not in PRICES:
        raise ToolError(f"there is no {item} on the menu")
    return {"item": item, "price": PRICES[item], "currency": "EUR"}


@server.tool(annotations=READS, output_schema=None)
def greet(name: str) -> str:
    """A greeting, as text."""
    return f"Hello, {name}!"


@server.tool
def add(a: float, b: float) -> float:
    """The sum of two numbers."""
    return a + b


@server.tool(annotations=READS)
def menu() -> list[str]:
    """What can be ordered."""
    return list(PRICES)


@server.tool(annotations=READS, output_schema=None)
def json_text() -> str:
    """Text that looks like JSON, and is text nevertheless."""
    return '{"looks": "like JSON"}'


@server.tool(annotations=READS)
def weather(city: str) -> dict:
    """The weather of a city, the same every day."""
    if city not in WEATHER:
        raise ToolError(f"no weather is known for {city}; ask for {', '.join(WEATHER)}")
    temperature, conditions = WEATHER[city]
    return {"city": city, "temperature": temperature, "conditions": conditions}


everybody = {"allow_origins": ["*"], "allow_methods": ["*"], "allow_headers": ["*"], "expose_headers": ["*"]}
middleware = [Middleware(CORSMiddleware, **everybody)] if "CORS" in os.environ else []
server.run(
    transport="http", host="127.0.0.1", port=port, path="/mcp", show_banner=False, middleware=middleware
)
