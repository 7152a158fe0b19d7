#ifndef SKYFARM_DESCRIPTOR_DRIVER_H
#define SKYFARM_DESCRIPTOR_DRIVER_H

// A driver by which CFITSIO writes to a file that the caller has opened and will close. The name of the file is the
// number of its descriptor. The functions return CFITSIO's status codes.
int skyfarm_driver_create(char *name, int *handle);
int skyfarm_driver_truncate(int handle, long long size);
int skyfarm_driver_close(int handle);
int skyfarm_driver_size(int handle, long long *size);
int skyfarm_driver_flush(int handle);
int skyfarm_driver_seek(int handle, long long offset);
int skyfarm_driver_read(int handle, void *buffer, long count);
int skyfarm_driver_write(int handle, void *buffer, long count);

#endif
