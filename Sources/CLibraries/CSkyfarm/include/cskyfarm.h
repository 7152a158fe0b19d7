#ifndef CSKYFARM_H
#define CSKYFARM_H

#include "apertures.h"
#include "background.h"
#include "byte_planes.h"
#include "detached_process.h"
#include "extraction.h"
#include "scaled_integers.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/// True if every library of this process resolves `rand_r` to this target's function, which returns a constant.
int skyfarm_draw_is_fixed(void);

/// The radius in pixels that encloses half of the flux within `limit` pixels of (`x`, `y`), as `sep_flux_radius`
/// defines it. `pixels` are those of a window with its first pixel at (`left`, `top`), and all positions are those of the
/// image: no bit depends on the window.
///
/// libsep sums 64 rings of equal width, each pixel in 5 x 5 parts, and interpolates in their cumulative sum. This
/// function computes the cumulative sum at a few rings only, by bracketing half of the flux, and divides pixels into
/// parts only at the edges of those rings. Sums differ from libsep's in the last bits only. Where those bits decide
/// (the sum stays at half of the flux over many rings, or negative pixels could make it cross more than once) the
/// result is NaN. No pixel within `limit` may be masked. In C, because it takes 5 % of a scan's time, and tests of an
/// unoptimised Swift version would spend most of their time in it.
double skyfarm_half_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit);

/// The radius in pixels at which the flux first reaches `target`; the other arguments are as above. NaN where libsep
/// must compute it: also where the flux is not reached.
double skyfarm_flux_radius(
    const float *pixels, int left, int top, int width, int height, double x, double y, double limit, double target);

/// The share of the 11 x 11 parts of a pixel that lie within `limit` of a centre from which the pixel's centre is
/// (`dx`, `dy`) away: those with x² + y² < limit² at x = dx + (i + 0.5) / 11 - 0.5 and y likewise. In C for vector
/// instructions: windowed positions spent most of their time in it.
double skyfarm_disc_share(double dx, double dy, double limit);

/// The greatest magnitude of `count` numbers; NaN if one of them is NaN. In C for vector instructions: every pixel of
/// an image passes through it twice.
float skyfarm_greatest_magnitude(const float *numbers, ptrdiff_t count);

/// Converts `count` floats from big-endian, the byte order of FITS, to the processor's, in place. In C for vector
/// instructions: every pixel passes through it twice.
void skyfarm_swap_floats(float *numbers, ptrdiff_t count);

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
