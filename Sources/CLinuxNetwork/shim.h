// What Linux says about networks and clocks, and Swift's Glibc module does not have: rtnetlink(7), timerfd_create(2).

#ifndef CLINUXNETWORK_SHIM_H
#define CLINUXNETWORK_SHIM_H

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

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
