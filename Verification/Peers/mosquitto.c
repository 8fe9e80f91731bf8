/* Two clients of a mosquitto broker: QoS 1 both ways, TLS, sessions that last.
 *
 *   mosquitto PORT CA MESSAGES SINGLES WINDOW
 *
 * MQTT acknowledges from hop to hop. The recipient therefore publishes a receipt for all that it has read at once. */
#include <mosquitto.h>
#include <openssl/ssl.h>
#include <poll.h>

#include "driver.h"

enum { READ_AT_ONCE = 256, PATIENCE = 10000 };

typedef struct {
    int port;
    const char *authority;
    const char *name, *inbox;
    long last;
    int is_subscribed, is_recipient;
} client;

static void on_connect(struct mosquitto *connection, void *context, int code) {
    CHECK(code == 0);
    CHECK(mosquitto_subscribe(connection, NULL, ((client *)context)->inbox, 1) == MOSQ_ERR_SUCCESS);
}

static void on_subscribe(struct mosquitto *connection, void *context, int id, int count, const int *granted) {
    (void)connection, (void)id;
    CHECK(count == 1 && granted[0] == 1);
    ((client *)context)->is_subscribed = 1;
}

static void on_message(struct mosquitto *connection, void *context, const struct mosquitto_message *message) {
    (void)connection;
    client *client = context;
    long number = strtol(message->payload, NULL, 10);
    if (client->is_recipient) CHECK(message->payloadlen == TEXT && number == client->last + 1);
    client->last = number;
}

static struct mosquitto *connect_client(client *client) {
    struct mosquitto *connection = mosquitto_new(client->name, false, client);
    CHECK(connection);
    CHECK(mosquitto_username_pw_set(connection, client->name, "secret") == MOSQ_ERR_SUCCESS);
    CHECK(mosquitto_tls_set(connection, client->authority, NULL, NULL, NULL, NULL) == MOSQ_ERR_SUCCESS);
    mosquitto_int_option(connection, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_max_inflight_messages_set(connection, 0);
    mosquitto_connect_callback_set(connection, on_connect);
    mosquitto_subscribe_callback_set(connection, on_subscribe);
    mosquitto_message_callback_set(connection, on_message);
    CHECK(mosquitto_connect(connection, "localhost", client->port, 3600) == MOSQ_ERR_SUCCESS);
    while (!client->is_subscribed) CHECK(mosquitto_loop(connection, PATIENCE, 1) == MOSQ_ERR_SUCCESS);
    return connection;
}

/* Waits for packets, and takes what is there. */
static void read_packets(struct mosquitto *connection) {
    SSL *tls = mosquitto_ssl_get(connection);
    struct pollfd poller = {.fd = mosquitto_socket(connection), .events = POLLIN};
    if (mosquitto_want_write(connection)) poller.events |= POLLOUT;
    if (SSL_pending(tls) == 0) CHECK(poll(&poller, 1, PATIENCE) > 0);
    for (int i = 0; i < READ_AT_ONCE; i++) {
        if (mosquitto_want_write(connection)) CHECK(mosquitto_loop_write(connection, 1) == MOSQ_ERR_SUCCESS);
        if (SSL_pending(tls) == 0 && (poll(&poller, 1, 0) < 1 || !(poller.revents & POLLIN))) return;
        CHECK(mosquitto_loop_read(connection, 1) == MOSQ_ERR_SUCCESS);
    }
}

static void receive(int ready, void *context) {
    client *sender = context;
    client client = {.port = sender->port, .authority = sender->authority, .name = "bob", .inbox = "to/bob"};
    client.is_recipient = 1;
    struct mosquitto *connection = connect_client(&client);
    is_ready(ready);
    for (long receipted = 0;;) {
        read_packets(connection);
        if (client.last == receipted) continue;
        receipted = client.last;
        char text[24];
        int length = snprintf(text, sizeof text, "%ld", receipted);
        CHECK(mosquitto_publish(connection, NULL, "to/alice", length, text, 1, false) == MOSQ_ERR_SUCCESS);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 6);
    mosquitto_lib_init();
    client client = {.port = atoi(argv[1]), .authority = argv[2], .name = "alice", .inbox = "to/alice"};
    run run;
    run_begin(&run, atol(argv[3]), atol(argv[4]), atol(argv[5]));
    recipient recipient = start_recipient(receive, &client);
    await_recipient(&recipient);
    struct mosquitto *connection = connect_client(&client);
    char text[TEXT + 1];
    while (!run_has_ended(&run)) {
        for (long number; (number = run_next(&run));) {
            write_text(text, number);
            CHECK(mosquitto_publish(connection, NULL, "to/bob", TEXT, text, 1, false) == MOSQ_ERR_SUCCESS);
        }
        read_packets(connection);
        run_acknowledged(&run, client.last);
    }
    run_print(&run);
    end_recipient(&recipient);
    return 0;
}
