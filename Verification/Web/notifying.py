"""Checks: of what the node tells its user, and where."""
from town import until


def run(town, page, rows):
    rows.trying("a conversation's notifications are chosen, and stay chosen", lambda: level(town, page))
    rows.trying("the settings list where the node tells of messages, and remove it", lambda: targets(town, page))


def level(town, page):
    page.choose("bob")
    page.tab.click("dialog-header [aria-label='About this conversation']")
    assert page.tab.is_checked("dialog.sheet input[name='notification-level'][value='all']")
    page.tab.click("dialog.sheet label:has-text('Mentions of me')")
    until("the node knows", lambda: town.alice.call("GET", "conversations/bob")["notificationLevel"] == "mentions")
    page.close_sheet()
    page.tab.click("dialog-header [aria-label='About this conversation']")
    assert page.tab.is_checked("dialog.sheet input[name='notification-level'][value='mentions']")
    page.tab.click("dialog.sheet label:has-text('Each message')")
    until("the node knows", lambda: town.alice.call("GET", "conversations/bob")["notificationLevel"] == "all")
    page.close_sheet()


def targets(town, page):
    town.alice.call("POST", "notifications/targets", {"kind": "command", "command": ["/bin/true"], "name": "quiet"})
    page.tab.click("[data-command=settings]")
    page.sees("dialog.sheet ul[aria-label='Where the node tells me'] li:has-text('quiet')")
    page.tab.click("dialog.sheet [aria-label='Remove quiet']")
    page.tab.click("dialog.sheet-confirm button:has-text('Remove')")
    until("the node tells nobody", lambda: town.alice.call("GET", "notifications/targets") == [])
