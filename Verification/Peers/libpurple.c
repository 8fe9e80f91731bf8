/* Two accounts of libpurple's link-local XMPP (Bonjour), which find each other over DNS-SD.
 *
 *   libpurple FOLDER MESSAGES SINGLES WINDOW
 *
 * The protocol has no receipts, so the recipient answers with a message for what it has read at once. */
#include <glib.h>
#include <purple.h>

#include "driver.h"

#define PROGRAM "earshot-bench"
enum { FIRST_PORT = 5298, DISCOVERY_SECONDS = 60 };

typedef struct {
    const char *name, *other, *folder;
    int port;
    PurpleConnection *connection;
    char *buddy;
    GMainLoop *loop;
    /* Of the sender; NULL if this is the recipient. */
    run *run;
    int ready;
    long last, answered;
} side;

/* --- The library's event loop, on GLib's */

typedef struct watch {
    PurpleInputFunction function;
    gpointer data;
} watch;

static gboolean on_input(GIOChannel *channel, GIOCondition condition, gpointer data) {
    watch *watch = data;
    int what = 0;
    if (condition & (G_IO_IN | G_IO_HUP | G_IO_ERR)) what |= PURPLE_INPUT_READ;
    if (condition & (G_IO_OUT | G_IO_HUP | G_IO_ERR | G_IO_NVAL)) what |= PURPLE_INPUT_WRITE;
    watch->function(watch->data, g_io_channel_unix_get_fd(channel), what);
    return TRUE;
}

static guint add_input(int descriptor, PurpleInputCondition condition, PurpleInputFunction function, gpointer data) {
    watch *watch = g_new0(struct watch, 1);
    *watch = (struct watch){.function = function, .data = data};
    int what = 0;
    if (condition & PURPLE_INPUT_READ) what |= G_IO_IN | G_IO_HUP | G_IO_ERR;
    if (condition & PURPLE_INPUT_WRITE) what |= G_IO_OUT | G_IO_HUP | G_IO_ERR | G_IO_NVAL;
    GIOChannel *channel = g_io_channel_unix_new(descriptor);
    guint id = g_io_add_watch_full(channel, G_PRIORITY_DEFAULT, what, on_input, watch, g_free);
    g_io_channel_unref(channel);
    return id;
}

static PurpleEventLoopUiOps event_loop = {
    .timeout_add = g_timeout_add,
    .timeout_remove = g_source_remove,
    .input_add = add_input,
    .input_remove = g_source_remove,
    .timeout_add_seconds = g_timeout_add_seconds,
};

/* --- Sending and receiving */

static void send_text(side *side, const char *text) {
    CHECK(serv_send_im(side->connection, side->buddy, text, 0) >= 0);
}

static void send_messages(side *side) {
    char text[TEXT + 1];
    for (long number; (number = run_next(side->run));) {
        write_text(text, number);
        send_text(side, text);
    }
}

static gboolean answer(gpointer data) {
    side *side = data;
    char text[24];
    snprintf(text, sizeof text, "%ld", side->last);
    side->answered = side->last;
    send_text(side, text);
    return G_SOURCE_REMOVE;
}

static void on_message(
    PurpleAccount *account, char *from, char *text, PurpleConversation *conversation, PurpleMessageFlags flags,
    gpointer data) {
    (void)account, (void)conversation, (void)flags;
    side *side = data;
    CHECK(strcmp(from, side->buddy) == 0);
    char *plain = purple_markup_strip_html(text);
    long number = strtol(plain, NULL, 10);
    size_t length = strlen(plain);
    g_free(plain);
    if (side->run) {
        run_acknowledged(side->run, number);
        if (run_has_ended(side->run)) g_main_loop_quit(side->loop);
        send_messages(side);
        return;
    }
    CHECK(length == TEXT && number == side->last + 1);
    if (side->last++ == side->answered) g_idle_add_full(G_PRIORITY_DEFAULT, answer, side, NULL);
}

static void on_buddy(PurpleBuddy *buddy, gpointer data) {
    side *side = data;
    const char *name = purple_buddy_get_name(buddy);
    size_t length = strlen(side->other);
    if (side->buddy || strncmp(name, side->other, length) != 0 || name[length] != '@') return;
    side->buddy = g_strdup(name);
    side->connection = purple_account_get_connection(purple_buddy_get_account(buddy));
    if (side->run) g_main_loop_quit(side->loop);
    else is_ready(side->ready);
}

static void on_error(PurpleConnection *connection, PurpleConnectionError error, const gchar *text, gpointer data) {
    (void)connection, (void)error, (void)data;
    fprintf(stderr, "libpurple: %s\n", text);
    exit(1);
}

static gboolean on_deadline(gpointer data) {
    if (!((side *)data)->buddy) {
        fprintf(stderr, "the two accounts do not find each other\n");
        exit(1);
    }
    return G_SOURCE_REMOVE;
}

/* Signs on, and calls `on_buddy` when the other is found. */
static void sign_on(side *side) {
    char folder[4096], name[256], host[128];
    snprintf(folder, sizeof folder, "%s/%s", side->folder, side->name);
    CHECK(gethostname(host, sizeof host) == 0);
    snprintf(name, sizeof name, "%s@%s", side->name, host);
    purple_util_set_user_dir(folder);
    purple_eventloop_set_ui_ops(&event_loop);
    CHECK(purple_core_init(PROGRAM));
    purple_set_blist(purple_blist_new());
    purple_prefs_set_bool("/purple/logging/log_ims", FALSE);
    purple_signal_connect(purple_blist_get_handle(), "buddy-signed-on", side, PURPLE_CALLBACK(on_buddy), side);
    purple_signal_connect(
        purple_conversations_get_handle(), "received-im-msg", side, PURPLE_CALLBACK(on_message), side);
    purple_signal_connect(purple_connections_get_handle(), "connection-error", side, PURPLE_CALLBACK(on_error), side);
    CHECK(purple_find_prpl("prpl-bonjour"));
    PurpleAccount *account = purple_account_new(name, "prpl-bonjour");
    purple_account_set_int(account, "port", side->port);
    purple_accounts_add(account);
    purple_account_set_enabled(account, PROGRAM, TRUE);
    purple_savedstatus_activate(purple_savedstatus_new(NULL, PURPLE_STATUS_AVAILABLE));
    g_timeout_add_seconds(DISCOVERY_SECONDS, on_deadline, side);
    side->loop = g_main_loop_new(NULL, FALSE);
}

static void receive(int ready, void *context) {
    const side *sender = context;
    side side = {.name = sender->other, .other = sender->name, .folder = sender->folder, .port = sender->port + 1};
    side.ready = ready;
    sign_on(&side);
    g_main_loop_run(side.loop);
}

int main(int argc, char **argv) {
    CHECK(argc == 5);
    signal(SIGPIPE, SIG_IGN);
    run run;
    run_begin(&run, atol(argv[2]), atol(argv[3]), atol(argv[4]));
    /* Names of their own: those of an earlier run may still be in caches. */
    char alice[32], bob[32];
    snprintf(alice, sizeof alice, "alice%d", (int)getpid());
    snprintf(bob, sizeof bob, "bob%d", (int)getpid());
    side side = {.name = alice, .other = bob, .folder = argv[1], .port = FIRST_PORT};
    recipient recipient = start_recipient(receive, &side);
    side.run = &run;
    sign_on(&side);
    g_main_loop_run(side.loop);
    await_recipient(&recipient);
    send_messages(&side);
    g_main_loop_run(side.loop);
    run_print(&run);
    end_recipient(&recipient);
    return 0;
}
