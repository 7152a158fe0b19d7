// Null tasks through Gearman. usage: gearman_null work PORT | submit PORT WARM-UP TASKS
//
// The worker returns each task's input. The client prints the seconds that TASKS tasks took, after WARM-UP others.

#include <libgearman/gearman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Tasks in flight: the library searches their list for each response.
enum { window = 100 };

static int fail(const char *what, const char *why) {
    fprintf(stderr, "gearman_null: %s: %s\n", what, why);
    return 1;
}

static void *null(gearman_job_st *job, void *context, size_t *size, gearman_return_t *status) {
    (void)context;
    *size = gearman_job_workload_size(job);
    *status = GEARMAN_SUCCESS;
    // Freed by the library.
    void *result = malloc(*size);
    return memcpy(result, gearman_job_workload(job), *size);
}

static int serve(int port) {
    gearman_worker_st *worker = gearman_worker_create(NULL);
    if (gearman_failed(gearman_worker_add_server(worker, "127.0.0.1", port)) ||
        gearman_failed(gearman_worker_add_function(worker, "null", 0, null, NULL)))
        return fail("worker", gearman_worker_error(worker));
    while (gearman_success(gearman_worker_work(worker)))
        ;
    return fail("worker", gearman_worker_error(worker));
}

static long done;

static gearman_return_t complete(gearman_task_st *task) {
    const long *number = gearman_task_context(task);
    if (gearman_task_data_size(task) == sizeof *number && memcmp(gearman_task_data(task), number, sizeof *number) == 0)
        done++;
    return GEARMAN_SUCCESS;
}

/// Submits tasks, at most a window at a time; returns the duration in seconds, or -1.
static double run_tasks(gearman_client_st *client, long tasks) {
    long numbers[window];
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    done = 0;
    for (long next = 0; next < tasks;) {
        for (int place = 0; place < window && next < tasks; place++, next++) {
            char unique[24];
            gearman_return_t status;
            snprintf(unique, sizeof unique, "%ld", next);
            numbers[place] = next;
            gearman_client_add_task(
                client, NULL, &numbers[place], "null", unique, &numbers[place], sizeof numbers[place], &status);
            if (gearman_failed(status)) return -1;
        }
        if (gearman_failed(gearman_client_run_tasks(client))) return -1;
        gearman_client_task_free_all(client);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return done == tasks ? (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9 : -1;
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "work") == 0) return serve(atoi(words[2]));
    if (count != 5 || strcmp(words[1], "submit") != 0)
        return fail("usage", "gearman_null work PORT | submit PORT WARM-UP TASKS");
    gearman_client_st *client = gearman_client_create(NULL);
    gearman_client_set_complete_fn(client, complete);
    if (gearman_failed(gearman_client_add_server(client, "127.0.0.1", atoi(words[2]))))
        return fail("client", gearman_client_error(client));
    if (run_tasks(client, atol(words[3])) < 0) return fail("warm-up", "not all tasks were done");
    double seconds = run_tasks(client, atol(words[4]));
    if (seconds < 0) return fail("client", "not all tasks were done");
    printf("%.6f\n", seconds);
    return 0;
}
