// Tells ThreadSanitizer what Swift's runtime does when a continuation is resumed before its task awaits it. Linked into every
// program that script/sanitize --thread builds, and into no other.
//
// The runtime tells the sanitizer that resuming comes before the task, as a release at the task's address, and a job that begins
// acquires it. A task that finds its continuation resumed already goes on without a new job: there nothing acquires, and what
// came with the continuation is taken for a race. This comes first in the program, acquires, and calls the true function.
// Nothing is suppressed.
//
// Should another toolchain mend or rename it, the check at the start of script/sanitize tells: it resumes continuations early.
// (swift: stdlib/public/Concurrency/Task.cpp, swift_continuation_await; seen with Swift 6.3.1.)

#define _GNU_SOURCE
#include <dlfcn.h>

// Of the sanitizer's runtime (sanitizer/tsan_interface.h), and of Swift's.
void __tsan_acquire(void *address);
void *swift_task_getCurrent(void);

#define ASYNC __attribute__((swiftasynccall))

typedef ASYNC void Await(void *continuation);

Await swift_continuation_await;

ASYNC void swift_continuation_await(void *continuation) {
    Await *await = (Await *)dlsym(RTLD_NEXT, "swift_continuation_await");
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return await(continuation);
}
