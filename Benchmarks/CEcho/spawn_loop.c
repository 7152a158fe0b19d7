#include "CEcho.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

int cecho_spawn_loop(const char *path, long count) {
    char *const words[] = {(char *)path, 0};
    for (long index = 0; index < count; index++) {
        pid_t process;
        int status;
        if (posix_spawn(&process, path, 0, 0, words, environ) != 0) return -1;
        if (waitpid(process, &status, 0) != process || status != 0) return -1;
    }
    return 0;
}
