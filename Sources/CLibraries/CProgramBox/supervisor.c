// Required for vfork, pipe2 and close_range.
#define _GNU_SOURCE
#include "program_box.h"

#include "process_tree.h"

#ifndef __linux__

int skyfarm_program_box_works(void) { return 0; }
int skyfarm_supervise_programs(int socket) { return 1; }

#else

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Longest request in bytes.
enum { longest_request = 256 << 10 };
/// Milliseconds after which a program that was asked to end, or what it has left, is killed.
enum { grace = 500 };
/// Milliseconds after which the supervisor no longer waits for killed processes.
enum { patience = 10000 };
/// Files of a task's folder beyond which it counts as full.
enum { most_files = 200000 };

/// A request, and where its parts are.
struct task {
    char request[longest_request];
    struct skyfarm_program_limits limits;
    const char *folder_name;
    char **words;
    char **variables;
    /// Folder of all tasks, folder of this one, standard output, standard error, the control group's list and, of a
    /// worker, the channel; -1 if there is none.
    int descriptors[skyfarm_worker_descriptors];
};

/// The task that runs and the next one, which may be here before the other has ended.
static struct task tasks[2];
static struct task *task = tasks, *next = tasks + 1;
static int has_next;
static int children_signal, nothing;

int skyfarm_program_box_works(void) { return 1; }

static uint64_t microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/// Milliseconds.
static uint64_t now(void) { return microseconds() / 1000; }

// MARK: Processes

/// Reaps children that have ended.
/// - Returns: 0 if there are no children left, otherwise 1. Sets `status` and `has_ended` if the program was among
/// them.
static int reap(pid_t program, int *status, int *has_ended) {
    for (;;) {
        int value;
        pid_t child = waitpid(-1, &value, WNOHANG);
        if (child < 0 && errno == EINTR) continue;
        if (child <= 0) return child == 0;
        if (child == program) {
            *status = value;
            *has_ended = 1;
        }
    }
}

/// Kills all processes of the task until none is left: an orphan becomes a child of this process, so that none is left
/// when this process has no children.
/// - Returns: the number of processes that the kernel does not end.
static uint32_t kill_all(pid_t program, int *status, int *has_ended, uint32_t *killed) {
    uint64_t end = now() + patience;
    if (!*has_ended) kill(-program, SIGKILL);
    while (reap(program, status, has_ended)) {
        struct process *list;
        size_t count = skyfarm_list_descendants(&list);
        // All of the process group at once, before one of them can start another. The number of a group with a process
        // is not used again.
        for (size_t index = 0; index < count; index++) {
            if (list[index].group != program) continue;
            kill(-program, SIGKILL);
            break;
        }
        // A process that has not ended yet is killed again.
        uint32_t present = 0;
        for (size_t index = 0; index < count; index++) present += (uint32_t)skyfarm_kill_process(list + index);
        if (present > *killed) *killed = present;
        free(list);
        if (!reap(program, status, has_ended)) break;
        if (now() > end) return (uint32_t)count;
        poll(NULL, 0, 1);
    }
    return 0;
}

// MARK: Start

static void limit(int resource, uint64_t value) {
    struct rlimit now;
    if (!value || getrlimit((__rlimit_resource_t)resource, &now) != 0) return;
    if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
    struct rlimit wanted = {.rlim_cur = value, .rlim_max = value};
    setrlimit((__rlimit_resource_t)resource, &wanted);
}

/// Gives a worker its channel. Returns 0 if that fails.
static int pass_channel(void) {
    int channel = task->descriptors[skyfarm_program_descriptors];
    if (channel < 0) return 1;
    // dup2 clears the flag that closes a descriptor, but not if both are the same.
    if (channel == skyfarm_worker_channel) return fcntl(channel, F_SETFD, 0) == 0;
    return dup2(channel, skyfarm_worker_channel) == skyfarm_worker_channel;
}

/// Starts the program. The child shares the memory of this process until it has begun to run the program.
/// - Returns: its identifier, or -1 with `error` set.
static pid_t start(volatile int *error) {
    pid_t parent = getpid();
    sigset_t none;
    sigemptyset(&none);
    *error = 0;
    pid_t child = vfork();
    if (child == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2, SIGCHLD, SIGXFSZ};
        for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) signal(signals[index], SIG_DFL);
        limit(RLIMIT_AS, task->limits.address_space);
        limit(RLIMIT_FSIZE, task->limits.disk);
        limit(RLIMIT_NOFILE, task->limits.open_files);
        struct rlimit no_dump = {0, 0};
        setrlimit(RLIMIT_CORE, &no_dump);
        if (task->limits.niceness) setpriority(PRIO_PROCESS, 0, task->limits.niceness);
        umask(077);
        // 0 stands for the process that writes.
        if (write(task->descriptors[4], "0", 1) == 1 && fchdir(task->descriptors[1]) == 0 && dup2(nothing, 0) == 0
            && dup2(task->descriptors[2], 1) == 1 && dup2(task->descriptors[3], 2) == 2 && pass_channel()) {
            sigprocmask(SIG_SETMASK, &none, NULL);
            // All other descriptors are closed by execve.
            execve(task->words[0], task->words, task->variables);
        }
        *error = errno ? errno : EINVAL;
        _exit(127);
    }
    if (child < 0) *error = errno;
    if (child > 0 && *error) {
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        return -1;
    }
    return child;
}

// MARK: Requests

static void close_descriptors(struct task *task, int from) {
    for (int index = from; index < skyfarm_worker_descriptors; index++) {
        if (task->descriptors[index] >= 0) close(task->descriptors[index]);
        task->descriptors[index] = -1;
    }
}

/// Finds the strings of a request. Returns 0 if it is malformed.
static int parse(struct task *task, size_t count) {
    struct skyfarm_program_request head;
    if (count <= sizeof head || count >= sizeof task->request || task->request[count - 1]) return 0;
    memcpy(&head, task->request, sizeof head);
    if (!head.words || head.words > longest_request || head.variables > longest_request) return 0;
    free(task->words);
    size_t entries = (size_t)head.words + head.variables + 2;
    if (!(task->words = calloc(entries, sizeof *task->words))) return 0;
    task->variables = task->words + head.words + 1;
    task->limits = head.limits;
    char *text = task->request + sizeof head, *end = task->request + count;
    task->folder_name = text;
    for (size_t index = 0; index < (size_t)head.words + head.variables; index++) {
        text += strlen(text) + 1;
        if (text >= end) return 0;
        task->words[index < head.words ? index : index + 1] = text;
    }
    return text + strlen(text) + 1 == end;
}

/// What a message of the other process is.
enum message {
    /// It has ended, or its request is malformed.
    no_more,
    a_request,
    a_cancellation,
    /// There is none yet.
    nothing_yet,
};

/// Receives a message; a request becomes `next`.
static enum message receive(int socket, int flags) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int) * skyfarm_worker_descriptors)];
    } control;
    struct iovec part = {.iov_base = next->request, .iov_len = sizeof next->request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    // While a request waits, only a cancellation may come.
    char byte[2];
    if (has_next) part = (struct iovec){.iov_base = byte, .iov_len = sizeof byte};
    ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return nothing_yet;
    if (count == 1) return a_cancellation;
    if (count <= 0 || has_next) return no_more;
    close_descriptors(next, 0);
    next->folder_name = NULL;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return no_more;
    size_t bytes = header->cmsg_len - CMSG_LEN(0);
    if (bytes != sizeof next->descriptors && bytes != sizeof(int) * skyfarm_program_descriptors) return no_more;
    memcpy(next->descriptors, CMSG_DATA(header), bytes);
    has_next = 1;
    return parse(next, (size_t)count) ? a_request : no_more;
}

/// Makes the next request the one that runs, and waits for it if there is none. Returns 0 if there will be none.
static int advance(int socket) {
    while (!has_next) {
        // A program may be cancelled just after it has ended.
        if (receive(socket, 0) == no_more) return 0;
    }
    struct task *ended = task;
    task = next;
    next = ended;
    has_next = 0;
    return 1;
}

// MARK: Watch

/// Returns why the task must end now: memory, processes or disk.
static uint32_t excess(void) {
    if (task->limits.memory || task->limits.processes) {
        struct process *list;
        size_t count = skyfarm_list_descendants(&list);
        uint64_t bytes = 0;
        for (size_t index = 0; index < count; index++) bytes += list[index].bytes;
        free(list);
        if (task->limits.processes && count > task->limits.processes) return skyfarm_program_out_of_processes;
        if (task->limits.memory && bytes > task->limits.memory) return skyfarm_program_out_of_memory;
    }
    if (task->limits.disk) {
        struct stat status[2];
        uint64_t bytes = skyfarm_tree_bytes(task->descriptors[1], most_files);
        for (int index = 0; index < 2; index++)
            if (bytes != UINT64_MAX && fstat(task->descriptors[2 + index], status + index) == 0)
                bytes += (uint64_t)status[index].st_size;
        if (bytes > task->limits.disk) return skyfarm_program_out_of_disk;
    }
    return 0;
}

/// Waits until the program ends, exceeds a limit, or is cancelled.
/// - Returns: why it must be ended; `*is_alone` is set if the process that asked for it has gone.
static uint32_t watch(int socket, pid_t program, int *status, int *has_ended, int *is_alone) {
    uint64_t begin = now(), next_watch = begin + 20, step = 20;
    for (;;) {
        uint64_t time = now(), end = task->limits.milliseconds ? begin + task->limits.milliseconds : UINT64_MAX;
        if (time >= end) return skyfarm_program_out_of_time;
        uint64_t until = end < next_watch ? end : next_watch;
        struct pollfd entries[2] = {{.fd = children_signal, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
        int timeout = until > time ? (int)(until - time) : 0;
        if (poll(entries, 2, timeout) < 0 && errno != EINTR) return skyfarm_program_cancelled;
        if (entries[0].revents) {
            struct signalfd_siginfo information[8];
            (void)!read(children_signal, information, sizeof information);
            reap(program, status, has_ended);
            if (*has_ended) return skyfarm_program_ended;
        }
        if (entries[1].revents) {
            enum message message = receive(socket, MSG_DONTWAIT);
            *is_alone = message == no_more;
            if (message == a_cancellation || *is_alone) return skyfarm_program_cancelled;
        }
        time = now();
        if (time >= next_watch) {
            uint32_t reason = excess();
            if (reason) return reason;
            // The watch takes at most a twentieth of the time, and is frequent while the program is young.
            uint64_t took = now() - time;
            step = step < 250 ? step * 3 / 2 : 250;
            next_watch = now() + (took * 20 > step ? took * 20 : step);
        }
    }
}

/// Waits a moment for the end of all processes, for example of a filter that writes the last lines of the program.
static void linger(pid_t program, int *status, int *has_ended) {
    uint64_t end = now() + grace;
    while (reap(program, status, has_ended) && now() < end) {
        struct pollfd entry = {.fd = children_signal, .events = POLLIN};
        if (poll(&entry, 1, 50) <= 0) continue;
        struct signalfd_siginfo information[8];
        (void)!read(children_signal, information, sizeof information);
    }
}

/// Asks the program to end, and waits a moment for that.
static void terminate(pid_t program, int *status, int *has_ended) {
    if (kill(-program, SIGTERM) == 0) linger(program, status, has_ended);
}

/// Sets the processor time since `before` and the largest resident set of ended children.
static void measure(struct skyfarm_program_result *result, const struct rusage *before) {
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return;
    const struct timeval times[] = {usage.ru_utime, usage.ru_stime, before->ru_utime, before->ru_stime};
    int64_t sum = 0;
    for (int index = 0; index < 4; index++)
        sum += (index < 2 ? 1 : -1) * ((int64_t)times[index].tv_sec * 1000000 + times[index].tv_usec);
    result->microseconds = sum > 0 ? (uint64_t)sum : 0;
    result->largest = (uint64_t)usage.ru_maxrss * 1024;
}

/// Runs the task.
/// - Returns: whether the process that asked for it is still there.
static int run(int socket, struct skyfarm_program_result *result) {
    volatile int error;
    struct rusage before;
    uint64_t begin = microseconds();
    getrusage(RUSAGE_CHILDREN, &before);
    pid_t program = start(&error);
    if (program < 0) {
        result->end = skyfarm_program_not_started;
        result->value = error;
        return 1;
    }
    int status = 0, has_ended = 0, is_alone = 0;
    result->end = watch(socket, program, &status, &has_ended, &is_alone);
    if (result->end == skyfarm_program_out_of_time || (result->end == skyfarm_program_cancelled && !is_alone))
        terminate(program, &status, &has_ended);
    else if (result->end == skyfarm_program_ended)
        linger(program, &status, &has_ended);
    // Without children nothing is left.
    if (reap(program, &status, &has_ended)) {
        uint32_t killed = 0;
        result->survivors = kill_all(program, &status, &has_ended, &killed);
        result->killed = killed;
    }
    result->value = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    measure(result, &before);
    result->elapsed = microseconds() - begin;
    return !is_alone;
}

static int answer(int socket, const struct skyfarm_program_result *result) {
    return send(socket, result, sizeof *result, MSG_NOSIGNAL) == sizeof *result;
}

int skyfarm_supervise_programs(int socket) {
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    // Only the end of the other process, or its message, ends a program.
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) signal(ignored[index], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    if (sigprocmask(SIG_BLOCK, &children, NULL) != 0) return 1;
    if ((children_signal = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) return 1;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
    prctl(PR_SET_NAME, "skyfarm-program");
    if ((socket = fcntl(socket, F_DUPFD_CLOEXEC, 3)) < 0) return 1;
    if ((nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) return 1;
    for (int index = 0; index < skyfarm_worker_descriptors; index++)
        tasks[0].descriptors[index] = tasks[1].descriptors[index] = -1;
    int is_asked = 1;
    while (is_asked && advance(socket)) {
        struct skyfarm_program_result result = {0};
        is_asked = run(socket, &result);
        // After the run only the descriptor of the folder of all tasks is needed.
        close_descriptors(task, 1);
        if (!is_asked || !answer(socket, &result)) break;
        // No program runs beside what another has left, or after one that was cancelled.
        if (has_next && (result.survivors || result.end == skyfarm_program_cancelled)) {
            struct skyfarm_program_result none = {.end = skyfarm_program_not_begun};
            if (!answer(socket, &none)) break;
            has_next = 0;
        }
    }
    // The other process has ended and could not do this.
    for (int index = 0; index < 2; index++)
        if (tasks[index].folder_name)
            skyfarm_remove_tree(tasks[index].descriptors[0], tasks[index].folder_name);
    return 0;
}

#endif
