// Avahi's own multicast DNS stack, to be run in a process (libavahi-core).

#ifndef CAVAHICORE_SHIM_H
#define CAVAHICORE_SHIM_H

#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>

// Under names of their own, since Swift takes the library's for part of CDNSSD.
static inline char *cavahi_copy(const char *text) { return avahi_strdup(text); }
static inline void cavahi_free(void *memory) { avahi_free(memory); }

static inline void cavahi_no_log(AvahiLogLevel level, const char *text) {
    (void)level;
    (void)text;
}

// Has the library write nothing to the standard error. For the whole process; to be called once, before the first
// stack is made. What goes wrong is told by the library's error codes too.
static inline void cavahi_silence(void) { avahi_set_log_function(cavahi_no_log); }

#endif
