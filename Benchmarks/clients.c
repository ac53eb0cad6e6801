// clients SERVER CLIENTS COUNT MESSAGE...: opens CLIENTS connections to the server at SERVER (the path of a UNIX socket, or
// HOST:PORT) and sends COUNT messages over each. A connection sends the messages in turn, with `%d` replaced by the number of
// the connection. It sends the next message when it has received the reply to the previous one, which is one line.
//
// Prints the number of replies per second of all connections together. After SIGTERM, it prints that number and ends.

#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

static volatile sig_atomic_t is_ended;

static void end(int number) {
    (void)number;
    is_ended = 1;
}

static void send_next(int fd, long *sent, int number, struct message *messages, int message_count) {
    static char line[1 << 14];
    const struct message *message = &messages[(*sent)++ % message_count];
    if (message->length > sizeof line) fail("a message is too long");
    write_all(fd, line, put_message(line, message, number) - line);
}

// Reads the bytes that have arrived, and returns whether they complete the reply, a line.
static int read_reply(int fd, int *begins_line) {
    char bytes[1 << 12];
    ssize_t count = read(fd, bytes, sizeof bytes);
    if (count <= 0) fail("read");
    check_reply(bytes, count, *begins_line);
    return *begins_line = bytes[count - 1] == '\n';
}

int main(int count, char **arguments) {
    if (count < 5) {
        fprintf(stderr, "usage: clients SERVER CLIENTS COUNT MESSAGE...\n");
        return 2;
    }
    int client_count = atoi(arguments[2]), message_count = count - 4;
    long per_client = atol(arguments[3]), total = per_client * client_count, done = 0;
    struct message *messages = make_messages(arguments + 4, message_count);
    struct pollfd *sockets = calloc(client_count, sizeof *sockets);
    long *sent = calloc(client_count, sizeof *sent);
    int *begins_line = calloc(client_count, sizeof *begins_line);
    for (int i = 0; i < client_count; i++) {
        sockets[i] = (struct pollfd){.fd = connect_to(arguments[1]), .events = POLLIN};
        begins_line[i] = 1;
    }
    double began = nanoseconds(CLOCK_MONOTONIC);
    for (int i = 0; i < client_count; i++) send_next(sockets[i].fd, &sent[i], i, messages, message_count);
    signal(SIGTERM, end);
    while (done < total && !is_ended) {
        if (poll(sockets, client_count, -1) < 0 && errno != EINTR) fail("poll");
        for (int i = 0; i < client_count; i++) {
            if (!sockets[i].revents || !read_reply(sockets[i].fd, &begins_line[i])) continue;
            done++;
            if (sent[i] < per_client) send_next(sockets[i].fd, &sent[i], i, messages, message_count);
        }
    }
    printf("%.0f\n", done / (nanoseconds(CLOCK_MONOTONIC) - began) * 1e9);
}
