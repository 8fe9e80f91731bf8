#include "served_files.h"

#include <stddef.h>

// Before C23 an extension of clang.
#pragma clang diagnostic ignored "-Wc23-extensions"

const struct served_file served_document = {"openapi.yaml", (const char[]){
#embed "../../docs/openapi.yaml" suffix(, 0)
}};

// PageTests say which file is missing here.
static const struct served_file page[] = {
    {"acting/app.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/app.js" suffix(, 0)
    }},
    {"acting/attachments.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/attachments.js" suffix(, 0)
    }},
    {"acting/commands.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/commands.js" suffix(, 0)
    }},
    {"acting/dialogs.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/dialogs.js" suffix(, 0)
    }},
    {"acting/facts.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/facts.js" suffix(, 0)
    }},
    {"acting/gathering.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/gathering.js" suffix(, 0)
    }},
    {"acting/notifier.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/notifier.js" suffix(, 0)
    }},
    {"acting/people.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/people.js" suffix(, 0)
    }},
    {"acting/reading-watch.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/reading-watch.js" suffix(, 0)
    }},
    {"acting/store.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/store.js" suffix(, 0)
    }},
    {"acting/uploads.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/uploads.js" suffix(, 0)
    }},
    {"acting/writing.js", (const char[]){
#embed "../EarshotGateway/Page/Files/acting/writing.js" suffix(, 0)
    }},
    {"deciding/banners.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/banners.js" suffix(, 0)
    }},
    {"deciding/consequences.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/consequences.js" suffix(, 0)
    }},
    {"deciding/delivery.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/delivery.js" suffix(, 0)
    }},
    {"deciding/dialog-window.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/dialog-window.js" suffix(, 0)
    }},
    {"deciding/event-parser.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/event-parser.js" suffix(, 0)
    }},
    {"deciding/files.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/files.js" suffix(, 0)
    }},
    {"deciding/keys.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/keys.js" suffix(, 0)
    }},
    {"deciding/known-files.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/known-files.js" suffix(, 0)
    }},
    {"deciding/layout.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/layout.js" suffix(, 0)
    }},
    {"deciding/limits.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/limits.js" suffix(, 0)
    }},
    {"deciding/mentions.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/mentions.js" suffix(, 0)
    }},
    {"deciding/naming.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/naming.js" suffix(, 0)
    }},
    {"deciding/notifying.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/notifying.js" suffix(, 0)
    }},
    {"deciding/outgoing.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/outgoing.js" suffix(, 0)
    }},
    {"deciding/reading.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/reading.js" suffix(, 0)
    }},
    {"deciding/reduce-dialogs.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/reduce-dialogs.js" suffix(, 0)
    }},
    {"deciding/reduce-event.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/reduce-event.js" suffix(, 0)
    }},
    {"deciding/reduce.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/reduce.js" suffix(, 0)
    }},
    {"deciding/route.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/route.js" suffix(, 0)
    }},
    {"deciding/safe-text.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/safe-text.js" suffix(, 0)
    }},
    {"deciding/state.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/state.js" suffix(, 0)
    }},
    {"deciding/timeline.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/timeline.js" suffix(, 0)
    }},
    {"deciding/times.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/times.js" suffix(, 0)
    }},
    {"deciding/views.js", (const char[]){
#embed "../EarshotGateway/Page/Files/deciding/views.js" suffix(, 0)
    }},
    {"drawing/announcer.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/announcer.js" suffix(, 0)
    }},
    {"drawing/avatar.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/avatar.js" suffix(, 0)
    }},
    {"drawing/banner-stack.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/banner-stack.js" suffix(, 0)
    }},
    {"drawing/begin-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/begin-sheet.js" suffix(, 0)
    }},
    {"drawing/command.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/command.js" suffix(, 0)
    }},
    {"drawing/conversation-list.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/conversation-list.js" suffix(, 0)
    }},
    {"drawing/dialog-header.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/dialog-header.js" suffix(, 0)
    }},
    {"drawing/dom.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/dom.js" suffix(, 0)
    }},
    {"drawing/file-drop.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/file-drop.js" suffix(, 0)
    }},
    {"drawing/findings-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/findings-sheet.js" suffix(, 0)
    }},
    {"drawing/group-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/group-sheet.js" suffix(, 0)
    }},
    {"drawing/help-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/help-sheet.js" suffix(, 0)
    }},
    {"drawing/icons.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/icons.js" suffix(, 0)
    }},
    {"drawing/message-actions.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-actions.js" suffix(, 0)
    }},
    {"drawing/message-composer.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-composer.js" suffix(, 0)
    }},
    {"drawing/message-file.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-file.js" suffix(, 0)
    }},
    {"drawing/message-list.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-list.js" suffix(, 0)
    }},
    {"drawing/message-parts.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-parts.js" suffix(, 0)
    }},
    {"drawing/message-picture.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-picture.js" suffix(, 0)
    }},
    {"drawing/message-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-sheet.js" suffix(, 0)
    }},
    {"drawing/message-view.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/message-view.js" suffix(, 0)
    }},
    {"drawing/notification-level.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/notification-level.js" suffix(, 0)
    }},
    {"drawing/outgoing-files.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/outgoing-files.js" suffix(, 0)
    }},
    {"drawing/page.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/page.js" suffix(, 0)
    }},
    {"drawing/people-list.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/people-list.js" suffix(, 0)
    }},
    {"drawing/people-picker.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/people-picker.js" suffix(, 0)
    }},
    {"drawing/person-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/person-sheet.js" suffix(, 0)
    }},
    {"drawing/prepared-drafts.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/prepared-drafts.js" suffix(, 0)
    }},
    {"drawing/react-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/react-sheet.js" suffix(, 0)
    }},
    {"drawing/scroll-anchor.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/scroll-anchor.js" suffix(, 0)
    }},
    {"drawing/search-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/search-sheet.js" suffix(, 0)
    }},
    {"drawing/settings-sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/settings-sheet.js" suffix(, 0)
    }},
    {"drawing/sheet.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/sheet.js" suffix(, 0)
    }},
    {"drawing/theme.js", (const char[]){
#embed "../EarshotGateway/Page/Files/drawing/theme.js" suffix(, 0)
    }},
    {"index.html", (const char[]){
#embed "../EarshotGateway/Page/Files/index.html" suffix(, 0)
    }},
    {"main.js", (const char[]){
#embed "../EarshotGateway/Page/Files/main.js" suffix(, 0)
    }},
    {"styles/layout.css", (const char[]){
#embed "../EarshotGateway/Page/Files/styles/layout.css" suffix(, 0)
    }},
    {"styles/lists.css", (const char[]){
#embed "../EarshotGateway/Page/Files/styles/lists.css" suffix(, 0)
    }},
    {"styles/messages.css", (const char[]){
#embed "../EarshotGateway/Page/Files/styles/messages.css" suffix(, 0)
    }},
    {"styles/sheets.css", (const char[]){
#embed "../EarshotGateway/Page/Files/styles/sheets.css" suffix(, 0)
    }},
    {"styles/theme.css", (const char[]){
#embed "../EarshotGateway/Page/Files/styles/theme.css" suffix(, 0)
    }},
    {"talking/api-error.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/api-error.js" suffix(, 0)
    }},
    {"talking/api.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/api.js" suffix(, 0)
    }},
    {"talking/asking.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/asking.js" suffix(, 0)
    }},
    {"talking/event-stream.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/event-stream.js" suffix(, 0)
    }},
    {"talking/refresher.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/refresher.js" suffix(, 0)
    }},
    {"talking/session.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/session.js" suffix(, 0)
    }},
    {"talking/tab-storage.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/tab-storage.js" suffix(, 0)
    }},
    {"talking/upload.js", (const char[]){
#embed "../EarshotGateway/Page/Files/talking/upload.js" suffix(, 0)
    }},
};

const struct served_file *served_page_file(unsigned long number) {
    return number < sizeof page / sizeof *page ? &page[number] : NULL;
}
