// timers N heap|common: measures N timers of libevent. Prints "SET END CHURN", three times in nanoseconds: to set one timer; to
// end one timer, in the order in which the timers were set; to end a random timer and set a new timer.
//
// With `heap`, libevent keeps the timers in its default heap. With `common`, it keeps them in a queue of timers of equal
// duration (event_base_init_common_timeout).

#include <event2/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void fire(evutil_socket_t fd, short what, void *unused) {
    (void)fd, (void)what, (void)unused;
}

static struct event *set(struct event_base *base, const struct timeval *duration) {
    struct event *timer = event_new(base, -1, 0, fire, NULL);
    if (!timer || event_add(timer, duration) != 0) exit(1);
    return timer;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: timers N heap|common\n");
        return 2;
    }
    long n = atol(arguments[1]);
    struct event_config *config = event_config_new();
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    struct event_base *base = event_base_new_with_config(config);
    struct timeval ten_minutes = {600, 0};
    const struct timeval *duration = &ten_minutes;
    if (strcmp(arguments[2], "common") == 0) {
        duration = event_base_init_common_timeout(base, &ten_minutes);
    }
    struct event **timers = malloc(n * sizeof *timers);

    double began = nanoseconds();
    for (long i = 0; i < n; i++) timers[i] = set(base, duration);
    double setting = nanoseconds() - began;

    began = nanoseconds();
    for (long i = 0; i < n; i++) event_free(timers[i]);
    double ending = nanoseconds() - began;

    for (long i = 0; i < n; i++) timers[i] = set(base, duration);
    unsigned random = 1;
    began = nanoseconds();
    for (long i = 0; i < n; i++) {
        random = random * 1103515245 + 12345;
        long at = (random >> 8) % n;
        event_free(timers[at]);
        timers[at] = set(base, duration);
    }
    double churning = nanoseconds() - began;
    printf("%.0f %.0f %.0f\n", setting / n, ending / n, churning / n);
}
