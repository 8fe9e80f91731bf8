/* Two clients of an XMPP server, with receipts of XEP-0184 and TLS.
 *
 *   prosody PORT CA MESSAGES SINGLES WINDOW
 */
#include <strophe.h>

#include "driver.h"

enum { WAIT_MS = 1000 };

typedef struct {
    const char *port, *authority;
} server;

typedef struct {
    const char *name;
    xmpp_ctx_t *context;
    xmpp_conn_t *connection;
    int is_connected;
    /* Of the sender; NULL if this is the recipient. */
    run *run;
    long last;
} client;

static void send_message(client *client, const char *to, const char *id, const char *text, const char *receipt_of) {
    xmpp_stanza_t *message = xmpp_message_new(client->context, "chat", to, id);
    if (text) CHECK(xmpp_message_set_body(message, text) == 0);
    xmpp_stanza_t *receipt = xmpp_stanza_new(client->context);
    xmpp_stanza_set_name(receipt, receipt_of ? "received" : "request");
    xmpp_stanza_set_ns(receipt, "urn:xmpp:receipts");
    if (receipt_of) xmpp_stanza_set_id(receipt, receipt_of);
    xmpp_stanza_add_child_ex(message, receipt, 0);
    xmpp_send(client->connection, message);
    xmpp_stanza_release(message);
}

static int take_message(xmpp_conn_t *connection, xmpp_stanza_t *message, void *userdata) {
    (void)connection;
    client *client = userdata;
    if (client->run) {
        xmpp_stanza_t *receipt = xmpp_stanza_get_child_by_name_and_ns(message, "received", "urn:xmpp:receipts");
        CHECK(receipt && xmpp_stanza_get_id(receipt));
        long number = strtol(xmpp_stanza_get_id(receipt), NULL, 10);
        CHECK(number == client->run->acknowledged + 1);
        run_acknowledged(client->run, number);
        return 1;
    }
    CHECK(xmpp_stanza_get_child_by_name_and_ns(message, "request", "urn:xmpp:receipts"));
    char *text = xmpp_message_get_body(message);
    CHECK(text && strlen(text) == TEXT && strtol(text, NULL, 10) == client->last + 1);
    client->last++;
    xmpp_free(client->context, text);
    send_message(client, xmpp_stanza_get_from(message), NULL, NULL, xmpp_stanza_get_id(message));
    return 1;
}

static void on_change(
    xmpp_conn_t *connection, xmpp_conn_event_t event, int error, xmpp_stream_error_t *stream_error, void *userdata) {
    (void)error, (void)stream_error;
    client *client = userdata;
    CHECK(event == XMPP_CONN_CONNECT && xmpp_conn_is_secured(connection));
    xmpp_handler_add(connection, take_message, NULL, "message", NULL, client);
    client->is_connected = 1;
}

static void connect_client(client *client, const server *server) {
    char name[64];
    snprintf(name, sizeof name, "%s@localhost/bench", client->name);
    xmpp_initialize();
    client->context = xmpp_ctx_new(NULL, xmpp_get_default_logger(XMPP_LEVEL_ERROR));
    client->connection = xmpp_conn_new(client->context);
    xmpp_conn_set_jid(client->connection, name);
    xmpp_conn_set_pass(client->connection, "secret");
    xmpp_conn_set_cafile(client->connection, server->authority);
    CHECK(xmpp_conn_set_flags(client->connection, XMPP_CONN_FLAG_MANDATORY_TLS) == XMPP_EOK);
    CHECK(xmpp_connect_client(client->connection, "127.0.0.1", atoi(server->port), on_change, client) == XMPP_EOK);
    while (!client->is_connected) xmpp_run_once(client->context, WAIT_MS);
}

static void receive(int ready, void *context) {
    client client = {.name = "bob"};
    connect_client(&client, context);
    is_ready(ready);
    for (;;) xmpp_run_once(client.context, WAIT_MS);
}

int main(int argc, char **argv) {
    CHECK(argc == 6);
    server server = {.port = argv[1], .authority = argv[2]};
    run run;
    run_begin(&run, atol(argv[3]), atol(argv[4]), atol(argv[5]));
    recipient recipient = start_recipient(receive, &server);
    await_recipient(&recipient);
    client client = {.name = "alice", .run = &run};
    connect_client(&client, &server);
    char text[TEXT + 1], id[24];
    while (!run_has_ended(&run)) {
        for (long number; (number = run_next(&run));) {
            write_text(text, number);
            snprintf(id, sizeof id, "%ld", number);
            send_message(&client, "bob@localhost/bench", id, text, NULL);
        }
        xmpp_run_once(client.context, WAIT_MS);
    }
    run_print(&run);
    end_recipient(&recipient);
    return 0;
}
