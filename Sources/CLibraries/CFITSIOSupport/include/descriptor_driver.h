#ifndef SKYFARM_DESCRIPTOR_DRIVER_H
#define SKYFARM_DESCRIPTOR_DRIVER_H

// A driver by which CFITSIO writes a file that the caller has opened, and closes: the name of the file is the number of the
// descriptor. They return CFITSIO's statuses.
int skyfarm_driver_create(char *name, int *handle);
int skyfarm_driver_truncate(int handle, long long size);
int skyfarm_driver_close(int handle);
int skyfarm_driver_size(int handle, long long *size);
int skyfarm_driver_flush(int handle);
int skyfarm_driver_seek(int handle, long long offset);
int skyfarm_driver_read(int handle, void *buffer, long count);
int skyfarm_driver_write(int handle, void *buffer, long count);

#endif
