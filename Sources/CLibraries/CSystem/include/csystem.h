#ifndef SKYFARM_CSYSTEM_H
#define SKYFARM_CSYSTEM_H

#include "detached_process.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/// Formats `value` like printf's `%.*f` with `digits` digits after the point. Returns the number of characters; `text`
/// contains all of them if the number is less than `capacity`. The decimal separator is always a point, independent of
/// the locale. Written in C, because variadic functions need an argument list when called from Swift, as Foundation's
/// formats do, and the first such calls take 0.4 ms.
int skyfarm_fixed_digits(double value, int digits, char *text, size_t capacity);

/// Formats one number like skyfarm_fixed_digits, with any printf format.
int skyfarm_format_number(const char *format, double value, char *text, size_t capacity);

/// Makes libraries format and parse numbers on this thread in the "C" locale, until skyfarm_leave_c_locale is called
/// with the returned value. A program that uses this package may have a locale with a decimal comma. Written in C,
/// because Swift does not import locale_t on all systems.
void *skyfarm_enter_c_locale(void);
void skyfarm_leave_c_locale(void *before);

/// Makes malloc keep up to `total` freed bytes at the end of each arena, and serve buffers of up to `buffer` bytes from
/// them. Has an effect only with glibc. Written in C, because Swift does not import mallopt.
void skyfarm_keep_freed_memory(int buffer, int total);

/// Makes malloc serve threads that start from now on from the existing arenas. Has an effect only with glibc.
void skyfarm_use_one_arena(void);

/// Makes malloc return freed memory to the system. Has an effect only with glibc.
void skyfarm_give_back_freed_memory(void);

/// Writes the facts that determine the floating-point results of this process: the build IDs of the program and of all
/// loaded libraries, the model and features of the processor, and the settings of the C library.
///
/// Returns the number of bytes, or 0 if a file has no build ID, if `capacity` is too small, or on systems other than
/// Linux. Written in C for dl_iterate_phdr and cpuid.
size_t skyfarm_loaded_code(uint8_t *bytes, size_t capacity);

/// Opens the folder `path` for the functions below. Returns a descriptor, or -1 and errno on failure.
int skyfarm_open_folder(const char *path);

/// Opens a regular file for reading by its `path` relative to `folder`, without following any symbolic link.
///
/// `path` may come from an untrusted peer. If it has an empty, `.` or `..` component, or names anything but a regular
/// file (which is then not opened), the result is -1 and errno EACCES. Written in C for O_PATH and openat2, which Swift
/// does not import.
int skyfarm_open_beneath(int folder, const char *path);

/// Opens the folder `path` in the same way, or a copy of `folder` if `path` is empty. Returns a descriptor, or -1 and
/// errno.
int skyfarm_open_folder_beneath(int folder, const char *path);

/// Examines `path` in the same way, without opening it. Returns 0, or -1 and errno.
int skyfarm_look_beneath(int folder, const char *path, struct stat *status);

/// Opens a new file in `folder` that has no name, so that it disappears when its process ends, however that happens.
/// Returns -1 and errno if the file system or the kernel does not support this, or if the file system is not known to
/// support naming such a file later. Written in C for O_TMPFILE, which Swift does not import.
int skyfarm_open_unnamed(const char *folder);

/// Gives such a file a name that must not exist. Returns -1 and errno on failure.
int skyfarm_name_file(int file, const char *path);

/// Returns whether only processes of this machine can lock `file`. False for network file systems and unknown ones.
int skyfarm_is_on_local_disk(int file);

/// From now on, a signal that indicates a failure of this process, such as a failed allocation, writes `text` of at
/// most 1024 bytes to standard error and ends the process with this exit code. Also reduces the use of address space.
/// Written in C, since only few functions may be called in a signal handler.
void skyfarm_end_with_line(const char *text, int code);

/// Returns the delivery rate of a TCP socket in bytes per second, which the kernel measures when the peer acknowledges
/// data. Acknowledgements do not wait for this process. Returns 0 if the rate is unknown.
double skyfarm_delivery_rate(int socket);

/// Renames the file `name` of `folder` to `new_name` of `new_folder`, and never replaces a file. Returns 0, or -1 and
/// errno, which is EEXIST if the name exists and ENOTSUP if the file system does not support this.
int skyfarm_rename_new(int folder, const char *name, int new_folder, const char *new_name);

#endif
