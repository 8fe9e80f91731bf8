// Apple's DNS-SD interface as Avahi offers it (libavahi-compat-libdnssd).
//
// It is not linked but loaded: CAvahiCore says why.

#ifndef CDNSSD_SHIM_H
#define CDNSSD_SHIM_H

#include <avahi-common/malloc.h>
#include <dlfcn.h>
#include <dns_sd.h>
#include <stdbool.h>
#include <stdlib.h>

// The functions of dns_sd.h that are used, under their names without DNSService.
typedef struct {
    __typeof__(&DNSServiceRegister) Register;
    __typeof__(&DNSServiceBrowse) Browse;
    __typeof__(&DNSServiceResolve) Resolve;
    __typeof__(&DNSServiceQueryRecord) QueryRecord;
    __typeof__(&DNSServiceRefSockFD) RefSockFD;
    __typeof__(&DNSServiceProcessResult) ProcessResult;
    __typeof__(&DNSServiceRefDeallocate) RefDeallocate;
} CDNSSDFunctions;

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

// Finds the functions. Returns whether they are there; else dlerror() says why not. The library stays loaded.
static inline bool cdnssd_load(CDNSSDFunctions *functions) {
    void *library = dlopen("libdns_sd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
#define CDNSSD_FIND(name) \
    if (!(functions->name = (__typeof__(functions->name))dlsym(library, "DNSService" #name))) return false
    CDNSSD_FIND(Register);
    CDNSSD_FIND(Browse);
    CDNSSD_FIND(Resolve);
    CDNSSD_FIND(QueryRecord);
    CDNSSD_FIND(RefSockFD);
    CDNSSD_FIND(ProcessResult);
    CDNSSD_FIND(RefDeallocate);
#undef CDNSSD_FIND
    return true;
}

#endif
