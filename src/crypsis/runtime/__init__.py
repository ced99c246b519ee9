"""Running live streams: from a source of events to a sink of windows, each out exactly once."""

from crypsis.runtime.configuration import StreamConfiguration
from crypsis.runtime.run import StreamRun, stream

__all__ = ["StreamConfiguration", "StreamRun", "stream"]
