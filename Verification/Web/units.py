"""Runs the unit tests of the page's modules that decide, in the browser itself."""
import functools
import http.server
import pathlib
import re
import shutil
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def log_message(self, *_):
        pass


FILES = ROOT / "Sources" / "EarshotGateway" / "Page" / "Files"


def preloads(rows):
    """No module waits for another one to name it."""
    modules = {str(path.relative_to(FILES)) for path in FILES.rglob("*.js")}
    named = set(re.findall(r'(?:href|src)="([^"]+\.js)"', (FILES / "index.html").read_text()))
    rows.check("The page asks for all of its modules at once", modules == named, ", ".join(sorted(modules ^ named)))


def run(browser, rows, folder):
    preloads(rows)
    site = folder / "units"
    shutil.copytree(FILES, site / "page")
    shutil.copytree(ROOT / "Verification" / "Web" / "units", site / "units")
    (site / "index.html").write_text("<!doctype html><title>units</title>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.context()
    try:
        tab = context.new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        names = sorted(path.name for path in (site / "units").glob("*-tests.js"))
        results = tab.evaluate("""async (names) => {
          const {run} = await import('/units/testing.js');
          for (const name of names) await import(`/units/${name}`);
          return run();
        }""", names)
        for result in results:
            rows.check(result["name"], result["problem"] == "", result["problem"])
    finally:
        context.close()
        server.shutdown()
