#ifndef SKYFARM_CSYSTEM_H
#define SKYFARM_CSYSTEM_H

#include "detached_process.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/// Writes `value` as printf's `%.*f` with `digits` digits after the point. Returns the number of characters; `text` holds
/// them if they are fewer than `capacity`. The decimal point is a point, whatever the locale of the program. In C, because
/// a variadic function needs a list of arguments from Swift, as Foundation's formats do, and the first ones take 0.4 ms.
int skyfarm_fixed_digits(double value, int digits, char *text, size_t capacity);

/// As skyfarm_fixed_digits with a format of printf for one number.
int skyfarm_format_number(const char *format, double value, char *text, size_t capacity);

/// Lets libraries write and read numbers on this thread as the locale "C" does, until skyfarm_leave_c_locale with what
/// this returns: a program that uses this package may have a locale whose decimal point is a comma. In C, because Swift
/// does not import locale_t on all systems.
void *skyfarm_enter_c_locale(void);
void skyfarm_leave_c_locale(void *before);

/// Makes malloc keep up to `total` freed bytes at the end of each arena, and serve buffers of up to `buffer` bytes from
/// them. glibc only; otherwise no effect. In C, because Swift does not import mallopt.
void skyfarm_keep_freed_memory(int buffer, int total);

/// Makes malloc serve threads that begin from now on from the arenas that exist. glibc only; otherwise no effect.
void skyfarm_use_one_arena(void);

/// Makes malloc return freed memory to the system. glibc only; otherwise no effect.
void skyfarm_give_back_freed_memory(void);

/// Writes what determines how this process computes: the build IDs of the program and of all libraries that are loaded,
/// the processor's model and features, and the C library's settings.
///
/// Returns the number of bytes; 0 if a file has no build ID, if `capacity` is too small, and on other systems than Linux.
/// In C for dl_iterate_phdr and cpuid.
size_t skyfarm_loaded_code(uint8_t *bytes, size_t capacity);

/// A descriptor of the folder `path`, for the functions below; -1 and errno on failure.
int skyfarm_open_folder(const char *path);

/// Opens a regular file for reading by its `path` relative to `folder`, without following any symbolic link.
///
/// `path` may come from an untrusted peer. If it has an empty, `.` or `..` component, or names anything but a regular
/// file (which is then not opened), the result is -1 and errno EACCES. In C for O_PATH and openat2, which Swift does not
/// import.
int skyfarm_open_beneath(int folder, const char *path);

/// A descriptor of the folder that `path` names in the same way; of `folder` itself if `path` is empty.
int skyfarm_open_folder_beneath(int folder, const char *path);

/// The status of what `path` names in the same way, which is not opened; 0, or -1 and errno.
int skyfarm_look_beneath(int folder, const char *path, struct stat *status);

/// Opens a new file in `folder` that has no name: it is gone when its process ends, however that happens. -1
/// and errno if the file system or the kernel has none, or if it is none of those known to name such a file later. In C
/// for O_TMPFILE, which Swift does not import.
int skyfarm_open_unnamed(const char *folder);

/// Gives such a file a name, which must not exist; -1 and errno on failure.
int skyfarm_name_file(int file, const char *path);

/// Whether only processes of this machine can have locks on `file`: false for network file systems, and those that are
/// not known.
int skyfarm_is_on_local_disk(int file);

/// From now on, a signal of a failure in this process, such as that of an allocation, ends it with `text`, of at most 1024
/// bytes, on standard error, and this exit code. Also saves addresses. In C for what may be called in a handler.
void skyfarm_end_with_line(const char *text, int code);

/// Bytes per second that the kernel has measured last at the acknowledgements of a TCP socket, which do not wait for this
/// process; 0 if it has not.
double skyfarm_delivery_rate(int socket);

/// Renames the file `name` of `folder` to `new_name` of `new_folder`, and never replaces a file: 0, or -1 and errno, which
/// is EEXIST if there is one, and ENOTSUP if the file system can do no such thing.
int skyfarm_rename_new(int folder, const char *name, int new_folder, const char *new_name);

#endif
