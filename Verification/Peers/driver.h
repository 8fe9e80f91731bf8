/* What the drivers of all peers share: how many messages may be under way, the clock, and what is printed.
 *
 * A driver sends in four phases: one at a time to warm up, one at a time with the clock on each, many to warm up, and many
 * for the rate. It asks `run_next` for a message as long as one may be sent, and tells `run_acknowledged` what the
 * recipient has confirmed. Recipients are processes of their own. */
#ifndef PEERS_DRIVER_H
#define PEERS_DRIVER_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TEXT = 100, WARM_UP = 100, PHASES = 4, SINGLES_PHASE = 1, RATE_PHASE = 3 };

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
            exit(1); \
        } \
    } while (0)

typedef struct {
    struct {
        long end, window;
    } phases[PHASES];
    int phase;
    long sent, acknowledged;
    double began, seconds;
    double *latencies;
    long singles, messages;
} run;

static inline double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

/* The text of a message begins with its number. */
static inline void write_text(char text[TEXT + 1], long number) {
    memset(text, 'x', TEXT);
    char digits[24];
    snprintf(digits, sizeof digits, "%09ld ", number);
    memcpy(text, digits, 10);
    text[TEXT] = 0;
}

static inline void run_begin(run *run, long messages, long singles, long window) {
    CHECK(messages > 0 && singles > 0);
    long warm_up = 4 * window < messages ? 4 * window : messages;
    long counts[PHASES] = {WARM_UP, singles, warm_up, messages};
    memset(run, 0, sizeof *run);
    for (int i = 0; i < PHASES; i++) {
        run->phases[i].end = counts[i] + (i > 0 ? run->phases[i - 1].end : 0);
        run->phases[i].window = i > SINGLES_PHASE ? window : 1;
    }
    run->singles = singles;
    run->messages = messages;
    run->latencies = calloc(singles, sizeof *run->latencies);
}

/* The number of a message that is to be sent now; 0 if none may be. */
static inline long run_next(run *run) {
    if (run->phase == PHASES || run->sent == run->phases[run->phase].end) return 0;
    if (run->sent - run->acknowledged >= run->phases[run->phase].window) return 0;
    if (run->phase == SINGLES_PHASE || run->sent == run->phases[RATE_PHASE - 1].end) run->began = now_us();
    return ++run->sent;
}

/* The recipient has all messages up to a number. */
static inline void run_acknowledged(run *run, long upto) {
    CHECK(upto <= run->sent);
    if (upto <= run->acknowledged) return;
    run->acknowledged = upto;
    if (run->phase == SINGLES_PHASE) {
        run->latencies[run->singles - (run->phases[SINGLES_PHASE].end - upto) - 1] = now_us() - run->began;
    }
    if (upto < run->phases[run->phase].end) return;
    if (run->phase == RATE_PHASE) run->seconds = (now_us() - run->began) / 1e6;
    run->phase++;
}

static inline int run_has_ended(const run *run) { return run->phase == PHASES; }
static inline int run_is_single(const run *run) { return run->phase <= SINGLES_PHASE; }

static inline int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void run_print(run *run) {
    CHECK(run_has_ended(run));
    qsort(run->latencies, run->singles, sizeof *run->latencies, by_size);
    printf("{\"messages_per_second\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f}\n", run->messages / run->seconds,
        run->latencies[run->singles / 2], run->latencies[run->singles * 99 / 100]);
    fflush(stdout);
}

/* A recipient is ready when it has written a byte to a descriptor. */
typedef struct {
    pid_t process;
    int ready;
} recipient;

/* Starts the recipient, which ends with this process. */
static inline recipient start_recipient(void (*receive)(int ready, void *context), void *context) {
    int ends[2];
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        receive(ends[1], context);
        exit(0);
    }
    close(ends[1]);
    return (recipient){.process = child, .ready = ends[0]};
}

static inline void await_recipient(const recipient *recipient) {
    char byte;
    CHECK(read(recipient->ready, &byte, 1) == 1);
}

static inline void is_ready(int ready) {
    CHECK(write(ready, "r", 1) == 1);
    close(ready);
}

static inline void end_recipient(const recipient *recipient) {
    kill(recipient->process, SIGTERM);
    waitpid(recipient->process, NULL, 0);
}

#endif
