"""The plug-ins of one process, as typed values. The only import of pluggy in core."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pluggy

from kg_core.host.asking import Asking
from kg_core.host.discovery import Found, Unusable, discover, installed, quiet, reason
from kg_core.host.observed import without_secrets
from kg_core.host.offered import offered
from kg_core.host.problem import Loaded, Problem
from kg_plugin_api import PROJECT, Harness, Operation, SearchBackendFactory, hookspecs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from importlib.metadata import EntryPoint

    from kg_plugin_api import Event, Host, MemoryChange

Offered = TypeVar("Offered")
Answer = TypeVar("Answer")
Fallback = TypeVar("Fallback")

_CHANGED: Final = "kg_memory_changed"
_SEEN: Final = "kg_event_seen"
_SERVING: Final = "kg_serving"
_OBSERVING: Final = (_CHANGED, _SEEN, _SERVING)
"""The hooks that tell something to whoever wants to know."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """What one plug-in brings."""

    loaded: Loaded
    harnesses: tuple[Harness, ...] = ()
    search_backends: tuple[SearchBackendFactory, ...] = ()
    operations: tuple[Operation, ...] = ()
    observers: Mapping[str, Callable[..., object]] = field(default_factory=lambda: MappingProxyType({}))
    """What it is told, by the name of the hook."""


@dataclass(slots=True)
class Plugins:
    """What the installed plug-ins offer, and what is wrong with those that do not work.

    Everything is fixed once loaded, but for ``problems``, which grows when a plug-in fails while it is used.
    """

    harnesses: tuple[Harness, ...] = ()
    search_backends: tuple[SearchBackendFactory, ...] = ()
    operations: Mapping[str, tuple[Operation, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The operations of each plug-in, by the name of its entry point."""
    loaded: tuple[Loaded, ...] = ()
    _observers: Mapping[str, tuple[tuple[Loaded, Callable[..., object]], ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Who is told what, by the name of the hook."""
    _owners: Mapping[str, Loaded] = field(default_factory=lambda: MappingProxyType({}))
    """Who offers each harness."""
    _asking: Asking = field(default_factory=Asking)

    @classmethod
    def load(cls, *, disabled: Iterable[str] = (), points: Iterable[EntryPoint] | None = None) -> Plugins:
        """Loads every installed plug-in (or those of ``points``) whose name is not disabled. Never raises."""
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(hookspecs)
        offers: list[_Offer] = []
        problems: list[Problem] = []
        for found in discover(installed() if points is None else points, frozenset(disabled)):
            if isinstance(found, Problem):
                problems.append(found)
                continue
            try:
                with quiet():
                    offers.append(_offer(manager, found))
            except Unusable as why:
                problems.append(Problem(found.loaded.name, found.loaded.distribution, str(why)))
            except (Exception, SystemExit) as failure:  # noqa: BLE001 - plug-in border: whatever a hook raises
                problems.append(Problem(found.loaded.name, found.loaded.distribution, f"It failed. {reason(failure)}"))
        return cls._assembled(offers, problems)

    @classmethod
    def of(
        cls,
        *,
        harnesses: Sequence[Harness] = (),
        search_backends: Sequence[SearchBackendFactory] = (),
        operations: Mapping[str, Sequence[Operation]] = MappingProxyType({}),
        observers: Sequence[Callable[[MemoryChange], None]] = (),
        event_observers: Sequence[Callable[[Event], None]] = (),
        borrowers: Sequence[Callable[[Host], None]] = (),
    ) -> Plugins:
        """Plug-ins put together by hand, without any installed one."""
        return cls(
            harnesses=tuple(harnesses),
            search_backends=tuple(search_backends),
            operations=MappingProxyType({name: tuple(offered) for name, offered in operations.items()}),
            _observers=MappingProxyType(
                {_CHANGED: _numbered(observers), _SEEN: _numbered(event_observers), _SERVING: _numbered(borrowers)}
            ),
        )

    def ask(
        self, harness: Harness, what: str, question: Callable[[], object], kind: type[Answer], fallback: Fallback
    ) -> Answer | Fallback:
        """What the code of a harness answers; ``fallback`` when it fails, which is then one of the problems."""
        return self._asking.ask(self.owner(harness), what, question, kind, fallback)

    def owner(self, harness: Harness) -> Loaded:
        """The plug-in that offers a harness."""
        return self._owners.get(harness.name, Loaded(harness.name, ""))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, in the order it was found."""
        return tuple(self._asking.problems)

    def harness(self, name: str) -> Harness | None:
        """The harness of that name."""
        return next((harness for harness in self.harnesses if harness.name == name), None)

    def operation(self, plugin: str, name: str) -> Operation | None:
        """One operation of a plug-in."""
        return next((offered for offered in self.operations.get(plugin, ()) if offered.name == name), None)

    def held(self, seconds: float) -> str:
        """A sentence about the plug-in that holds up everybody for so long already; may be asked from any thread."""
        return self._asking.held(seconds)

    def failed(self, plugin: str, what: str, failure: BaseException) -> None:
        """Makes it one of the problems that something of a plug-in failed."""
        whose = next((loaded for loaded in self.loaded if loaded.name == plugin), Loaded(plugin, ""))
        self._asking.failed(whose, what, failure)

    def changed(self, change: MemoryChange) -> None:
        """Tells every observer. One that raises is reported and stops nobody else."""
        self._tell(_CHANGED, "observer of changes", change)

    def seen(self, event: Event) -> None:
        """Tells every observer of events, as :meth:`changed` does, without the secrets in it."""
        if self._observers.get(_SEEN):
            self._tell(_SEEN, "observer of events", without_secrets(event))

    def serving(self, host: Host) -> None:
        """Lends a running server to every plug-in that borrows it."""
        self._tell(_SERVING, "borrowing of the server", host)

    def _tell(self, hook: str, what: str, value: object) -> None:
        for loaded, observer in self._observers.get(hook, ()):
            self._asking.ask(loaded, what, functools.partial(observer, value), object, None)

    @classmethod
    def _assembled(cls, offers: Sequence[_Offer], problems: Sequence[Problem]) -> Plugins:
        found = list(problems)
        harnesses = _unique(offers, "harness", lambda offer: offer.harnesses, found)
        backends = _unique(offers, "search backend", lambda offer: offer.search_backends, found)
        return cls(
            harnesses=harnesses,
            search_backends=backends,
            operations=MappingProxyType({o.loaded.name: o.operations for o in offers if o.operations}),
            loaded=tuple(offer.loaded for offer in offers),
            _observers=MappingProxyType(
                {
                    hook: tuple((offer.loaded, offer.observers[hook]) for offer in offers if hook in offer.observers)
                    for hook in _OBSERVING
                }
            ),
            _owners=MappingProxyType({h.name: o.loaded for o in offers for h in o.harnesses}),
            _asking=Asking(problems=dict.fromkeys(found)),
        )


def _offer(manager: pluggy.PluginManager, found: Found) -> _Offer:
    """Registers one plug-in and asks it once for what it offers; anything wrong with it is raised."""
    if (same := manager.get_name(found.plugin)) is not None:
        raise Unusable(f"It is the module that the plug-in {same} is already. Name it under one entry point.")
    try:
        manager.register(found.plugin, name=found.loaded.name)
        manager.check_pending()
    except (pluggy.PluginValidationError, ValueError) as failure:
        if manager.has_plugin(found.loaded.name):
            manager.unregister(name=found.loaded.name)
        raise Unusable(f"It does not fit the hooks of kg. {reason(failure)}") from failure
    if not manager.get_hookcallers(found.plugin):
        raise Unusable("It implements no hook of kg. Is `@hookimpl` missing above its functions?")
    return _Offer(
        found.loaded,
        harnesses=_collected(manager, found, "kg_harnesses", Harness),
        search_backends=_collected(manager, found, "kg_search_backends", SearchBackendFactory),
        operations=_collected(manager, found, "kg_operations", Operation),
        observers=MappingProxyType(
            {
                hook: implementation
                for hook in _OBSERVING
                if (implementation := _implementation(manager, found, hook)) is not None
            }
        ),
    )


def _numbered(observers: Sequence[Callable[..., object]]) -> tuple[tuple[Loaded, Callable[..., object]], ...]:
    """Observers that no plug-in offers, with names for their problems."""
    return tuple((Loaded(f"observer {at}", ""), observer) for at, observer in enumerate(observers))


def _implementation(manager: pluggy.PluginManager, found: Found, hook: str) -> Callable[..., Any] | None:
    caller: pluggy.HookCaller = getattr(manager.hook, hook)
    for implementation in caller.get_hookimpls():
        if implementation.plugin is not found.plugin:
            continue
        if implementation.wrapper or implementation.hookwrapper:
            raise Unusable(f"Its {hook} wraps the hooks of others, which kg does not allow.")
        return _calling(implementation.function, implementation.argnames)
    return None


def _calling(function: Callable[..., Any], accepted: Sequence[str]) -> Callable[..., Any]:
    """An implementation may take fewer arguments than the hook has; what observes has one."""
    return function if accepted else lambda *_: function()


def _collected(manager: pluggy.PluginManager, found: Found, hook: str, kind: type[Offered]) -> tuple[Offered, ...]:
    implementation = _implementation(manager, found, hook)
    return () if implementation is None else offered(implementation(), hook, kind)


def _unique(
    offers: Sequence[_Offer],
    what: str,
    of: Callable[[_Offer], tuple[Offered, ...]],
    problems: list[Problem],
) -> tuple[Offered, ...]:
    """What is offered under a name of its own; of two with one name neither is used, and both owners are named."""
    owners: dict[str, list[_Offer]] = {}
    for offer in offers:
        for value in of(offer):
            owners.setdefault(_name(value), []).append(offer)
    for name, both in owners.items():
        if len(both) > 1:
            named = " and ".join(offer.loaded.distribution or offer.loaded.name for offer in both)
            sentence = f"The {what} {name} is offered by {named}. It is not used; remove one of them."
            problems.append(Problem(both[0].loaded.name, both[0].loaded.distribution, sentence))
    return tuple(value for offer in offers for value in of(offer) if len(owners[_name(value)]) == 1)


def _name(value: object) -> str:
    return str(getattr(value, "name", ""))
