// load SOCKET PID IN_FLIGHT COUNT MESSAGE...: sends COUNT lines to the server at SOCKET, with the messages in turn, and reads a
// reply to each. It writes IN_FLIGHT lines at once. When all replies have arrived, it writes the next IN_FLIGHT lines.
//
// Prints "CPU WALL", two times in nanoseconds for one line: the CPU time of the server, whose process id is PID, and the
// elapsed time. With other load on the machine, only the CPU time is reliable.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) fail("clock_gettime");
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail(path);
    return fd;
}

// The lines of one write.
struct burst {
    char *bytes;
    size_t length;
};

// Makes a burst of `lines` lines. The first is the message with the index `first`.
static struct burst make_burst(char **messages, int message_count, long first, int lines) {
    struct burst burst = {NULL, 0};
    for (int i = 0; i < lines; i++) {
        const char *message = messages[(first + i) % message_count];
        size_t length = strlen(message);
        burst.bytes = realloc(burst.bytes, burst.length + length + 1);
        if (!burst.bytes) fail("realloc");
        memcpy(burst.bytes + burst.length, message, length);
        burst.bytes[burst.length + length] = '\n';
        burst.length += length + 1;
    }
    return burst;
}

static void send_burst(int fd, struct burst burst) {
    for (size_t at = 0; at < burst.length;) {
        ssize_t written = write(fd, burst.bytes + at, burst.length - at);
        if (written <= 0) fail("write");
        at += written;
    }
}

static void await_lines(int fd, int lines) {
    static char bytes[1 << 16];
    while (lines > 0) {
        ssize_t count = read(fd, bytes, sizeof bytes);
        if (count <= 0) fail("read");
        for (ssize_t i = 0; i < count; i++) lines -= bytes[i] == '\n';
    }
}

int main(int count, char **arguments) {
    if (count < 6) {
        fprintf(stderr, "usage: load SOCKET PID IN_FLIGHT COUNT MESSAGE...\n");
        return 2;
    }
    int fd = connect_to(arguments[1]);
    clockid_t server;
    if (clock_getcpuclockid(atoi(arguments[2]), &server) != 0) fail("clock_getcpuclockid");
    int in_flight = atoi(arguments[3]), message_count = count - 5;
    long total = atol(arguments[4]), sent = 0;
    // A burst depends only on the message with which it begins, so the burst for each message is made once.
    struct burst *bursts = calloc(message_count, sizeof *bursts);
    for (int i = 0; i < message_count; i++) {
        bursts[i] = make_burst(arguments + 5, message_count, i, in_flight);
    }
    double began = nanoseconds(CLOCK_MONOTONIC), cpu_began = nanoseconds(server);
    for (; sent < total; sent += in_flight) {
        send_burst(fd, bursts[sent % message_count]);
        await_lines(fd, in_flight);
    }
    double cpu_time = nanoseconds(server) - cpu_began;
    double elapsed = nanoseconds(CLOCK_MONOTONIC) - began;
    printf("%.0f %.0f\n", cpu_time / sent, elapsed / sent);
}
