// What the programs that load a server share: clocks, connections, and messages with a number in them.

#ifndef LOAD_H
#define LOAD_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

static inline double nanoseconds(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) fail("clock_gettime");
    return time.tv_sec * 1e9 + time.tv_nsec;
}

// The clock of the CPU time, user and system, of a process and all its threads.
static inline clockid_t cpu_clock(const char *pid) {
    clockid_t clock;
    if (clock_getcpuclockid(atoi(pid), &clock) != 0) fail("clock_getcpuclockid");
    return clock;
}

// Connects to the path of a UNIX socket, or to HOST:PORT.
static inline int connect_to(const char *address) {
    const char *colon = strchr(address, ':');
    int fd;
    if (colon) {
        struct sockaddr_in inet = {.sin_family = AF_INET, .sin_port = htons(atoi(colon + 1))};
        char host[64];
        snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
        inet_pton(AF_INET, host, &inet.sin_addr);
        fd = socket(AF_INET, SOCK_STREAM, 0);
        int on = 1;
        if (fd < 0 || connect(fd, (struct sockaddr *)&inet, sizeof inet) != 0) fail(address);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    } else {
        struct sockaddr_un local = {.sun_family = AF_UNIX};
        snprintf(local.sun_path, sizeof local.sun_path, "%s", address);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&local, sizeof local) != 0) fail(address);
    }
    return fd;
}

static inline void write_all(int fd, const char *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        ssize_t written = write(fd, bytes + at, length - at);
        if (written <= 0) fail("write");
        at += written;
    }
}

// A `%d` in a message stands for a number, which is always written with this many digits. So all messages made from one text
// have the same length.
#define DIGITS 7

// A line to send. `marks` are the offsets of the places of its number.
struct message {
    char *bytes;
    size_t length;
    int marks[4];
    int mark_count;
};

static inline struct message make_message(const char *text) {
    struct message message = {malloc(strlen(text) + 4 * DIGITS + 2), 0, {0}, 0};
    for (; *text; text++) {
        if (text[0] == '%' && text[1] == 'd' && message.mark_count < 4) {
            message.marks[message.mark_count++] = message.length;
            memset(message.bytes + message.length, '0', DIGITS);
            message.length += DIGITS;
            text++;
        } else {
            message.bytes[message.length++] = *text;
        }
    }
    message.bytes[message.length++] = '\n';
    return message;
}

static inline struct message *make_messages(char **texts, int count) {
    struct message *messages = calloc(count, sizeof *messages);
    for (int i = 0; i < count; i++) messages[i] = make_message(texts[i]);
    return messages;
}

// Copies a message with its number to `place`, and returns the end of the copy.
static inline char *put_message(char *place, const struct message *message, long number) {
    memcpy(place, message->bytes, message->length);
    for (int i = 0; i < message->mark_count; i++) {
        long rest = number;
        for (int digit = DIGITS - 1; digit >= 0; digit--, rest /= 10) {
            place[message->marks[i] + digit] = '0' + rest % 10;
        }
    }
    return place + message->length;
}

// Ends the program if the server has refused a request: a measurement of refusals would mean nothing. Knows the errors of
// JSON-RPC and of Redis, whose errors are lines that begin with a minus. `begins_line` says whether the bytes begin a line.
static inline void check_reply(const char *bytes, size_t count, int begins_line) {
    if (memmem(bytes, count, "\"error\":", 8) || (begins_line && bytes[0] == '-') || memmem(bytes, count, "\n-", 2)) {
        fprintf(stderr, "refused: %.*s\n", count > 300 ? 300 : (int)count, bytes);
        exit(1);
    }
}

#endif
