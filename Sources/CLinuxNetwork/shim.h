// What Linux says about networks and clocks, and Swift's Glibc module does not have: rtnetlink(7), timerfd_create(2).
// And what Swift does not always find there.

#ifndef CLINUXNETWORK_SHIM_H
#define CLINUXNETWORK_SHIM_H

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

// Several C modules include sys/socket.h. Swift takes its enumerators for one module's, and which one depends on the files
// that are compiled together: a file that imports another module does not find them. These have one owner.
static const int clinuxnetwork_datagram = SOCK_DGRAM;
static const int clinuxnetwork_stream = SOCK_STREAM;
static const int clinuxnetwork_raw = SOCK_RAW;
static const int clinuxnetwork_close_on_exec = SOCK_CLOEXEC;
static const int clinuxnetwork_peek = MSG_PEEK;
static const int clinuxnetwork_no_wait = MSG_DONTWAIT;

// What a clock shows, in nanoseconds, or -1 with errno. The members of struct timespec are found no better.
static inline long long clinuxnetwork_read_clock(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1000000000LL + time.tv_nsec : -1;
}

// A timer of the wall clock that never expires: it becomes readable when the clock is set, and when the machine resumes.
// Returns a file descriptor that does not block, or -1 with errno.
static inline int clinuxnetwork_clock_set_timer(void) {
    int timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0) return -1;
    struct itimerspec never = {.it_value = {.tv_sec = __INT64_MAX__}};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return timer;
    int failure = errno;
    close(timer);
    errno = failure;
    return -1;
}

#endif
