#ifndef CDNSSD_H
#define CDNSSD_H

#include <dns_sd.h>
#include <stdint.h>

// On Linux the library and its two dozen dependencies are loaded by the first of these calls, since most scans of one
// image end sooner than that takes. Without the library the functions return kDNSServiceErr_Unsupported.

/// Loads the library, and suppresses the warning that Avahi's implementation writes to standard error. Returns 0 if the
/// library is not installed.
int skyfarm_dnssd_load(void);

/// Calls DNSServiceRegister; `port` is in network byte order.
DNSServiceErrorType skyfarm_dnssd_register(
    DNSServiceRef *reference, const char *name, const char *type, const char *domain, uint16_t port, uint16_t count,
    const void *record, DNSServiceRegisterReply reply, void *context);

/// Calls DNSServiceBrowse.
DNSServiceErrorType skyfarm_dnssd_browse(
    DNSServiceRef *reference, const char *type, const char *domain, DNSServiceBrowseReply reply, void *context);

/// Calls DNSServiceResolve.
DNSServiceErrorType skyfarm_dnssd_resolve(
    DNSServiceRef *reference, uint32_t interface, const char *name, const char *type, const char *domain,
    DNSServiceResolveReply reply, void *context);

/// Calls DNSServiceQueryRecord for the Internet class.
DNSServiceErrorType skyfarm_dnssd_query(
    DNSServiceRef *reference, uint32_t interface, const char *name, uint16_t type, DNSServiceQueryRecordReply reply,
    void *context);

/// Call DNSServiceRefSockFD, DNSServiceProcessResult and DNSServiceRefDeallocate.
int skyfarm_dnssd_descriptor(DNSServiceRef reference);
DNSServiceErrorType skyfarm_dnssd_process(DNSServiceRef reference);
void skyfarm_dnssd_deallocate(DNSServiceRef reference);

/// Queries the system's name servers for the SRV records of `name`, which blocks for a few seconds at most. If `ipv4`
/// and `port` (host byte order) are not 0, queries that server instead. Writes the answer, which is a DNS message, and
/// returns its length, or the negated `h_errno` of the resolver.
int skyfarm_query_srv(const char *name, uint32_t ipv4, uint16_t port, uint8_t *answer, int capacity);

#endif
