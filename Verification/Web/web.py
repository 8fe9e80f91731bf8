"""Runs the checks of the page, one after another. script/web starts this, in a network of its own."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Verification" / "Town"), str(ROOT / "script")]
import drafts  # noqa: E402
import files  # noqa: E402
import guarding  # noqa: E402
import history  # noqa: E402
import long  # noqa: E402
import looking  # noqa: E402
import notifying  # noqa: E402
import quickstart  # noqa: E402
import returning  # noqa: E402
import talking  # noqa: E402
import trouble  # noqa: E402
import units  # noqa: E402
from browser import Browser, Page  # noqa: E402
from nodes import end_when_told  # noqa: E402
from rows import Rows  # noqa: E402
from town import Town  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--messages", type=int)
    options = parser.parse_args()
    end_when_told()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    rows, began = Rows(options.json), time.monotonic()
    # Short: the path of a socket has a limit.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="earshot-web.", dir="/tmp"))
    kept = pathlib.Path(options.keep) if options.keep else folder / "pictures"
    kept.mkdir(parents=True, exist_ok=True)
    browser, town = Browser(), None
    try:
        if options.messages:
            long.run(browser, rows, folder, options.messages)
        else:
            units.run(browser, rows, folder)
            town = Town(folder)
            run(town, browser, rows, kept)
    except Exception as error:
        rows.check("the run comes to its end", False, " ".join(str(error).split())[:600])
    finally:
        browser.end()
        if town:
            town.end()
        shutil.rmtree(folder, ignore_errors=True)
    rows.fact("seconds", round(time.monotonic() - began))
    return rows.end()


def run(town, browser, rows, kept):
    context = browser.context()
    page = Page(context)
    if not rows.trying("logs in, and takes the login out of the address", lambda: log_in(town, page)):
        return
    guarding.policy(page, rows, browser)
    talking.run(town, page, rows)
    trouble.safety(town, page, rows)
    notifying.run(town, page, rows)
    drafts.run(town, page, rows)
    files.run(town, page, rows)
    # Elsewhere, so that what bob writes stays unread.
    page.choose("#ops")
    pages = looking.run(town, browser, rows, kept)
    history.run(town, page, rows)
    guarding.strangers(town, page, rows, browser)
    guarding.injection(town, page, rows)
    quickstart.run(town, browser, rows)
    trouble.new_key(town, page, rows)
    trouble.silence(town, page, rows)
    trouble.full_disk(town, page, rows)
    trouble.lost_node(town, page, rows)
    tabs = returning.run(town, page, rows, browser)
    guarding.violations([page, *pages, *tabs], rows, browser)


def log_in(town, page):
    page.open(town.address())
    assert "login" not in page.tab.url, page.tab.url
    assert page.tab.evaluate("history.length") <= 2
    page.tab.reload()
    page.sees("#shell:not([hidden])")


if __name__ == "__main__":
    sys.exit(main())
