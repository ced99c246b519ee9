"""Where events come from: one file per kind, and the table of them."""

from __future__ import annotations

from crypsis.runtime.configuration import SECONDS, StreamConfiguration
from crypsis.runtime.sources.source import Source


def source_of(configuration: StreamConfiguration) -> Source:
    """The source that a configuration names; brokers are imported when they are used."""
    said = configuration.source
    kind = said["kind"]
    spool = configuration.path(configuration.run.state) / "spool"
    if kind in ("csv", "ndjson"):
        from crypsis.runtime.sources.files import FileSource

        return FileSource(configuration.path(said["path"]), kind)
    if kind == "replay":
        from crypsis.runtime.sources.replay import ReplaySource

        unit = SECONDS.get(configuration.run.time_unit or "s", 1)
        return ReplaySource(configuration.path(said["path"]), said["rate"], said["speedup"], unit)
    if kind == "stdin":
        from crypsis.runtime.sources.standard_input import StandardInput

        return StandardInput(spool, configuration.run.spool_limit)
    if kind == "mqtt":
        from crypsis.runtime.sources.mqtt import MqttSource

        return MqttSource(said, spool, configuration.run.spool_limit)
    from crypsis.runtime.sources.redis_stream import RedisSource

    return RedisSource(said)
