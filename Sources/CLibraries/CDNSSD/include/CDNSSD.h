#ifndef CDNSSD_H
#define CDNSSD_H

#include <dns_sd.h>

/// True once the process is prepared for the DNS-SD library, which happens before `main`.
int skyfarm_dnssd_is_prepared(void);

#endif
