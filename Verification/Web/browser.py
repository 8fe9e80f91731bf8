"""The page in Chromium: opened, looked at, and judged by axe."""
import pathlib
import shutil
import subprocess
import urllib.parse

import axe_playwright_python
from playwright.sync_api import sync_playwright

AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js")
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PATIENCE = 30_000

# Everything that the browser refuses, and that an attack would run, is noted before any script of the page.
WATCH = """
addEventListener("securitypolicyviolation", (event) => __violated(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
window.__attacked = 0;
for (const name of ["alert", "confirm", "prompt"]) window[name] = () => { __attacked += 1; };
"""


class Browser:
    def __init__(self):
        self.violations = {}
        self.playwright = sync_playwright().start()
        self.chromium = self.playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none"])

    def context(self, size=DESKTOP, theme="light", **more):
        context = self.chromium.new_context(
            viewport=size, color_scheme=theme, locale="en-GB", timezone_id="UTC", reduced_motion="reduce",
            device_scale_factor=1, permissions=["clipboard-write"], **more)
        context.set_default_timeout(PATIENCE)
        # Kept here: the page is loaded anew now and then.
        violations = self.violations[context] = []
        context.expose_binding("__violated", lambda source, text: violations.append((source["page"], text)))
        context.add_init_script(WATCH)
        return context

    def end(self):
        self.chromium.close()
        self.playwright.stop()


class Page:
    """A tab, with what went wrong in it."""

    def __init__(self, context):
        self.context, self.errors = context, []
        self.tab = context.new_page()
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.errors.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        self.requests = []
        self.tab.on("request", lambda request: self.requests.append(request.url))

    def open(self, address):
        self.tab.goto(address)
        self.tab.wait_for_selector("#shell:not([hidden])")
        return self

    @property
    def origin(self):
        parts = urllib.parse.urlsplit(self.tab.url)
        return f"{parts.scheme}://{parts.netloc}"

    def row(self, name):
        return self.tab.locator("conversation-list .row", has=self.tab.locator(f".name:text-is('{name}')"))

    def choose(self, name):
        """Opens a conversation by its row."""
        back = self.tab.locator("dialog-header .back")
        if back.is_visible():
            back.click()
        self.row(name).click()
        self.tab.wait_for_function("name => document.querySelector('dialog-header h2').textContent === name", arg=name)
        self.tab.wait_for_function("() => document.querySelector('message-list').getAttribute('aria-busy') === 'false'")
        # The focus comes last.
        self.tab.wait_for_function("() => document.activeElement.matches('#field, dialog-header h2') || document.querySelector('#field').disabled")

    def write(self, text):
        self.tab.fill("#field", text)
        self.tab.press("#field", "Enter")
        self.tab.wait_for_function("() => document.querySelector('#field').value === ''")

    def message(self, text):
        return self.tab.locator("li.message", has=self.tab.locator(f".text:has-text({quoted(text)})")).last

    def sees(self, selector, **more):
        self.tab.wait_for_selector(selector, **more)

    def command(self, name, text):
        """An action of a message, with the pointer."""
        message = self.message(text)
        message.hover()
        message.locator(f".actions [aria-label='{name}']").click()

    def close_sheet(self):
        if self.tab.locator("dialog.sheet").count() > 0:
            self.tab.keyboard.press("Escape")
            self.tab.wait_for_selector("dialog.sheet", state="detached")

    def scroller(self, script, argument=None):
        return self.tab.evaluate(f"(argument) => {{ const scroller = document.querySelector('.scroller'); {script} }}", argument)

    def axe(self):
        """What axe finds serious or critical, in words."""
        # The page forbids scripts from elsewhere; the DevTools put this one beside it.
        self.tab.evaluate(AXE.read_text())
        found = self.tab.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
        grave = [each for each in found if each["impact"] in ("serious", "critical")]
        return [f"{each['id']}: {each['nodes'][0]['html'][:160]} ({each['nodes'][0].get('failureSummary', '')[:200]})" for each in grave]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def compress(picture):
    """Fewer colours, where the tool is there: a picture for the README stays small."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--quality", "70-95", "--output", picture, picture], check=False)
