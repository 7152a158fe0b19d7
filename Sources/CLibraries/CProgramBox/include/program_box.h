#ifndef SKYFARM_PROGRAM_BOX_H
#define SKYFARM_PROGRAM_BOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Limits of one run of a program. Zero means no limit.
struct skyfarm_program_limits {
    /// Bytes of address space of each process.
    uint64_t address_space;
    /// Bytes of memory of all processes together, which is checked several times per second.
    uint64_t memory;
    /// Bytes of all files in the folder together, and of each file.
    uint64_t disk;
    /// Milliseconds of the run.
    uint64_t milliseconds;
    /// Number of processes at a time, which is checked several times per second.
    uint32_t processes;
    /// Number of open files of each process.
    uint32_t open_files;
    /// Nice value of the program.
    int32_t niceness;
};

/// Numbers of the strings that follow the limits in a request: the name of the folder, the words of the command with
/// the path of the program first, and the variables of its environment.
struct skyfarm_program_request {
    struct skyfarm_program_limits limits;
    uint32_t words;
    uint32_t variables;
};

/// Why the supervisor ended a program.
enum skyfarm_program_end {
    /// It ended by itself.
    skyfarm_program_ended = 0,
    /// It could not be started; `value` is an error number.
    skyfarm_program_not_started,
    skyfarm_program_out_of_time,
    skyfarm_program_out_of_memory,
    skyfarm_program_out_of_disk,
    skyfarm_program_out_of_processes,
    skyfarm_program_cancelled,
    /// It was not started, since the one before it was cancelled, or its processes are still there.
    skyfarm_program_not_begun,
};

/// How a run ended.
struct skyfarm_program_result {
    uint32_t end;
    /// Exit code, or the negated number of the signal that ended the program.
    int32_t value;
    /// Processes that were killed after the program had ended.
    uint32_t killed;
    /// Processes that are still there because the kernel does not end them.
    uint32_t survivors;
    /// Largest resident set of the program or of one of its children, in bytes.
    uint64_t largest;
    /// Processor time of the program and of its children, in microseconds.
    uint64_t microseconds;
    /// Time between its start and the end of its last process, in microseconds.
    uint64_t elapsed;
};

/// Descriptors that accompany a request: those of a program and, for a worker, the end of its channel.
enum { skyfarm_program_descriptors = 5, skyfarm_worker_descriptors = 6 };
/// Descriptor of the channel in a worker.
enum { skyfarm_worker_channel = 3 };

/// Whether this system can contain programs: Linux.
int skyfarm_program_box_works(void);

/// Runs programs for the process at the other end of `socket`, one at a time, until that process closes the socket or
/// ends. No process that a program started, in whatever session, outlives its run. That process may send the request of
/// the next program while one runs, so that it begins without waiting for it; each request gets one result. Written in C
/// because no Swift code may run between vfork and execve.
/// - Returns: an exit code.
int skyfarm_supervise_programs(int socket);

/// Starts a supervisor: the program `words[0]` with `words` and this process's environment, in a new session, with the
/// other end of the socket as its standard input.
/// - Returns: 0, or an error number.
int skyfarm_start_supervisor(char *const *words, int *socket, pid_t *process);

/// Sends a request of `count` bytes with the descriptors of the folder of all tasks, of the folder of this one, of the
/// files for standard output and standard error, of the list of processes of a control group, which the program enters,
/// or of /dev/null and, for a worker, of its channel: `descriptor_count` of them.
/// - Returns: 0, or an error number.
int skyfarm_send_program(
    int socket, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

/// Asks the supervisor to end the program that runs.
void skyfarm_cancel_program(int socket);

/// Waits up to `milliseconds` for the result of the program that runs.
/// - Returns: 1 if `result` was set, 0 if the time is over, or -1 if the supervisor has ended.
int skyfarm_await_program(int socket, int milliseconds, struct skyfarm_program_result *result);

/// Makes the two ends of the channel between this process and a worker.
/// - Returns: 0, or an error number.
int skyfarm_make_channel(int ends[2]);

/// Makes a file in memory with `count` bytes.
/// - Returns: its descriptor, or a negated error number.
int skyfarm_make_memory_file(const void *bytes, size_t count);

/// Size of a file in memory, or -1 if the descriptor is that of another file, of which reading might not end.
int64_t skyfarm_memory_file_size(int descriptor);

/// Sends a message to a worker, with the descriptor of a file in memory unless it is -1.
/// - Returns: 0, or an error number.
int skyfarm_send_call(int channel, const void *bytes, size_t count, int file);

/// A message of a worker.
struct skyfarm_reply {
    /// Number of bytes.
    size_t count;
    /// Descriptor that came with it, which the caller closes; -1 if none did.
    int file;
};

/// Waits up to `milliseconds` for a message of a worker, of at most `room` bytes, or for its end.
/// - Returns: 1 if `reply` was set, 2 if the worker has ended and `result` was set, 3 if a message is longer or has several
///   files, 0 if the time is over, or -1 if the supervisor has ended.
int skyfarm_await_reply(
    int supervisor, int channel, int milliseconds, void *bytes, size_t room, struct skyfarm_reply *reply,
    struct skyfarm_program_result *result);

/// The source of the program of a worker, in Python, with a zero byte at its end.
const char *skyfarm_worker_text(void);

/// Removes the file or folder `name` of `folder` with all below it, without following a symbolic link, also where
/// permissions were removed.
void skyfarm_remove_tree(int folder, const char *name);

/// Removes all below the folder `name` of `folder`, which is also open as `opened`.
/// - Returns: 1 if the folder is empty now, or 0 if it must be removed, for example because the name refers to another
///   file by now.
int skyfarm_empty_folder(int folder, const char *name, int opened);

/// Whether the service manager has delegated the control group with this folder: systemd says so by an attribute.
int skyfarm_is_delegated(const char *path);

/// Returns the bytes on disk of all below the open `folder`, without following a symbolic link; counts up to `most`
/// files and then returns UINT64_MAX.
uint64_t skyfarm_tree_bytes(int folder, uint32_t most);

#endif
