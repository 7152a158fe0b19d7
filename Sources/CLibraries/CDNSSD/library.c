#include "CDNSSD.h"
#include "CLoader.h"

#include <stddef.h>

#ifdef __linux__

#include <avahi-common/malloc.h>
#include <pthread.h>
#include <stdlib.h>

// Every function that this file calls, and its name in the library.
#define FUNCTIONS(F) \
    F(register_service, DNSServiceRegister) F(browse, DNSServiceBrowse) F(resolve, DNSServiceResolve) \
    F(query_record, DNSServiceQueryRecord) F(descriptor, DNSServiceRefSockFD) \
    F(process_result, DNSServiceProcessResult) F(deallocate, DNSServiceRefDeallocate)

#define MEMBER(member, name) __typeof__(name) *member;
#define FIND(member, name) library.member = skyfarm_find_function(handle, #name);
#define IS_FOUND(member, name) && library.member

// Functions of the library, or NULL if it is not available.
static struct {
    FUNCTIONS(MEMBER)
} library;

// Avahi 0.8's compatibility library leaves the callbacks of a DNSServiceRef uninitialised and calls them when the
// daemon exits. An allocator that returns zeroed memory makes them null, which the library handles.
static void *zeroed(size_t size) { return calloc(1, size); }

static const AvahiAllocator zeroing_allocator = {zeroed, free, realloc, calloc};

static void load(void) {
    // The library is never closed, since a reference may outlive the last call of its owner.
    void *handle = skyfarm_load_library("libdns_sd.so.1", "DNSServiceRegister");
    // Functions of its dependencies are found through it. The allocator must not change after the first allocation.
    __typeof__(avahi_set_allocator) *set_allocator = skyfarm_find_function(handle, "avahi_set_allocator");
    if (set_allocator) set_allocator(&zeroing_allocator);
    FUNCTIONS(FIND)
    // Not set before `main`: `setenv` moves the environment, next to which a statically linked Swift runtime looks for
    // the program's arguments. The first `setenv` of a process is safe while other threads call `getenv`, since the
    // array that it replaces stays allocated and unchanged.
    setenv("AVAHI_COMPAT_NOWARN", "1", 0);
}

int skyfarm_dnssd_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return 1 FUNCTIONS(IS_FOUND);
}

#define CALL(function, ...) (skyfarm_dnssd_load() ? library.function(__VA_ARGS__) : kDNSServiceErr_Unsupported)

#else

int skyfarm_dnssd_load(void) { return 1; }

#define register_service DNSServiceRegister
#define browse DNSServiceBrowse
#define resolve DNSServiceResolve
#define query_record DNSServiceQueryRecord
#define descriptor DNSServiceRefSockFD
#define process_result DNSServiceProcessResult
#define deallocate DNSServiceRefDeallocate
#define CALL(function, ...) function(__VA_ARGS__)

#endif

DNSServiceErrorType skyfarm_dnssd_register(
    DNSServiceRef *reference, const char *name, const char *type, const char *domain, uint16_t port, uint16_t count,
    const void *record, DNSServiceRegisterReply reply, void *context) {
    return CALL(register_service, reference, 0, 0, name, type, domain, NULL, port, count, record, reply, context);
}

DNSServiceErrorType skyfarm_dnssd_browse(
    DNSServiceRef *reference, const char *type, const char *domain, DNSServiceBrowseReply reply, void *context) {
    return CALL(browse, reference, 0, 0, type, domain, reply, context);
}

DNSServiceErrorType skyfarm_dnssd_resolve(
    DNSServiceRef *reference, uint32_t interface, const char *name, const char *type, const char *domain,
    DNSServiceResolveReply reply, void *context) {
    return CALL(resolve, reference, 0, interface, name, type, domain, reply, context);
}

DNSServiceErrorType skyfarm_dnssd_query(
    DNSServiceRef *reference, uint32_t interface, const char *name, uint16_t type, DNSServiceQueryRecordReply reply,
    void *context) {
    return CALL(query_record, reference, 0, interface, name, type, kDNSServiceClass_IN, reply, context);
}

int skyfarm_dnssd_descriptor(DNSServiceRef reference) { return CALL(descriptor, reference); }

DNSServiceErrorType skyfarm_dnssd_process(DNSServiceRef reference) { return CALL(process_result, reference); }

#undef CALL
void skyfarm_dnssd_deallocate(DNSServiceRef reference) {
#ifdef __linux__
    if (skyfarm_dnssd_load()) library.deallocate(reference);
#else
    deallocate(reference);
#endif
}
