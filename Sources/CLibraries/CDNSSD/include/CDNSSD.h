#ifndef CDNSSD_H
#define CDNSSD_H

#include <dns_sd.h>
#include <stdint.h>

/// Keeps the DNS-SD library from writing a warning to standard error; to be called before its first reference is made.
void skyfarm_dnssd_silence(void);

/// Asks the system's name servers for the SRV records of `name` and waits, some seconds at most. With `ipv4` and
/// `port` (host byte order) not 0, asks that server instead. Writes the whole answer, a DNS message, and returns its
/// length, or the negative of the resolver's `h_errno`.
int skyfarm_query_srv(const char *name, uint32_t ipv4, uint16_t port, uint8_t *answer, int capacity);

#endif
