"""`/api/streams`: events replayed and published window by window."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import Field

from crypsis.web.api.shapes import Body, Number, Text, collection, file_answer
from crypsis.web.api.snapshot import file_snapshot
from crypsis.web.live_streams import KIND
from crypsis.web.workbench import Workbench


class NewStream(Body):
    """The recorded data of a new stream."""

    dataset: str = Field(pattern="^[0-9a-f]{12}$")
    L: int = Field(2, ge=1, le=20)
    K: int = Field(20, ge=1, le=10**6)
    C: float = Field(1.0, gt=0, le=1)
    N: int = Field(7, ge=1, le=10**6)
    rate: float = Field(5000.0, gt=0, le=10**7, description="Events a second.")


def router(workbench: Workbench) -> APIRouter:
    streams = workbench.streams
    api = collection("streams", streams)

    @api.post("", status_code=201)
    def create(new: NewStream) -> dict[str, Any]:
        """Make a stream that replays a dataset of events: L visits known, K people, confidence C, windows of N."""
        return streams.create(new.dataset, L=new.L, K=new.K, C=new.C, N=new.N, rate=new.rate).to_dict()

    @api.get("/{number}")
    def show(number: Number) -> dict[str, Any]:
        """Its guarantee, whether it runs, and once it was started: windows, people and what is held back, as counts."""
        entry, live = workbench.workspace.entry(KIND, number), streams.live(number)
        return {**entry.to_dict(), **({"running": False} if live is None else live.to_dict())}

    @api.get("/{number}/stream.toml", response_class=PlainTextResponse)
    def as_file(number: Number) -> str:
        """The file with which `crypsis stream` does the same."""
        return streams.text(number)

    @api.put("/{number}/stream.toml")
    def take_file(number: Number, told: Text) -> dict[str, Any]:
        """Start over with the guarantee and the rate of a file."""
        return streams.take_text(number, told.text).to_dict()

    @api.get("/{number}/windows.ndjson", **file_answer("application/x-ndjson"))
    def windows(number: Number) -> StreamingResponse:
        """The windows that were published up to now, each verified before, one on each line."""
        file = streams.windows_file(number)
        return file_snapshot(file, media_type="application/x-ndjson", filename="windows.ndjson", lines=True)

    @api.post("/{number}/start")
    def start(number: Number) -> dict[str, Any]:
        """Start, or go on where it was stopped."""
        return streams.begin(number).to_dict()

    @api.post("/{number}/stop")
    def stop(number: Number) -> dict[str, Any]:
        """Stop after the events that are being worked on; `start` goes on from there."""
        return streams.stop(number).to_dict()

    return api
