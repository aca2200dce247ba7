"""The version of kg-server, readable without looking through installed distributions."""

VERSION = "0.1.0"


def newer(version: str, than: str) -> bool:
    """Whether ``version`` comes after ``than``; what is no dotted number is never newer."""
    try:
        return _numbers(version) > _numbers(than)
    except ValueError:
        return False


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
