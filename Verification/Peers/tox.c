/* Two c-toxcore nodes over UDP, which know each other, with the library's read receipts.
 *
 *   tox MESSAGES SINGLES WINDOW
 *
 * A receipt rides on the next packet from the recipient, and if there is none, on one that the library sends each second.
 * The recipient therefore sends a packet of one byte after what it has read at once. The library shows no descriptor to
 * wait on, so each side calls it again and again. */
#include <sched.h>
#include <tox/tox.h>

#include "driver.h"

enum { PORT = 33500, PATIENCE_SECONDS = 120, PAUSE_US = 1000, FIRST_LOSSY_PACKET = 200 };

typedef struct {
    uint8_t address[TOX_ADDRESS_SIZE], dht[TOX_PUBLIC_KEY_SIZE];
    uint16_t port;
} contact;

typedef struct {
    Tox *tox;
    /* Of the sender; NULL if this is the recipient. */
    run *run;
    long last;
    /* Ids of messages under way. The library numbers them. */
    uint32_t first_id;
    int is_linked;
} node;

static void on_receipt(Tox *tox, uint32_t friend, uint32_t id, void *userdata) {
    (void)tox, (void)friend;
    node *node = userdata;
    CHECK(id == node->first_id + node->run->acknowledged);
    run_acknowledged(node->run, node->run->acknowledged + 1);
}

static void on_message(
    Tox *tox, uint32_t friend, TOX_MESSAGE_TYPE type, const uint8_t *text, size_t length, void *userdata) {
    (void)tox, (void)friend, (void)type;
    node *node = userdata;
    CHECK(length == TEXT && strtol((const char *)text, NULL, 10) == node->last + 1);
    node->last++;
}

static void on_link(Tox *tox, uint32_t friend, TOX_CONNECTION connection, void *userdata) {
    (void)tox, (void)friend;
    ((node *)userdata)->is_linked = connection == TOX_CONNECTION_UDP;
}

static Tox *make_tox(contact *contact) {
    struct Tox_Options *options = tox_options_new(NULL);
    tox_options_set_ipv6_enabled(options, false);
    tox_options_set_local_discovery_enabled(options, false);
    tox_options_set_start_port(options, PORT);
    tox_options_set_end_port(options, PORT + 10);
    Tox *tox = tox_new(options, NULL);
    CHECK(tox);
    tox_options_free(options);
    tox_self_get_address(tox, contact->address);
    tox_self_get_dht_id(tox, contact->dht);
    contact->port = tox_self_get_udp_port(tox, NULL);
    CHECK(contact->port != 0);
    return tox;
}

static void know(node *node, const contact *other) {
    CHECK(tox_friend_add_norequest(node->tox, other->address, NULL) == 0);
    CHECK(tox_bootstrap(node->tox, "127.0.0.1", other->port, other->dht, NULL));
    tox_callback_friend_read_receipt(node->tox, on_receipt);
    tox_callback_friend_message(node->tox, on_message);
    tox_callback_friend_connection_status(node->tox, on_link);
    double end = now_us() + PATIENCE_SECONDS * 1e6;
    while (!node->is_linked) {
        tox_iterate(node->tox, node);
        usleep(PAUSE_US);
        CHECK(now_us() < end);
    }
}

static void exchange(int in, int out, const contact *mine, contact *other) {
    CHECK(write(out, mine, sizeof *mine) == sizeof *mine);
    CHECK(read(in, other, sizeof *other) == sizeof *other);
}

/* Makes a node, and links it with the one at the other ends of the pipes. */
static void link_node(node *node, int in, int out) {
    contact mine, other;
    node->tox = make_tox(&mine);
    exchange(in, out, &mine, &other);
    know(node, &other);
}

typedef struct {
    int to_recipient[2], to_sender[2];
} pipes;

static void receive(int ready, void *context) {
    pipes *pipes = context;
    node node = {.run = NULL};
    link_node(&node, pipes->to_recipient[0], pipes->to_sender[1]);
    is_ready(ready);
    for (long answered = 0;;) {
        tox_iterate(node.tox, &node);
        if (node.last > answered) {
            const uint8_t packet = FIRST_LOSSY_PACKET;
            answered = node.last;
            tox_friend_send_lossy_packet(node.tox, 0, &packet, 1, NULL);
        }
        sched_yield();
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 4);
    run run;
    run_begin(&run, atol(argv[1]), atol(argv[2]), atol(argv[3]));
    pipes pipes;
    CHECK(pipe(pipes.to_recipient) == 0 && pipe(pipes.to_sender) == 0);
    recipient recipient = start_recipient(receive, &pipes);
    node node = {.run = &run};
    link_node(&node, pipes.to_sender[0], pipes.to_recipient[1]);
    await_recipient(&recipient);
    char text[TEXT + 1];
    while (!run_has_ended(&run)) {
        __typeof__(run) before = run;
        for (long number; (number = run_next(&run));) {
            write_text(text, number);
            TOX_ERR_FRIEND_SEND_MESSAGE error;
            uint32_t id = tox_friend_send_message(
                node.tox, 0, TOX_MESSAGE_TYPE_NORMAL, (const uint8_t *)text, TEXT, &error);
            if (error == TOX_ERR_FRIEND_SEND_MESSAGE_SENDQ) {
                /* The queue is full; the message is for the next turn. */
                run = before;
                break;
            }
            CHECK(error == TOX_ERR_FRIEND_SEND_MESSAGE_OK);
            if (number == 1) node.first_id = id;
            before = run;
        }
        tox_iterate(node.tox, &node);
        sched_yield();
    }
    run_print(&run);
    end_recipient(&recipient);
    return 0;
}
