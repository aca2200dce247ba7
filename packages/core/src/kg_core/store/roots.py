"""Which project has which root, however a client spells the folder.

A disk that ignores case, or how an accent is composed, has one folder under several spellings, and clients hand on what
a person typed. Two spellings are one root where the disk says that they are one folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.store.identity import is_same_folder, spelling

if TYPE_CHECKING:
    from pathlib import Path

    from kg_core.store.registration import Registration


class Roots:
    """The registrations by root. Looks at the disk only for a root that differs from a known one in spelling alone."""

    def __init__(self) -> None:
        self._registrations: dict[Path, Registration] = {}
        self._spellings: dict[str, list[Path]] = {}

    def __contains__(self, root: Path) -> bool:
        return self.known(root) is not None

    def __setitem__(self, root: Path, registration: Registration) -> None:
        if root not in self._registrations:
            self._spellings.setdefault(spelling(root), []).append(root)
        self._registrations[root] = registration

    def known(self, root: Path) -> Path | None:
        """The root as it is known; ``None`` when it is not."""
        if root in self._registrations:
            return root
        alike = self._spellings.get(spelling(root), ())
        return next((each for each in alike if is_same_folder(each, root)), None)

    def get(self, root: Path) -> Registration | None:
        """The registration of a root."""
        known = self.known(root)
        return None if known is None else self._registrations[known]

    def add(self, root: Path, registration: Registration) -> None:
        """Gives a root its registration, unless it has one."""
        if root not in self._registrations:
            self[root] = registration

    def pop(self, root: Path) -> Registration | None:
        """Takes out a root and gives its registration, whose roots are left to the caller."""
        known = self.known(root)
        if known is None:
            return None
        self._spellings[spelling(known)].remove(known)
        return self._registrations.pop(known)
