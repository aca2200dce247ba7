"""A network with nothing but 127.0.0.1, so that a client that calls home fails instead of reaching it."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import socket
import struct
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

_CLONE_NEWNET: Final = 0x40000000
_SIOCSIFFLAGS: Final = 0x8914
_UP_AND_RUNNING: Final = 0x1 | 0x40


class Loopback:
    """A network namespace of its own where the system permits one (Linux, root); else the machine's own network.

    A socket belongs to the namespace of the thread that made it, wherever it is used: so endpoints are opened by
    :meth:`inside`, and programs are started with :attr:`prefix`.
    """

    def __init__(self) -> None:
        self._namespace: int | None = None
        enter = shutil.which("nsenter")
        if sys.platform == "linux" and os.geteuid() == 0 and enter:
            self._namespace = _in_thread(_new_namespace)
        self.prefix: tuple[str, ...] = ()
        if self._namespace is not None and enter:
            self.prefix = (enter, f"--net=/proc/{os.getpid()}/fd/{self._namespace}", "--")

    def inside(self, make: Callable[[], Result]) -> Result:
        """What ``make`` returns when it runs in this network."""

        def run() -> Result:
            if self._namespace is not None:
                _check(_libc().setns(self._namespace, _CLONE_NEWNET), "setns")
            return make()

        return _in_thread(run)

    def close(self) -> None:
        """Lets the network go once the last program in it has ended."""
        if self._namespace is not None:
            os.close(self._namespace)
            self._namespace = None


def _new_namespace() -> int | None:
    try:
        _check(_libc().unshare(_CLONE_NEWNET), "unshare")
    except PermissionError:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _UP_AND_RUNNING))
    return os.open(Path("/proc/thread-self/ns/net"), os.O_RDONLY)


def _in_thread(run: Callable[[], Result]) -> Result:
    """Runs in a thread that ends with it: entering a namespace changes the thread for good."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(run())
        except BaseException as error:  # noqa: BLE001 handed to the caller below
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise PermissionError(number, f"{what}: {os.strerror(number)}")
