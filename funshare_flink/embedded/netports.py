"""Free TCP ports on the loopback address.

Drawn below the range that Linux takes for outgoing connections (from 32768 on): a server that must come
back on its port after a crash cannot lose it to somebody's client connection in between.
"""

from __future__ import annotations

import random
import socket

from funshare_flink.embedded.state import Ports
from funshare_flink.model.errors import BadInputError, FatalError

LOOPBACK = "127.0.0.1"
RANGE = range(20_000, 32_000)
TRIES = 200


def is_free(port: int) -> bool:
    """Can a server listen on this loopback port now?"""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def is_open(port: int, timeout_s: float = 0.5) -> bool:
    """Does a server listen on this loopback port?"""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=timeout_s):
            return True
    except OSError:
        return False


def choose_ports(rest: int | None, kafka: int | None) -> Ports:
    """Take the ports that were asked for and draw the others. Raises BadInputError when one is taken."""
    for name, port in (("rest_port", rest), ("kafka_port", kafka)):
        if port is not None and not is_free(port):
            raise BadInputError(f"{name} {port} is in use by another process; name another or let one be chosen")
    taken = {port for port in (rest, kafka) if port is not None}
    drawn: list[int] = []
    while len(drawn) < 4:
        drawn.append(_draw(taken))
        taken.add(drawn[-1])
    return Ports(rest=rest or drawn[0], rpc=drawn[1], kafka=kafka or drawn[2], controller=drawn[3])


def _draw(taken: set[int]) -> int:
    for _ in range(TRIES):
        port = random.SystemRandom().choice(RANGE)
        if port not in taken and is_free(port):
            return port
    raise FatalError(f"found no free port between {RANGE.start} and {RANGE.stop} in {TRIES} tries; name ports yourself")
