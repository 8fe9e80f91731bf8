"""Checks: who gets nothing, and what does nothing."""
import http.server
import json
import threading
import urllib.parse

from page_session import PageSession, login_body
from town import ask, until

SCRIPTS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "javascript:alert(1)",
    "<iframe srcdoc='<script>parent.__attacked=1</script>'>", "<style>*{display:none}</style>", "{{7*7}}${7*7}",
    "<a href='javascript:alert(1)'>x</a>", "</title><script>alert(1)</script>", "&lt;b&gt;\u0000\u202e\u2066",
]


def injection(town, page, rows):
    rows.trying("scripts in texts, headers, names and emoji do nothing", lambda: injects(town, page))


def injects(town, page):
    # A name is at most 63 bytes, and has no @, comma or slash: what is left of a script in one is tried, too.
    names = ["<img src=x onerror=alert(1)>", "<svg onload=alert(1)>"]
    person = town.add(names[0], [town.alice], home="mallory")
    town.meet(person, town.alice)
    person.call("POST", "profile", {"friendlyName": SCRIPTS[0], "attributes": json.dumps({"a": SCRIPTS[1]})})
    for text in SCRIPTS:
        person.send("alice", text, headers={"subject": text.replace("\u0000", ""), "x-<script>": SCRIPTS[1]})
    person.call("POST", "conversations", {"uniqueName": "evil", "kind": "private", "friendlyName": SCRIPTS[2], "invite": ["alice"]})
    person.call("POST", "conversations", {"uniqueName": names[1]})
    last = until("all are there", lambda: (lambda found: found if found["text"] == SCRIPTS[-1] else None)(
        town.alice.last(urllib.parse.quote(person.call("GET", "node")["id"]))))
    person.call("POST", f"messages/{person.last('alice')['id']}/react", {"emoji": "<img src=x onerror=alert(1)>"})
    page.row(names[0]).click()
    for text in SCRIPTS[:-1]:
        page.message(text).wait_for()
    page.sees("li.message .escaped:has-text('\\\\u{202e}')")
    page.message("&lt;b&gt;").locator(".reaction").wait_for()
    page.message("&lt;b&gt;").focus()
    page.tab.keyboard.press("Enter")
    page.sees("dialog.sheet dd:has-text('\\\\u{202e}')")
    page.close_sheet()
    page.tab.click("dialog-header [aria-label='About this conversation']")
    page.sees("dialog.sheet .says:has-text('alert(1)')")
    page.close_sheet()
    page.tab.locator("conversation-list .row:has-text('onload=alert')").first.wait_for()
    page.tab.click("#tab-people")
    page.sees("people-list .row:has-text('onload=alert')")
    page.tab.click("#tab-conversations")
    page.tab.keyboard.press("Control+k")
    page.tab.fill("dialog.sheet-search .search-field", "<img")
    page.sees("dialog.sheet-search .results button")
    page.close_sheet()
    assert page.tab.evaluate("__attacked") == 0 and page.tab.locator("li.message img, li.message script, li.message iframe").count() == 0
    assert last["text"] == SCRIPTS[-1]
    person.stop()


def violations(pages, rows, browser):
    """At the end, of all that was done."""
    tabs = [page.tab for page in pages]
    reports = [text for found in browser.violations.values() for tab, text in found if tab in tabs]
    rows.check("the browser has refused nothing (Content-Security-Policy, Trusted Types)", not reports, "; ".join(reports[:3]))
    errors = [error for page in pages for error in page.errors]
    rows.check("no script of the page has failed", not errors, "; ".join(errors[:3]))


def policy(page, rows, browser):
    """What the policy forbids does not happen even where the page itself would be fooled."""
    tab = page.context.new_page()
    tab.goto(page.origin)
    # What the DevTools run themselves may do more; so it is tried a moment later.
    tried = tab.evaluate("""() => new Promise((resolve) => setTimeout(() => {
      const outcome = {};
      try { document.body.innerHTML = '<b>x</b>'; outcome.html = 'taken'; } catch (error) { outcome.html = error.name; }
      try { eval('1'); outcome.eval = 'taken'; } catch (error) { outcome.eval = error.name; }
      try { trustedTypes.createPolicy('mine', {createHTML: (text) => text}); outcome.policy = 'taken'; } catch (error) { outcome.policy = error.name; }
      resolve(outcome);
    }))""")
    rows.check("markup from text, code from text and new Trusted Types policies are refused",
               "taken" not in tried.values(), tried)
    tab.wait_for_timeout(500)
    rows.check("what the browser refuses is noted", any(each is tab for each, _ in browser.violations[page.context]))
    tab.close()


class Foreign(http.server.BaseHTTPRequestHandler):
    """A page of somebody else, on another port."""

    def do_GET(self):
        data = b"<!doctype html><title>elsewhere</title>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def strangers(town, page, rows, browser):
    """Pages of others, names that lead here, and logins that were used."""
    session = PageSession(town.address())
    elsewhere(page, rows, session)
    stale(town, rows, browser)
    port, login = urllib.parse.urlsplit(page.origin).port, login_body(town.address())
    authorized = lambda: session.headers("GET", "/v1/node")  # noqa: E731
    status, _, response = ask(port, "GET", "/v1/node", authorized())
    rows.check("the session works where it belongs", status == 200 and response.getheader("authentication-info"), status)
    policy_text = ask(port, "GET", "/")[2].getheader("content-security-policy") or ""
    rows.check("the policy is strict", all(part in policy_text for part in (
        "default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'", "frame-ancestors 'none'")), policy_text)
    rows.check("there is no cookie", page.context.cookies() == [], page.context.cookies())
    rows.check("nothing was fetched from elsewhere", all(
        url.startswith((page.origin, "data:", "blob:")) for url in page.requests), len(page.requests))
    refused = {
        "a rebound host": ask(port, "GET", "/v1/node", authorized(), host=f"evil.example:{port}"),
        "a rebound host, for the page": ask(port, "GET", "/", host=f"evil.example:{port}"),
        # With a login that is good, so that nothing else can be the reason.
        "a rebound host, for a login": ask(port, "POST", "/v1/login", body=login, host=f"evil.example:{port}"),
        "a foreign origin": ask(port, "GET", "/v1/node", {**authorized(), "origin": "http://evil.example"}),
        "a foreign origin, for a login": ask(port, "POST", "/v1/login", {"origin": "http://evil.example"}, login),
        "a foreign site": ask(port, "GET", "/v1/node", {**authorized(), "sec-fetch-site": "cross-site"}),
        "no session": ask(port, "GET", "/v1/node"),
        "the proof of another request": ask(port, "GET", "/v1/users", authorized()),
        "a login that never was": ask(port, "POST", "/v1/login", body={**login, "login": "x" * 16}),
    }
    secrets = (town.alice.call("GET", "node")["id"], "<html", '"session"')
    for name, (status, text, _) in refused.items():
        rows.check(f"{name} gets nothing", status in (400, 401, 403, 404, 421) and not any(each in text for each in secrets),
                   f"{status} {text[:80]}")
    status = ask(port, "POST", "/v1/login", body=login)[0]
    rows.check("the login that others tried is good where it belongs", status == 201, status)


def elsewhere(page, rows, session):
    """A page of another origin in the same browser."""
    shown = session.headers("GET", "/v1/node")["authorization"]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        tab = page.context.new_page()
        tab.goto(f"http://127.0.0.1:{server.server_port}/")
        answer = tab.evaluate("""async ([origin, shown]) => {
          const tried = async (options) => { try { return (await fetch(`${origin}/v1/node`, options)).status; } catch (error) { return 'nothing'; } };
          for (const source of [origin, '/own']) {
            const frame = document.createElement('iframe');
            frame.src = source;
            document.body.append(frame);
            await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000); });
          }
          return {plain: await tried({}), shown: await tried({headers: {authorization: shown}})};
        }""", [page.origin, shown])
        # The DevTools see into each frame, whatever its origin.
        framed, own = (frame.content() for frame in tab.main_frame.child_frames)
        rows.check("a page of another origin reads nothing", answer["plain"] == answer["shown"] == "nothing", answer)
        rows.check("a page of another origin cannot frame this one, but its own",
                   'id="shell"' not in framed and "elsewhere" in own, " ".join(framed.split())[:80])
        tab.close()
    finally:
        server.shutdown()


def stale(town, rows, browser):
    """A login is good once."""
    address = town.address()
    port = urllib.parse.urlsplit(address).port
    first = ask(port, "POST", "/v1/login", body=login_body(address))[0]
    second = ask(port, "POST", "/v1/login", body=login_body(address))[0]
    rows.check("a login is good once", first == 201 and second in (401, 403), f"{first}, then {second}")
    context = browser.context()
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_selector("#login:not([hidden])")
    rows.check("the page says so, and shows nothing", "used before" in tab.inner_text("#login-problem") and "login=" not in tab.url,
               tab.inner_text("#login-problem"))
    context.close()
