// Null tasks through Gearman. usage: gearman_null work PORT | submit PORT WARM-UP TASKS
//
// The worker computes each task's output from its number. The client keeps a window of tasks in flight, each of which is
// replaced when it is done, checks every output, and prints the seconds that TASKS tasks took, after WARM-UP others.

#include <libgearman/gearman.h>
#include <stdbool.h>
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

static long value(long number) { return 3 * number + 1; }

static void *null(gearman_job_st *job, void *context, size_t *size, gearman_return_t *status) {
    (void)context;
    long number = 0;
    *status = GEARMAN_SUCCESS;
    if (gearman_job_workload_size(job) == sizeof number) memcpy(&number, gearman_job_workload(job), sizeof number);
    // Freed by the library.
    long *result = malloc(sizeof *result);
    *result = value(number);
    *size = sizeof *result;
    return result;
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

static gearman_client_st *client;
static long numbers[window], next, total, done;

/// Adds the next task, whose number is kept at a place of the window.
static bool add(long *place) {
    char unique[24];
    gearman_return_t status;
    *place = next++;
    snprintf(unique, sizeof unique, "%ld", *place);
    gearman_client_add_task(client, NULL, place, "null", unique, place, sizeof *place, &status);
    return !gearman_failed(status);
}

static gearman_return_t complete(gearman_task_st *task) {
    long *place = gearman_task_context(task);
    long result = 0;
    if (gearman_task_data_size(task) == sizeof result) memcpy(&result, gearman_task_data(task), sizeof result);
    if (result != value(*place)) return GEARMAN_ERROR;
    done++;
    return next == total || add(place) ? GEARMAN_SUCCESS : GEARMAN_ERROR;
}

/// Runs tasks; returns the duration in seconds, or -1.
static double run_tasks(long tasks) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    total = tasks;
    next = done = 0;
    for (int place = 0; place < window && next < total; place++)
        if (!add(&numbers[place])) return -1;
    while (done < total)
        if (gearman_failed(gearman_client_run_tasks(client))) return -1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9;
}

int main(int count, char **words) {
    if (count == 3 && strcmp(words[1], "work") == 0) return serve(atoi(words[2]));
    if (count != 5 || strcmp(words[1], "submit") != 0)
        return fail("usage", "gearman_null work PORT | submit PORT WARM-UP TASKS");
    client = gearman_client_create(NULL);
    // A task that is done leaves the list.
    gearman_client_add_options(client, GEARMAN_CLIENT_FREE_TASKS);
    gearman_client_set_complete_fn(client, complete);
    if (gearman_failed(gearman_client_add_server(client, "127.0.0.1", atoi(words[2]))))
        return fail("client", gearman_client_error(client));
    if (run_tasks(atol(words[3])) < 0) return fail("warm-up", "not all tasks were done");
    double seconds = run_tasks(atol(words[4]));
    if (seconds < 0) return fail("client", "not all tasks were done");
    printf("%.6f\n", seconds);
    return 0;
}
