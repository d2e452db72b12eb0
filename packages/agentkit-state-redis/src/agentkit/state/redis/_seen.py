"""Which keys a scan has given already, in about ten bytes for each."""

from __future__ import annotations

from array import array

__all__ = ["Seen"]

_IN_ONE_PLACE = 64
_BITS = 0xFFFF_FFFF_FFFF_FFFF


class Seen:
    """A set of keys that holds of each its 8-byte hash alone, and grows a place at a time.

    A server that grows or shrinks its table during a scan gives keys again. Two keys of one hash
    would be taken for one: with a billion keys that happens once in forty scans.
    """

    def __init__(self) -> None:
        self._size = 0
        self._round = 1  # how many places there were when the places in turn began to be divided
        self._places: list[array[int]] = [array("Q")]

    def __len__(self) -> int:
        return self._size

    def add(self, key: bytes) -> bool:
        """Whether *key* is new; from now on it is not."""
        digest = hash(key) & _BITS
        place = self._places[self._index(digest)]
        if digest in place:
            return False
        place.append(digest)
        self._size += 1
        if self._size > _IN_ONE_PLACE * len(self._places):
            self._divide()
        return True

    def _index(self, digest: int) -> int:
        index = digest % (2 * self._round)
        return index if index < len(self._places) else index - self._round

    def _divide(self) -> None:
        """Divide the place whose turn it is, so that no call has much to move."""
        turn = len(self._places) - self._round
        crowded = self._places[turn]
        self._places.append(array("Q"))
        self._places[turn] = array("Q")
        for digest in crowded:
            self._places[self._index(digest)].append(digest)
        if len(self._places) == 2 * self._round:
            self._round *= 2
