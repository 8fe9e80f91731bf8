// Apple's DNS-SD interface as Avahi offers it (libavahi-compat-libdnssd).

#ifndef CDNSSD_SHIM_H
#define CDNSSD_SHIM_H

#include <avahi-common/malloc.h>
#include <dns_sd.h>
#include <stdlib.h>

static inline void *cdnssd_zeroed(size_t size) { return calloc(1, size); }

// Has Avahi's libraries fill new memory with zeros. To be called once, before any other call into them.
//
// Avahi 0.8 does not set the callbacks in a new DNSServiceRef that the operation does not use, and asks for each
// whether it is null when the daemon ends: without this it then calls whatever the memory held before.
static inline void cdnssd_use_zeroed_memory(void) {
    static const AvahiAllocator zeroing = {
        .malloc = cdnssd_zeroed, .free = free, .realloc = realloc, .calloc = calloc};
    avahi_set_allocator(&zeroing);
}

#endif
