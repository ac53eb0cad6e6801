// lateness SERVER TIMERS PERIOD_MS CALM_MS LOAD_MS [WATCH]: sends the line WATCH, if any, to SERVER, and reads the beats of
// TIMERS timers, whose sessions are named s0000000 and so on. Measures first for CALM_MS, and then for LOAD_MS, while somebody
// loads the server.
//
// A timer's beats are due at its first beat plus a multiple of the period. No server knows when the watcher's clock would show
// that; so the beat of the calm time that came earliest, as compared with its number, counts as punctual, and all others are as
// late as they come after it. Reads all the time, and only stores the times, so that it holds up no server.
//
// Prints "BEATS LOST CALM_MEDIAN CALM_P99 CALM_MOST LOAD_MEDIAN LOAD_P99 LOAD_MOST", the times in microseconds.

#define _GNU_SOURCE
#include "load.h"

#include <poll.h>

struct arrival {
    int timer;
    long beat;      // the number of the beat
    double at_ns;
};

static int is_less(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The number after a name in a line.
static long number_after(const char *line, size_t length, const char *name) {
    const char *found = memmem(line, length, name, strlen(name));
    if (!found) {
        fprintf(stderr, "lateness: no %s in %.*s\n", name, (int)length, line);
        exit(1);
    }
    return strtol(found + strlen(name), NULL, 10);
}

// Prints the median, the 99th percentile and the largest value, by nearest rank.
static void print_percentiles(double *values, long count) {
    if (count == 0) fail("no beats");
    qsort(values, count, sizeof *values, is_less);
    printf(" %.0f %.0f %.0f", values[(count - 1) / 2] / 1e3, values[(count * 99 + 99) / 100 - 1] / 1e3, values[count - 1] / 1e3);
}

int main(int count, char **arguments) {
    if (count < 6) {
        fprintf(stderr, "usage: lateness SERVER TIMERS PERIOD_MS CALM_MS LOAD_MS [WATCH]\n");
        return 2;
    }
    int timer_count = atoi(arguments[2]), fd = connect_to(arguments[1]);
    double period_ns = atof(arguments[3]) * 1e6, calm_ns = atof(arguments[4]) * 1e6, load_ns = atof(arguments[5]) * 1e6;
    if (count > 6) {
        write_all(fd, arguments[6], strlen(arguments[6]));
        write_all(fd, "\n", 1);
    }
    long capacity = (long)((calm_ns + load_ns) / period_ns * 1.5 + 10) * timer_count, arrival_count = 0, lost = 0;
    struct arrival *arrivals = calloc(capacity, sizeof *arrivals);
    long *next_beat = calloc(timer_count, sizeof *next_beat);
    // `atMs` of the beat before.
    long *previous_ms = calloc(timer_count, sizeof *previous_ms);
    static char bytes[1 << 22];
    size_t filled = 0;
    double began = nanoseconds(CLOCK_MONOTONIC);
    struct pollfd socket = {.fd = fd, .events = POLLIN};
    while (nanoseconds(CLOCK_MONOTONIC) - began < calm_ns + load_ns) {
        if (poll(&socket, 1, 100) == 0) continue;
        ssize_t length = read(fd, bytes + filled, sizeof bytes - filled);
        if (length <= 0) fail("read");
        double now = nanoseconds(CLOCK_MONOTONIC);
        filled += length;
        size_t at = 0;
        for (char *end; (end = memchr(bytes + at, '\n', filled - at)); at = end + 1 - bytes) {
            const char *line = bytes + at;
            size_t line_length = end - line;
            if (memmem(line, line_length, "\"overrun\"", 9)) fail("the watcher is too slow");
            if (!memmem(line, line_length, "\"method\":\"beat\"", 15)) continue;
            long timer = number_after(line, line_length, "\"session\":\"s"), missed = number_after(line, line_length, "\"missed\":");
            long at_ms = number_after(line, line_length, "\"atMs\":");
            if (timer < 0 || timer >= timer_count || arrival_count >= capacity) fail("an unexpected beat");
            // The server says how many beats it has skipped. A beat that has got lost without a word is known by its time.
            long beats = previous_ms[timer] ? (long)((at_ms - previous_ms[timer]) * 1e6 / period_ns + 0.5) : 1;
            if (beats < 1) beats = 1;
            if (beats < 1 + missed) beats = 1 + missed;
            lost += previous_ms[timer] ? beats - 1 : 0;
            previous_ms[timer] = at_ms;
            next_beat[timer] += beats;
            arrivals[arrival_count++] = (struct arrival){timer, next_beat[timer], now};
        }
        memmove(bytes, bytes + at, filled - at);
        filled -= at;
    }
    double *phase = calloc(timer_count, sizeof *phase), *calm = calloc(capacity, sizeof *calm), *loaded = calloc(capacity, sizeof *loaded);
    for (long i = 0; i < arrival_count; i++) {
        double due = arrivals[i].at_ns - arrivals[i].beat * period_ns;
        if (arrivals[i].at_ns - began > calm_ns) continue;
        if (phase[arrivals[i].timer] == 0 || due < phase[arrivals[i].timer]) phase[arrivals[i].timer] = due;
    }
    long calm_count = 0, loaded_count = 0;
    for (long i = 0; i < arrival_count; i++) {
        double since_start = arrivals[i].at_ns - began;
        if (phase[arrivals[i].timer] == 0) continue;
        double late = arrivals[i].at_ns - arrivals[i].beat * period_ns - phase[arrivals[i].timer];
        if (late < 0) late = 0;
        // The load begins and ends within a tenth of its time.
        if (since_start <= calm_ns) calm[calm_count++] = late;
        else if (since_start > calm_ns + load_ns / 10) loaded[loaded_count++] = late;
    }
    printf("%ld %ld", arrival_count, lost);
    print_percentiles(calm, calm_count);
    print_percentiles(loaded, loaded_count);
    printf("\n");
}
