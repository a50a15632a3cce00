"""A real browser without a screen: Chromium, from Debian's package of that name."""

import importlib.util
import os
import shutil
import subprocess
from html import escape
from pathlib import Path

import pytest

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class Browser:
    """Opens files, takes pictures of them, says what it made of them."""

    def __init__(self, program, folder):
        self._program = program
        self._folder = folder

    def open(self, page, picture, width, height, *, dark=False):
        """Load a page and take its picture; returns its elements after its scripts were run."""
        done = subprocess.run(
            [
                self._program,
                *FLAGS,
                f"--user-data-dir={self._folder / 'profile'}",
                *(["--blink-settings=preferredColorScheme=0"] if dark else []),
                f"--window-size={width},{height}",
                f"--screenshot={picture}",
                "--dump-dom",
                page.as_uri(),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert picture.stat().st_size > 10_000
        if shown := os.environ.get("CLGRAPH_SCREENSHOTS"):
            Path(shown).mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, Path(shown, picture.name))
        return done.stdout

    def framed(self, page, width, height):
        """A page that shows another one as a phone of this width does, and bears its widths as its title.

        Chromium makes no window narrower than 500 pixels.
        """
        frame = page.with_name(f"{page.stem}-{width}.html")
        style = f"width:{width}px;height:{height}px;border:0;background:#fff"
        frame.write_text(
            '<!DOCTYPE html><html><head><meta charset="utf-8"><title>not loaded</title></head>'
            f'<body style="margin:0"><iframe style="{style}" srcdoc="{escape(page.read_text())}"></iframe>'
            "<script>const frame = document.querySelector('iframe'); frame.onload = () => {"
            "const shown = frame.contentDocument, width = frame.contentWindow.innerWidth;"
            "const wide = [...shown.querySelectorAll('figure svg')].filter("
            "each => each.getBoundingClientRect().right > width).length;"
            "document.title = [width, shown.documentElement.scrollWidth, wide].join(' ')}"
            "</script></body></html>"
        )
        return frame


@pytest.fixture
def plotting(request):
    """matplotlib is there; skips where it is not (the extra `plot`), unless this run must not skip."""
    if importlib.util.find_spec("matplotlib") is None:
        why = "matplotlib is not installed (pip install 'pyclgraph[plot]')"
        (pytest.fail if request.config.getoption("--require") else pytest.skip)(why)


@pytest.fixture
def browser(plotting, tmp_path):
    """Chromium; skips where there is none, except under CI, where what is not tested must not look tested."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        why = f"no {', '.join(NAMES)} is installed (apt-get install chromium)"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)
    return Browser(program, tmp_path)
