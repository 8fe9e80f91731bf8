/* Two clients of a NATS server with JetStream: a stream in files, TLS.
 *
 *   nats PORT CA MESSAGES SINGLES WINDOW
 *
 * The recipient acknowledges to the stream what it has read at once, and publishes one receipt for it. */
#include <nats/nats.h>

#include "driver.h"

enum { READ_AT_ONCE = 256, PATIENCE = 10000 };
static const char *const inbox = "to.bob", *const receipts = "receipts.alice", *const stream = "MESSAGES";

typedef struct {
    const char *port, *authority;
} server;

#define DO(call) \
    do { \
        natsStatus status = (call); \
        if (status != NATS_OK) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, natsStatus_GetText(status)); \
            nats_PrintLastErrorStack(stderr); \
            exit(1); \
        } \
    } while (0)

/* A connection writes at once, or gathers what is published for a moment. */
static natsConnection *connect_client(const server *server, const char *name, bool at_once) {
    natsOptions *options;
    natsConnection *connection;
    char url[64];
    snprintf(url, sizeof url, "tls://localhost:%s", server->port);
    DO(natsOptions_Create(&options));
    DO(natsOptions_SetURL(options, url));
    DO(natsOptions_SetUserInfo(options, name, "secret"));
    DO(natsOptions_SetSecure(options, true));
    DO(natsOptions_LoadCATrustedCertificates(options, server->authority));
    DO(natsOptions_SetSendAsap(options, at_once));
    DO(natsConnection_Connect(&connection, options));
    natsOptions_Destroy(options);
    return connection;
}

static void create_stream(jsCtx *js) {
    jsStreamConfig config;
    const char *subjects[] = {inbox};
    DO(jsStreamConfig_Init(&config));
    config.Name = stream;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    DO(js_AddStream(NULL, js, &config, NULL, NULL));
}

static void receive(int ready, void *context) {
    natsConnection *connection = connect_client(context, "bob", true);
    jsCtx *js;
    jsSubOptions options;
    natsSubscription *subscription;
    DO(natsConnection_JetStream(&js, connection, NULL));
    create_stream(js);
    DO(jsSubOptions_Init(&options));
    options.Stream = stream;
    options.ManualAck = true;
    options.Config.Durable = "bob";
    options.Config.AckPolicy = js_AckAll;
    options.Config.MaxAckPending = 65536;
    DO(js_SubscribeSync(&subscription, js, inbox, NULL, &options, NULL));
    is_ready(ready);
    for (long last = 0;;) {
        natsMsg *message;
        natsStatus status = natsSubscription_NextMsg(&message, subscription, PATIENCE);
        if (status == NATS_TIMEOUT) continue;
        DO(status);
        for (int i = 1;; i++) {
            long number = strtol(natsMsg_GetData(message), NULL, 10);
            CHECK(natsMsg_GetDataLength(message) == TEXT && number == last + 1);
            last = number;
            uint64_t waiting;
            DO(natsSubscription_QueuedMsgs(subscription, &waiting));
            if (waiting == 0 || i == READ_AT_ONCE) break;
            natsMsg_Destroy(message);
            DO(natsSubscription_NextMsg(&message, subscription, PATIENCE));
        }
        char text[24];
        snprintf(text, sizeof text, "%ld", last);
        DO(natsMsg_Ack(message, NULL));
        DO(natsConnection_PublishString(connection, receipts, text));
        natsMsg_Destroy(message);
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 6);
    server server = {.port = argv[1], .authority = argv[2]};
    run run;
    run_begin(&run, atol(argv[3]), atol(argv[4]), atol(argv[5]));
    recipient recipient = start_recipient(receive, &server);
    await_recipient(&recipient);
    /* The library's threads do not outlive a fork, so it is used from here on only. */
    natsConnection *connections[] = {connect_client(&server, "alice", true), connect_client(&server, "alice", false)};
    jsCtx *js[2];
    for (int i = 0; i < 2; i++) DO(natsConnection_JetStream(&js[i], connections[i], NULL));
    natsSubscription *subscription;
    DO(natsConnection_SubscribeSync(&subscription, connections[0], receipts));
    DO(natsConnection_Flush(connections[0]));
    char text[TEXT + 1];
    while (!run_has_ended(&run)) {
        for (long number; (number = run_next(&run));) {
            write_text(text, number);
            DO(js_PublishAsync(js[run_is_single(&run) ? 0 : 1], inbox, text, TEXT, NULL));
        }
        natsMsg *message;
        DO(natsSubscription_NextMsg(&message, subscription, PATIENCE));
        run_acknowledged(&run, strtol(natsMsg_GetData(message), NULL, 10));
        natsMsg_Destroy(message);
    }
    run_print(&run);
    end_recipient(&recipient);
    return 0;
}
