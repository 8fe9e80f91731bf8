// What Linux says about networks and clocks, and Swift's Glibc module does not have: rtnetlink(7), timerfd_create(2).
// And what Swift does not always find there.

#ifndef CLINUXNETWORK_SHIM_H
#define CLINUXNETWORK_SHIM_H

#if !__has_include(<linux/netlink.h>)
#error "Linux's headers are missing, and Earshot runs on nothing else: install linux-libc-dev"
#endif

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// Several C modules include sys/socket.h. Swift takes its enumerators for one module's, and which one depends on the files
// that are compiled together: a file that imports another module does not find them. These have one owner.
static const int clinuxnetwork_datagram = SOCK_DGRAM;
static const int clinuxnetwork_stream = SOCK_STREAM;
static const int clinuxnetwork_raw = SOCK_RAW;
static const int clinuxnetwork_close_on_exec = SOCK_CLOEXEC;
static const int clinuxnetwork_no_wait = MSG_DONTWAIT;

// How a datagram came over IP.
struct clinuxnetwork_arrival {
    // Its bytes, at most as many as there was room for; or -1 with errno.
    ssize_t count;
    // The address that it came from: 4 or 16 bytes, then zeros; and the port.
    unsigned char source[16];
    in_port_t port;
    // The interface that it came to, and whether it was sent to a group: 0 and false where the socket does not tell.
    unsigned interface;
    bool is_to_group;
};

// The first datagram of a socket, which stays where it is. Does not wait.
static inline struct clinuxnetwork_arrival clinuxnetwork_peek_datagram(int socket, void *buffer, size_t size) {
    union {
        struct cmsghdr header;
        char bytes[256];
    } control;
    struct sockaddr_storage source = {.ss_family = AF_UNSPEC};
    struct iovec place = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {
        .msg_name = &source, .msg_namelen = sizeof source, .msg_iov = &place, .msg_iovlen = 1,
        .msg_control = &control, .msg_controllen = sizeof control};
    struct clinuxnetwork_arrival arrival = {.count = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT)};
    if (arrival.count < 0) return arrival;
    if (source.ss_family == AF_INET) {
        struct sockaddr_in *address = (struct sockaddr_in *)&source;
        memcpy(arrival.source, &address->sin_addr, sizeof address->sin_addr);
        arrival.port = ntohs(address->sin_port);
    } else if (source.ss_family == AF_INET6) {
        struct sockaddr_in6 *address = (struct sockaddr_in6 *)&source;
        memcpy(arrival.source, &address->sin6_addr, sizeof address->sin6_addr);
        arrival.port = ntohs(address->sin6_port);
    }
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part != NULL; part = CMSG_NXTHDR(&message, part)) {
        const unsigned char *data = CMSG_DATA(part);
        // ip(7): the interface, an address of this host, and the address that it was sent to.
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            memcpy(&arrival.interface, data, sizeof arrival.interface);
            arrival.is_to_group = data[sizeof arrival.interface + sizeof(struct in_addr)] >> 4 == 0xe;
        }
        // ipv6(7): the address that it was sent to, and the interface.
        if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            memcpy(&arrival.interface, data + sizeof(struct in6_addr), sizeof arrival.interface);
            arrival.is_to_group = data[0] == 0xff;
        }
    }
    return arrival;
}

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
