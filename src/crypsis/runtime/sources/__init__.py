"""Where events come from: one file per kind, and the table of them."""

from __future__ import annotations

from crypsis.runtime.configuration import SECONDS, StreamConfiguration
from crypsis.runtime.connection import connection_of
from crypsis.runtime.sealing import Sealing
from crypsis.runtime.sources.source import Source
from crypsis.runtime.spool import Spool


def source_of(configuration: StreamConfiguration, sealing: Sealing | None = None) -> Source:
    """The source that a configuration names; brokers are imported when they are used."""
    said, run = configuration.source, configuration.run
    kind = said["kind"]
    if kind in ("csv", "ndjson"):
        from crypsis.runtime.sources.files import FileSource

        return FileSource(configuration.path(said["path"]), kind, configuration.attributes)
    if kind == "replay":
        from crypsis.runtime.sources.replay import ReplaySource

        unit = SECONDS.get(run.time_unit or "s", 1)
        path, attributes = configuration.path(said["path"]), configuration.attributes
        return ReplaySource(path, said["rate"], said["speedup"], unit, attributes)
    if kind == "stdin":
        from crypsis.runtime.sources.standard_input import StandardInput

        return StandardInput(_spool(configuration, sealing), run.retry_seconds)
    if kind == "mqtt":
        from crypsis.runtime.sources.mqtt import MqttSource

        reached = connection_of(said, configuration.path)
        return MqttSource(said["topic"], said["client"], reached, _spool(configuration, sealing), run.retry_seconds)
    from crypsis.runtime.sources.redis_stream import RedisSource

    return RedisSource(said["stream"], said["group"], connection_of(said, configuration.path))


def _spool(configuration: StreamConfiguration, sealing: Sealing | None) -> Spool:
    run = configuration.run
    return Spool(configuration.path(run.state) / "spool", run.spool_limit, sealing)
