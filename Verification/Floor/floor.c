/* The least program that does the whole job of a message, as a measure for those that do more.
 *
 *   floor FOLDER MESSAGES SINGLES
 *
 * A message is signed and committed by its sender, encrypted, sent over TCP, decrypted, verified and committed by its
 * recipient; a signed receipt goes back and is verified and committed: three commits a message, each synced. Each side is
 * a process with one thread. What waits in the socket is committed together, up to GROUP messages, and one receipt covers
 * it. There is no discovery, no handshake, no history to page through, and no second conversation.
 *
 * Prints one JSON object: messages a second with WINDOW under way, the time of one at a time, and the time of each part
 * measured in turns with it. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sodium.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT = 100,
    /* Messages under way at once in the run that measures the rate. */
    WINDOW = 1024,
    /* Messages of one commit. */
    GROUP = 256,
    /* So many that the log of each store is written over, and does not grow with each commit. */
    WARM_UP = 1200,
    /* Messages and parts are measured in so many turns. */
    TURNS = 20,
    /* Verifications before the run that measures the rate, and after it. */
    VERIFICATIONS = 5000,
    TAG = crypto_aead_chacha20poly1305_IETF_ABYTES,
    SIGNATURE = crypto_sign_BYTES,
};

typedef struct {
    uint64_t number;
    unsigned char text[TEXT];
    unsigned char signature[SIGNATURE];
} __attribute__((packed)) message;

/* Covers all messages up to a number. */
typedef struct {
    uint64_t upto;
    unsigned char signature[SIGNATURE];
} __attribute__((packed)) receipt;

/* What is on the wire. An echo is not sealed. */
typedef struct {
    unsigned char kind;
    unsigned char sealed[sizeof(message) + TAG];
} __attribute__((packed)) frame;

typedef struct {
    unsigned char sealed[sizeof(receipt) + TAG];
} __attribute__((packed)) receipt_frame;

enum { MESSAGE = 1, ECHO = 2 };

typedef struct {
    unsigned char key[crypto_aead_chacha20poly1305_IETF_KEYBYTES];
    uint64_t nonce;
} stream_cipher;

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *begin, *commit, *message, *receipt;
} store;

typedef struct {
    int socket;
    store store;
    unsigned char secret[crypto_sign_SECRETKEYBYTES], peer[crypto_sign_PUBLICKEYBYTES];
    stream_cipher out, in;
    /* The last message that was sent, and the last that a receipt covers. */
    uint64_t sent, delivered;
} side;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
            exit(1); \
        } \
    } while (0)

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers. */
static double quantile(double *numbers, int count, double share) {
    qsort(numbers, count, sizeof *numbers, by_size);
    return numbers[(int)(share * (count - 1))];
}

/* --- Sealing */

static void seal(stream_cipher *cipher, const void *plain, size_t length, unsigned char *sealed) {
    unsigned char nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES] = {0};
    memcpy(nonce, &cipher->nonce, sizeof cipher->nonce);
    cipher->nonce++;
    crypto_aead_chacha20poly1305_ietf_encrypt(sealed, NULL, plain, length, NULL, 0, NULL, nonce, cipher->key);
}

static void open_sealed(stream_cipher *cipher, const unsigned char *sealed, size_t length, void *plain) {
    unsigned char nonce[crypto_aead_chacha20poly1305_IETF_NPUBBYTES] = {0};
    memcpy(nonce, &cipher->nonce, sizeof cipher->nonce);
    cipher->nonce++;
    CHECK(crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, sealed, length, NULL, 0, nonce, cipher->key) == 0);
}

/* --- Storing */

static void step(sqlite3_stmt *statement) {
    CHECK(sqlite3_step(statement) == SQLITE_DONE);
    sqlite3_reset(statement);
}

static sqlite3_stmt *prepared(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement;
    CHECK(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) == SQLITE_OK);
    return statement;
}

static void open_store(store *store, const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.db", folder, name);
    CHECK(sqlite3_open(path, &store->db) == SQLITE_OK);
    CHECK(sqlite3_exec(store->db,
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE message (number INTEGER PRIMARY KEY, text BLOB, signature BLOB);"
        "CREATE TABLE receipt (log INTEGER PRIMARY KEY, upto INTEGER, signature BLOB);", NULL, NULL, NULL) == SQLITE_OK);
    store->begin = prepared(store->db, "BEGIN IMMEDIATE");
    store->commit = prepared(store->db, "COMMIT");
    store->message = prepared(store->db, "INSERT INTO message VALUES (?, ?, ?)");
    store->receipt = prepared(store->db, "INSERT OR REPLACE INTO receipt VALUES (1, ?, ?)");
}

static void insert_message(store *store, const message *message) {
    sqlite3_bind_int64(store->message, 1, message->number);
    sqlite3_bind_blob(store->message, 2, message->text, TEXT, SQLITE_STATIC);
    sqlite3_bind_blob(store->message, 3, message->signature, SIGNATURE, SQLITE_STATIC);
    step(store->message);
}

static void commit_receipt(store *store, const receipt *receipt) {
    sqlite3_bind_int64(store->receipt, 1, receipt->upto);
    sqlite3_bind_blob(store->receipt, 2, receipt->signature, SIGNATURE, SQLITE_STATIC);
    step(store->receipt);
}

static int64_t count_of_messages(store *store) {
    sqlite3_stmt *statement = prepared(store->db, "SELECT count(*) FROM message");
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    int64_t count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return count;
}

/* --- Sending and receiving */

static void write_all(int socket, const void *bytes, size_t length) {
    for (const char *next = bytes; length > 0;) {
        ssize_t written = send(socket, next, length, 0);
        CHECK(written > 0);
        next += written;
        length -= written;
    }
}

/* Reads what is there, at least one unit and at most `capacity` bytes, and waits for it unless told otherwise.
 * Returns how many whole units came: 0 at the end, or if nothing is there. */
static size_t read_units(int socket, void *buffer, size_t capacity, size_t unit, int flags) {
    ssize_t got = recv(socket, buffer, capacity, flags);
    if (got < 0 && errno == EAGAIN) return 0;
    CHECK(got >= 0);
    size_t rest = got % unit;
    if (rest > 0) {
        CHECK(recv(socket, (char *)buffer + got, unit - rest, MSG_WAITALL) == (ssize_t)(unit - rest));
        got += unit - rest;
    }
    return got / unit;
}

static void receive_until_end(side *side) {
    static frame frames[GROUP];
    static message messages[GROUP];
    size_t count;
    while ((count = read_units(side->socket, frames, sizeof frames, sizeof *frames, 0)) > 0) {
        if (frames[0].kind == ECHO) {
            CHECK(count == 1);
            write_all(side->socket, frames, sizeof(receipt_frame));
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            message *message = &messages[i];
            open_sealed(&side->in, frames[i].sealed, sizeof frames[i].sealed, message);
            CHECK(message->number == side->delivered + i + 1);
            CHECK(crypto_sign_verify_detached(
                message->signature, (unsigned char *)message, sizeof *message - SIGNATURE, side->peer) == 0);
        }
        if (count > 1) step(side->store.begin);
        for (size_t i = 0; i < count; i++) insert_message(&side->store, &messages[i]);
        if (count > 1) step(side->store.commit);
        side->delivered += count;
        receipt receipt = {.upto = side->delivered};
        crypto_sign_detached(receipt.signature, NULL, (unsigned char *)&receipt, sizeof receipt.upto, side->secret);
        receipt_frame answer;
        seal(&side->out, &receipt, sizeof receipt, answer.sealed);
        write_all(side->socket, &answer, sizeof answer);
    }
    CHECK(count_of_messages(&side->store) == (int64_t)side->delivered);
}

static void send_group(side *side, int count) {
    static message messages[GROUP];
    static frame frames[GROUP];
    if (count > 1) step(side->store.begin);
    for (int i = 0; i < count; i++) {
        message *message = &messages[i];
        message->number = side->sent + i + 1;
        memset(message->text, 'x', TEXT);
        crypto_sign_detached(
            message->signature, NULL, (unsigned char *)message, sizeof *message - SIGNATURE, side->secret);
        insert_message(&side->store, message);
    }
    if (count > 1) step(side->store.commit);
    for (int i = 0; i < count; i++) {
        frames[i].kind = MESSAGE;
        seal(&side->out, &messages[i], sizeof messages[i], frames[i].sealed);
    }
    write_all(side->socket, frames, count * sizeof *frames);
    side->sent += count;
}

static void take_receipts(side *side, int flags) {
    receipt_frame frames[WINDOW];
    size_t count = read_units(side->socket, frames, sizeof frames, sizeof *frames, flags);
    CHECK(count > 0 || flags == MSG_DONTWAIT);
    receipt receipt;
    for (size_t i = 0; i < count; i++) {
        open_sealed(&side->in, frames[i].sealed, sizeof frames[i].sealed, &receipt);
        CHECK(crypto_sign_verify_detached(
            receipt.signature, (unsigned char *)&receipt, sizeof receipt.upto, side->peer) == 0);
        CHECK(receipt.upto > side->delivered && receipt.upto <= side->sent);
        side->delivered = receipt.upto;
    }
    if (count > 0) commit_receipt(&side->store, &receipt);
}

/* Returns when the last message is delivered. */
static void send_messages(side *side, uint64_t count, uint64_t window) {
    uint64_t end = side->sent + count;
    while (side->delivered < end) {
        uint64_t group = window - (side->sent - side->delivered);
        if (group > end - side->sent) group = end - side->sent;
        if (group > GROUP) group = GROUP;
        if (group > 0) send_group(side, group);
        int has_room = side->sent < end && side->sent - side->delivered < window;
        take_receipts(side, has_room ? MSG_DONTWAIT : 0);
    }
}

/* --- Measuring */

static void echo(side *side) {
    frame frame = {.kind = ECHO};
    receipt_frame answer;
    write_all(side->socket, &frame, sizeof frame);
    CHECK(recv(side->socket, &answer, sizeof answer, MSG_WAITALL) == sizeof answer);
}

typedef struct {
    double *single, *commit, *sign, *verify, *round_trip, *aead;
} times;

/* One at a time, and each part of it alone, in turns. */
static void measure_singles(side *side, store *scratch, int count, times *times) {
    message message = {.number = 0};
    while (message.number < WARM_UP) {
        message.number++;
        insert_message(scratch, &message);
    }
    unsigned char sealed[sizeof message + TAG];
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    crypto_sign_ed25519_sk_to_pk(public, side->secret);
    stream_cipher out = {.nonce = 0}, in = {.nonce = 0};
    int done = 0;
    for (int turn = 1; turn <= TURNS; turn++) {
        int end = (int)((int64_t)count * turn / TURNS);
        for (int i = done; i < end; i++) {
            double start = now_us();
            send_messages(side, 1, 1);
            times->single[i] = now_us() - start;
        }
        for (int i = done; i < end; i++) {
            message.number++;
            double start = now_us();
            insert_message(scratch, &message);
            times->commit[i] = now_us() - start;
        }
        for (int i = done; i < end; i++) {
            double start = now_us();
            echo(side);
            times->round_trip[i] = now_us() - start;
        }
        for (int i = done; i < end; i++) {
            double start = now_us();
            crypto_sign_detached(
                message.signature, NULL, (unsigned char *)&message, sizeof message - SIGNATURE, side->secret);
            double signed_at = now_us();
            CHECK(crypto_sign_verify_detached(
                message.signature, (unsigned char *)&message, sizeof message - SIGNATURE, public) == 0);
            double verified = now_us();
            seal(&out, &message, sizeof message, sealed);
            open_sealed(&in, sealed, sizeof sealed, &message);
            times->aead[i] = now_us() - verified;
            times->verify[i] = verified - signed_at;
            times->sign[i] = signed_at - start;
        }
        done = end;
    }
}

/* How long VERIFICATIONS take, one after another, whatever else this machine does. */
static double time_of_verifications(const side *side) {
    message message = {.number = 1};
    unsigned char public[crypto_sign_PUBLICKEYBYTES];
    crypto_sign_ed25519_sk_to_pk(public, side->secret);
    crypto_sign_detached(message.signature, NULL, (unsigned char *)&message, sizeof message - SIGNATURE, side->secret);
    double start = now_us();
    for (int i = 0; i < VERIFICATIONS; i++) {
        CHECK(crypto_sign_verify_detached(
            message.signature, (unsigned char *)&message, sizeof message - SIGNATURE, public) == 0);
    }
    return now_us() - start;
}

static int connect_sides(int *near, int *far) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    CHECK(bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    *near = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(connect(*near, (struct sockaddr *)&address, length) == 0);
    *far = accept(listener, NULL, NULL);
    CHECK(*far >= 0);
    setsockopt(*near, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(*far, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return close(listener);
}

int main(int argc, char **argv) {
    CHECK(argc == 4 && sodium_init() >= 0);
    const char *folder = argv[1];
    int messages = atoi(argv[2]), singles = atoi(argv[3]);
    CHECK(messages > 0 && singles > 0);

    side sender = {0}, recipient = {0};
    crypto_sign_keypair(recipient.peer, sender.secret);
    crypto_sign_keypair(sender.peer, recipient.secret);
    randombytes_buf(sender.out.key, sizeof sender.out.key);
    randombytes_buf(sender.in.key, sizeof sender.in.key);
    recipient.in = sender.out;
    recipient.out = sender.in;
    connect_sides(&sender.socket, &recipient.socket);

    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(sender.socket);
        open_store(&recipient.store, folder, "recipient");
        receive_until_end(&recipient);
        exit(0);
    }
    close(recipient.socket);
    open_store(&sender.store, folder, "sender");
    store scratch;
    open_store(&scratch, folder, "parts");

    send_messages(&sender, WARM_UP, 1);
    send_messages(&sender, 4 * WINDOW, WINDOW);
    times times;
    for (double **list = (double **)&times; list < (double **)(&times + 1); list++) *list = calloc(singles, sizeof **list);
    measure_singles(&sender, &scratch, singles, &times);
    double verifying = time_of_verifications(&sender);
    double start = now_us();
    send_messages(&sender, messages, WINDOW);
    double taken = now_us() - start;
    verifying += time_of_verifications(&sender);

    CHECK(count_of_messages(&sender.store) == (int64_t)sender.sent && sender.delivered == sender.sent);
    close(sender.socket);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    printf("{\"messages_per_second\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"commit_us\":%.2f,\"sign_us\":%.2f,"
           "\"verify_us\":%.2f,\"round_trip_us\":%.2f,\"aead_us\":%.2f,\"verifications_per_second\":%.1f}\n",
        messages / taken * 1e6, quantile(times.single, singles, 0.5), quantile(times.single, singles, 0.99),
        quantile(times.commit, singles, 0.5), quantile(times.sign, singles, 0.5), quantile(times.verify, singles, 0.5),
        quantile(times.round_trip, singles, 0.5), quantile(times.aead, singles, 0.5),
        2 * VERIFICATIONS / verifying * 1e6);
    return 0;
}
