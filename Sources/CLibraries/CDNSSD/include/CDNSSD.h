#ifndef CDNSSD_H
#define CDNSSD_H

#include <dns_sd.h>
#include <stdint.h>

/// Suppresses the warning that Avahi's DNS-SD library writes to standard error. Call before the first DNSServiceRef.
void skyfarm_dnssd_silence(void);

/// Queries the system's name servers for the SRV records of `name`; blocks for some seconds at most. If `ipv4` and
/// `port` (host byte order) are not 0, queries that server instead. Writes the answer, a DNS message, and returns its
/// length, or the negative of the resolver's `h_errno`.
int skyfarm_query_srv(const char *name, uint32_t ipv4, uint16_t port, uint8_t *answer, int capacity);

#endif
