"""Where windows go: one file per kind, and the table of them."""

from __future__ import annotations

from crypsis.runtime.configuration import StreamConfiguration
from crypsis.runtime.connection import connection_of
from crypsis.runtime.sinks.sink import Sink


def sink_of(configuration: StreamConfiguration) -> Sink:
    """The sink that a configuration names; brokers are imported when they are used."""
    said = configuration.sink
    kind = said["kind"]
    if kind == "ndjson":
        from crypsis.runtime.sinks.ndjson import NdjsonSink

        return NdjsonSink(configuration.path(said["path"]))
    if kind == "folder":
        from crypsis.runtime.sinks.folder import FolderSink

        return FolderSink(configuration.path(said["path"]))
    if kind == "stdout":
        from crypsis.runtime.sinks.standard_output import StandardOutput

        return StandardOutput()
    if kind == "mqtt":
        from crypsis.runtime.sinks.mqtt import MqttSink

        return MqttSink(said["topic"], said["client"], connection_of(said, configuration.path))
    from crypsis.runtime.sinks.redis_stream import RedisSink

    return RedisSink(said["stream"], connection_of(said, configuration.path))
