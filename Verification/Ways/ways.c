// Notes which functions of a program run, in order: script/ways links it with a build whose functions call in here when they
// begin (-sanitize-coverage=func,trace-pc-guard; clang, SanitizerCoverage). SIGUSR1 begins, and SIGUSR2 writes what was noted
// since to the file that EARSHOT_WAYS names: an offset in the program a line.
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { LIMIT = 1 << 22 };

static uintptr_t calls[LIMIT];
static atomic_uint count = LIMIT;
static const char *path;
extern char __executable_start;

#define PLAIN __attribute__((no_sanitize("address", "coverage")))

PLAIN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    (void)start, (void)stop;
}

PLAIN void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    (void)guard;
    if (atomic_load_explicit(&count, memory_order_relaxed) >= LIMIT) return;
    unsigned index = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (index < LIMIT) calls[index] = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__executable_start;
}

PLAIN static void begin(int number) {
    (void)number;
    atomic_store(&count, 0);
}

PLAIN static void end(int number) {
    (void)number;
    unsigned noted = atomic_exchange(&count, LIMIT);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) _exit(70);
    for (unsigned index = 0; index < noted && index < LIMIT; index++) {
        char line[19];
        int length = sizeof line;
        line[--length] = '\n';
        for (uintptr_t rest = calls[index]; length > 2; rest >>= 4) line[--length] = "0123456789abcdef"[rest & 15];
        line[1] = 'x', line[0] = '0';
        if (write(file, line, sizeof line) != sizeof line) _exit(70);
    }
    // What is written is complete where the last line says so.
    if (write(file, "end\n", 4) != 4 || close(file) != 0) _exit(70);
}

__attribute__((constructor)) PLAIN static void prepare(void) {
    path = getenv("EARSHOT_WAYS");
    if (path == NULL) return;
    struct sigaction action = {.sa_flags = SA_RESTART};
    action.sa_handler = begin;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = end;
    sigaction(SIGUSR2, &action, NULL);
}
