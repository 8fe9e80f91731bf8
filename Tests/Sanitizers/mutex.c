// Tells ThreadSanitizer what Swift's Mutex does when two threads want it at once. Linked into every program that
// script/sanitize --thread builds, and into no other.
//
// On Linux `Mutex` (Synchronization) tries an atomic compare-and-exchange first. That is inlined into its user, so the
// sanitizer sees it. Where it fails, the mutex calls the three functions below in libswiftSynchronization, which is not
// instrumented and hands the lock over inside the kernel (FUTEX_LOCK_PI): the sanitizer sees no order between the two
// threads, and takes what the lock guards for a race. These come first in the program, call the true ones, and say what
// those did. Nothing is suppressed: what is touched without its lock is still found, in our code and in others'.
//
// Should another toolchain name them otherwise, the linker says nothing, but the check at the start of script/sanitize
// fails. (swift: stdlib/public/Synchronization/Mutex/LinuxImpl.swift; LLVM: the Swift calling convention.)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// Of the sanitizer's runtime (sanitizer/tsan_interface.h). The address is the futex's, as in the inlined part.
void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define CONTEXT __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t thread, CONTEXT void *handle);
typedef __attribute__((swiftcall)) bool TryLock(CONTEXT void *handle);
typedef __attribute__((swiftcall)) void Unlock(CONTEXT void *handle);

Lock lock __asm__(LOCK);
TryLock try_lock __asm__(TRY_LOCK);
Unlock unlock __asm__(UNLOCK);

__attribute__((swiftcall)) void lock(uint32_t thread, CONTEXT void *handle) {
    ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, handle);
    __tsan_acquire(handle);
}

__attribute__((swiftcall)) bool try_lock(CONTEXT void *handle) {
    bool is_locked = ((TryLock *)dlsym(RTLD_NEXT, TRY_LOCK))(handle);
    if (is_locked) __tsan_acquire(handle);
    return is_locked;
}

__attribute__((swiftcall)) void unlock(CONTEXT void *handle) {
    __tsan_release(handle);
    ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
