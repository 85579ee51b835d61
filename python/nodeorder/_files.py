"""Files that are written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from ._error import path_text, refused


def write_files(folder: str, files: dict[str, bytes]) -> None:
    """Writes files into a folder that is made where there is none: each is there whole or not at all."""
    try:
        os.makedirs(folder, exist_ok=True)
        for name, content in files.items():
            handle, unfinished = tempfile.mkstemp(prefix=".nodeorder-", suffix=".tmp", dir=folder)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(content)
                mask = os.umask(0)
                os.umask(mask)
                os.chmod(unfinished, 0o666 & ~mask)
                os.replace(unfinished, os.path.join(folder, name))
            except BaseException:
                os.unlink(unfinished)
                raise
    except OSError as error:
        raise refused(folder, str(error), "a folder that may be written") from error


class Page:
    """What :func:`compare` and :meth:`Topology.compare` make, which the command has a page for."""

    _native: Any

    def summary(self) -> dict[str, Any]:
        """The document of ``nodeorder compare --json``."""
        return dict(json.loads(self._native.summary()))

    def save(self, folder: str | os.PathLike[str]) -> list[str]:
        """Writes the page ``index.html``, its figures as SVG and the data as CSV.

        Args:
            folder: made where there is none.

        Returns:
            The paths of the files.

        Raises:
            NodeorderError: a folder that cannot be written, a figure that cannot be drawn.
        """
        target = path_text("folder", folder)
        files = dict(self._native.files())
        write_files(target, files)
        return [os.path.join(target, name) for name in files]
