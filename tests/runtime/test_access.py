"""Brokers that want a password and speak TLS: both ends, and refusals that name what would do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import BadConfiguration, BrokerRefused, MissingFile
from crypsis.runtime import StreamConfiguration, stream
from crypsis.runtime.connection import Connection, connection_of
from crypsis.runtime.mqtt import mqtt_client
from crypsis.runtime.redis_client import redis_client
from tests.certificates import self_signed
from tests.runtime.brokers import Broker, Mosquitto, Redis
from tests.runtime.streams import lively_lines, tables

pytestmark = pytest.mark.long

NAME, PASSWORD = "gates", "a pass word"
RUN = {"verify": "off", "retry_seconds": 60.0}


class GuardedMosquitto(Mosquitto):
    def command(self) -> list[str]:
        command = super().command()
        self_signed(self.folder)
        tool = shutil.which("mosquitto_passwd")
        assert tool is not None, "mosquitto_passwd comes with mosquitto"
        subprocess.run([tool, "-b", "-c", str(self.folder / "logins"), NAME, PASSWORD], check=True, capture_output=True)
        (self.folder / "logins").chmod(0o600)
        file = self.folder / "mosquitto.conf"
        text = file.read_text(encoding="utf-8").replace("allow_anonymous true", "allow_anonymous false")
        certificate = f"certfile {self.folder}/certificate.pem\nkeyfile {self.folder}/key.pem\n"
        file.write_text(f"{text}\npassword_file {self.folder}/logins\n{certificate}", encoding="utf-8")
        return command


class GuardedRedis(Redis):
    def command(self) -> list[str]:
        self_signed(self.folder)
        program, *options = super().command()
        options[options.index("--port")] = "--tls-port"
        word = PASSWORD.replace(" ", "_")
        (self.folder / "users.acl").write_text(
            f"user default off\nuser {NAME} on >{word} ~* &* +@all\n", encoding="utf-8"
        )
        files = ["--tls-cert-file", "certificate.pem", "--tls-key-file", "key.pem", "--tls-auth-clients", "no"]
        return [program, "--port", "0", *options, *files, "--aclfile", "users.acl"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Broker]]:
    folder = tmp_path_factory.mktemp("guarded")
    brokers: dict[str, Broker] = {
        "mqtt": GuardedMosquitto(folder / "mosquitto"),
        "redis": GuardedRedis(folder / "redis"),
    }
    yield brokers
    for broker in brokers.values():
        broker.stop()


def access(broker: Broker, folder: Path) -> dict[str, Any]:
    """The settings that let us in; the password lies in a file."""
    word = PASSWORD if isinstance(broker, Mosquitto) else PASSWORD.replace(" ", "_")
    (folder / f"password-{broker.port}").write_text(f"{word}\n", encoding="utf-8")
    return {
        "port": broker.port,
        "username": NAME,
        "password_file": f"password-{broker.port}",
        "tls": True,
        "ca_file": str(broker.folder / "certificate.pem"),
    }


def reached(broker: Broker, folder: Path) -> Connection:
    given = {"host": "127.0.0.1", "certificate_file": None, "key_file": None, **access(broker, folder)}
    return connection_of(given, lambda name: folder / name)


@pytest.mark.parametrize(("source", "sink"), [("mqtt", "redis"), ("redis", "mqtt")])
def test_a_stream_passes_brokers_that_want_a_login_and_tls(
    source: str, sink: str, guarded: dict[str, Broker], tmp_path: Path
) -> None:
    lines = [*lively_lines(timestamps=10), '{"op": "end"}']
    ends = {"mqtt": {"kind": "mqtt", "topic": source}, "redis": {"kind": "redis", "stream": source}}
    settings = tables(
        run=RUN,
        source={**ends[source], **access(guarded[source], tmp_path)},
        sink={**ends[sink], **access(guarded[sink], tmp_path)},
    )
    configuration = StreamConfiguration.from_tables(settings, tmp_path)
    publish(guarded[source], source, lines, tmp_path)
    assert stream(configuration)["windows"] == 7
    client, _ = redis_client(reached(guarded["redis"], tmp_path))
    if sink == "redis":
        assert client.xlen(source) == 7
    client.close()


def publish(broker: Broker, name: str, lines: list[str], folder: Path) -> None:
    if isinstance(broker, Redis):
        client, _ = redis_client(reached(broker, folder))
        for line in lines:
            client.xadd(name, {"event": line})
        client.close()
        return
    waiting = mqtt_client("crypsis", reached(broker, folder), kept=True)  # the broker keeps messages for the stream
    waiting.connect("127.0.0.1", broker.port)
    waiting.loop_start()
    while not waiting.is_connected():
        pass
    waiting.subscribe(name, qos=1)
    waiting.publish("nothing", b"", qos=1).wait_for_publish(60)  # the subscription came before
    waiting.disconnect()
    waiting.loop_stop()
    client = mqtt_client("publisher", reached(broker, folder), kept=False)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    sent = [client.publish(name, line, qos=1) for line in lines]
    for one in sent:
        one.wait_for_publish(60)
    client.disconnect()
    client.loop_stop()


@pytest.mark.parametrize("end", ["source", "sink"])
@pytest.mark.parametrize("kind", ["mqtt", "redis"])
@pytest.mark.parametrize("wrong", ["password", "certificate"])
def test_a_refusal_is_told_at_once_with_what_would_do(
    wrong: str, kind: str, end: str, guarded: dict[str, Broker], tmp_path: Path
) -> None:
    settings = {"kind": kind, "topic" if kind == "mqtt" else "stream": "x", **access(guarded[kind], tmp_path)}
    if wrong == "password":
        (tmp_path / settings["password_file"]).write_text("guess", encoding="utf-8")
    else:
        self_signed(tmp_path)
        settings["ca_file"] = "certificate.pem"
    (tmp_path / "events.ndjson").write_text("", encoding="utf-8")
    configuration = StreamConfiguration.from_tables(tables(run=RUN, **{end: settings}), tmp_path)
    with pytest.raises(BrokerRefused, match="password_file" if wrong == "password" else "ca_file") as refused:
        stream(configuration)
    assert refused.value.code == "broker-refused"
    assert "guess" not in str(refused.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"password_file": "x"},
        {"ca_file": "x"},
        {"tls": "yes"},
        {"tls": True, "key_file": "x"},
        {"password": "never here"},
    ],
)
def test_a_bad_login_is_refused_before_anything_is_read(bad: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(BadConfiguration):
        StreamConfiguration.from_tables(tables(source={"kind": "mqtt", "topic": "x", **bad}), tmp_path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    source = {"kind": "redis", "stream": "x", "username": NAME, "password_file": "nowhere"}
    with pytest.raises(MissingFile, match="nowhere"):
        stream(StreamConfiguration.from_tables(tables(source=source), tmp_path))


def test_how_to_get_in_is_not_part_of_what_was_promised() -> None:
    plain = tables(source={"kind": "mqtt", "topic": "x"})
    other = tables(source={"kind": "mqtt", "topic": "x", "username": NAME, "tls": True, "host": "broker"})
    assert StreamConfiguration.from_tables(plain).digest == StreamConfiguration.from_tables(other).digest
