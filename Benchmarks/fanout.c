// fanout WATCHED SENT_TO PID WATCHERS CHANGES MARK SUBSCRIBE MESSAGE...: WATCHERS connections to WATCHED send the text
// SUBSCRIBE. Then one connection to SENT_TO sends the messages in turn, CHANGES in all, and the next one only when the mark, a
// text that each delivery contains once, has arrived on every connection. Addresses are paths of UNIX sockets, or HOST:PORT.
// `%d` in a message is the number of the change.
//
// Prints "CPU BYTES SYSTEM": the CPU time of the server, whose process id is PID, for a delivery in nanoseconds; the bytes of a
// delivery; and the part of the server's CPU time in the kernel, in percent.

#define _GNU_SOURCE
#include "load.h"

#include <sys/epoll.h>

struct ticks {
    double user, system;
};

// The CPU time of a process in ticks; see proc_pid_stat(5).
static struct ticks ticks(const char *pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail(path);
    fclose(file);
    struct ticks ticks;
    if (sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &ticks.user, &ticks.system) != 2) {
        fail(path);
    }
    return ticks;
}

// How many bytes of the mark have just arrived on each connection. Either the mark's first byte occurs only once in it, or all its
// bytes are equal.
static unsigned char *matched;
static char bytes[1 << 16];
static double byte_count;

// Reads what has arrived, and returns how many marks it completes.
static int read_marks(int fd, int index, const char *mark, size_t mark_length) {
    ssize_t count = read(fd, bytes, sizeof bytes);
    if (count <= 0) fail("a watcher's connection has ended");
    byte_count += count;
    int marks = 0;
    for (ssize_t i = 0; i < count; i++) {
        if (bytes[i] == mark[matched[index]]) {
            if (++matched[index] < mark_length) continue;
            marks++;
            matched[index] = 0;
        } else {
            matched[index] = bytes[i] == mark[0];
        }
    }
    return marks;
}

int main(int count, char **arguments) {
    if (count < 9) {
        fprintf(stderr, "usage: fanout WATCHED SENT_TO PID WATCHERS CHANGES MARK SUBSCRIBE MESSAGE...\n");
        return 2;
    }
    int watcher_count = atoi(arguments[4]), message_count = count - 8;
    long changes = atol(arguments[5]);
    const char *mark = arguments[6], *subscribe = arguments[7];
    size_t mark_length = strlen(mark);
    struct message *messages = make_messages(arguments + 8, message_count);
    matched = calloc(watcher_count, 1);
    int *watchers = calloc(watcher_count, sizeof *watchers), epoll = epoll_create1(0);
    struct epoll_event events[256];
    for (int i = 0; i < watcher_count; i++) {
        watchers[i] = connect_to(arguments[1]);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        epoll_ctl(epoll, EPOLL_CTL_ADD, watchers[i], &event);
        write_all(watchers[i], subscribe, strlen(subscribe));
        // The server answers each before the next one comes, so that no queue of connections overflows.
        if (read(watchers[i], bytes, sizeof bytes) <= 0) fail("subscribe");
    }
    int sender = connect_to(arguments[2]);
    // The rest of the answers, such as a present state.
    for (int ready; (ready = epoll_wait(epoll, events, 256, 500)) > 0;) {
        for (int i = 0; i < ready; i++) read_marks(watchers[events[i].data.u32], events[i].data.u32, mark, mark_length);
    }
    memset(matched, 0, watcher_count);
    byte_count = 0;
    clockid_t server = cpu_clock(arguments[3]);
    struct ticks ticks_began = ticks(arguments[3]);
    double cpu_began = nanoseconds(server);
    static char line[1 << 16];
    for (long change = 0; change < changes; change++) {
        write_all(sender, line, put_message(line, &messages[change % message_count], change) - line);
        for (long missing = watcher_count; missing > 0;) {
            int ready = epoll_wait(epoll, events, 256, 10000);
            if (ready <= 0) {
                fprintf(stderr, "fanout: change %ld has not arrived at %ld watchers\n", change, missing);
                return 1;
            }
            for (int i = 0; i < ready; i++) {
                missing -= read_marks(watchers[events[i].data.u32], events[i].data.u32, mark, mark_length);
            }
        }
        ssize_t length = read(sender, bytes, sizeof bytes);
        if (length <= 0) fail("the sender's connection has ended");
        check_reply(bytes, length, 1);
    }
    double cpu_time = nanoseconds(server) - cpu_began, deliveries = (double)watcher_count * changes;
    struct ticks ticks_ended = ticks(arguments[3]);
    double user = ticks_ended.user - ticks_began.user, system = ticks_ended.system - ticks_began.system;
    printf("%.0f %.1f %.0f\n", cpu_time / deliveries, byte_count / deliveries, user + system > 0 ? 100 * system / (user + system) : 0);
}
