// Both ways into Avahi: the client of the system's daemon (libavahi-client), and its multicast DNS stack, to be run in a
// process (libavahi-core).
//
// Neither is linked; each is loaded. Both have a function avahi_entry_group_free, with different parameters. Were they
// linked, both would call that of one. Each being loaded on its own, each finds its own.

#ifndef CAVAHI_SHIM_H
#define CAVAHI_SHIM_H

// What Debian calls the packages: neither pkg-config nor Swift's package manager says it of a library that is not linked.
#if !__has_include(<avahi-client/client.h>)
#error "the headers of Avahi's client are missing: install libavahi-client-dev"
#endif
#if !__has_include(<avahi-core/core.h>)
#error "the headers of Avahi's own stack are missing: install libavahi-core-dev"
#endif

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <dlfcn.h>
#include <stdbool.h>

// The functions of libavahi-core that are used, under their names without avahi_. Those of libavahi-common are linked.
typedef struct {
    __typeof__(&avahi_key_new) key_new;
    __typeof__(&avahi_key_unref) key_unref;
    __typeof__(&avahi_s_entry_group_new) s_entry_group_new;
    __typeof__(&avahi_s_entry_group_commit) s_entry_group_commit;
    __typeof__(&avahi_s_entry_group_free) s_entry_group_free;
    __typeof__(&avahi_s_record_browser_new) s_record_browser_new;
    __typeof__(&avahi_s_record_browser_free) s_record_browser_free;
    __typeof__(&avahi_s_service_browser_new) s_service_browser_new;
    __typeof__(&avahi_s_service_browser_free) s_service_browser_free;
    __typeof__(&avahi_s_service_resolver_new) s_service_resolver_new;
    __typeof__(&avahi_s_service_resolver_free) s_service_resolver_free;
    __typeof__(&avahi_server_new) server_new;
    __typeof__(&avahi_server_free) server_free;
    __typeof__(&avahi_server_errno) server_errno;
    __typeof__(&avahi_server_config_init) server_config_init;
    __typeof__(&avahi_server_config_free) server_config_free;
    __typeof__(&avahi_server_add_address) server_add_address;
    __typeof__(&avahi_server_add_service_strlst) server_add_service_strlst;
    __typeof__(&avahi_server_get_host_name) server_get_host_name;
    __typeof__(&avahi_server_set_host_name) server_set_host_name;
    __typeof__(&avahi_set_log_function) set_log_function;
} CAvahiCoreFunctions;

// The functions of libavahi-client that are used, under their names without avahi_.
typedef struct {
    __typeof__(&avahi_client_new) client_new;
    __typeof__(&avahi_client_free) client_free;
    __typeof__(&avahi_client_errno) client_errno;
    __typeof__(&avahi_entry_group_new) entry_group_new;
    __typeof__(&avahi_entry_group_add_service_strlst) entry_group_add_service_strlst;
    __typeof__(&avahi_entry_group_commit) entry_group_commit;
    __typeof__(&avahi_entry_group_free) entry_group_free;
    __typeof__(&avahi_record_browser_new) record_browser_new;
    __typeof__(&avahi_record_browser_free) record_browser_free;
    __typeof__(&avahi_service_browser_new) service_browser_new;
    __typeof__(&avahi_service_browser_free) service_browser_free;
    __typeof__(&avahi_service_resolver_new) service_resolver_new;
    __typeof__(&avahi_service_resolver_free) service_resolver_free;
} CAvahiClientFunctions;

static inline char *cavahi_copy(const char *text) { return avahi_strdup(text); }
static inline void cavahi_free(void *memory) { avahi_free(memory); }

static inline void cavahi_no_log(AvahiLogLevel level, const char *text) {
    (void)level;
    (void)text;
}

#define CAVAHI_FIND(name) \
    if (!(functions->name = (__typeof__(functions->name))dlsym(library, "avahi_" #name))) return false

// Finds the functions of libavahi-client. Returns whether they are there; else dlerror() says why not. The library stays
// loaded.
static inline bool cavahi_load_client(CAvahiClientFunctions *functions) {
    void *library = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    CAVAHI_FIND(client_new);
    CAVAHI_FIND(client_free);
    CAVAHI_FIND(client_errno);
    CAVAHI_FIND(entry_group_new);
    CAVAHI_FIND(entry_group_add_service_strlst);
    CAVAHI_FIND(entry_group_commit);
    CAVAHI_FIND(entry_group_free);
    CAVAHI_FIND(record_browser_new);
    CAVAHI_FIND(record_browser_free);
    CAVAHI_FIND(service_browser_new);
    CAVAHI_FIND(service_browser_free);
    CAVAHI_FIND(service_resolver_new);
    CAVAHI_FIND(service_resolver_free);
    return true;
}

// Finds the functions of libavahi-core, and has it write nothing to the standard error: what goes wrong is told by its error
// codes too. Returns whether they are there; else dlerror() says why not. The library stays loaded.
static inline bool cavahi_load_core(CAvahiCoreFunctions *functions) {
    void *library = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    CAVAHI_FIND(key_new);
    CAVAHI_FIND(key_unref);
    CAVAHI_FIND(s_entry_group_new);
    CAVAHI_FIND(s_entry_group_commit);
    CAVAHI_FIND(s_entry_group_free);
    CAVAHI_FIND(s_record_browser_new);
    CAVAHI_FIND(s_record_browser_free);
    CAVAHI_FIND(s_service_browser_new);
    CAVAHI_FIND(s_service_browser_free);
    CAVAHI_FIND(s_service_resolver_new);
    CAVAHI_FIND(s_service_resolver_free);
    CAVAHI_FIND(server_new);
    CAVAHI_FIND(server_free);
    CAVAHI_FIND(server_errno);
    CAVAHI_FIND(server_config_init);
    CAVAHI_FIND(server_config_free);
    CAVAHI_FIND(server_add_address);
    CAVAHI_FIND(server_add_service_strlst);
    CAVAHI_FIND(server_get_host_name);
    CAVAHI_FIND(server_set_host_name);
    CAVAHI_FIND(set_log_function);
    functions->set_log_function(cavahi_no_log);
    return true;
}

#undef CAVAHI_FIND

#endif
