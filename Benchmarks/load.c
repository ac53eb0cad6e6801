// load [OPTION...] SERVER PID IN_FLIGHT COUNT MESSAGE...: sends COUNT messages to the server at SERVER (the path of a UNIX
// socket, or HOST:PORT), and reads a reply to each. It writes IN_FLIGHT messages at once. When all replies have arrived, it
// writes the next IN_FLIGHT messages, over the next connection.
//   -c COUNT   this many connections; default 1
//   -s COUNT   the messages are for this many sessions; default 1. `%d` in a message is the number of the session. Each session
//              gets the messages in turn.
//   -r         sessions at random, instead of one after the other
//   -l COUNT   a reply has this many lines; default 1
//
// Prints "CPU WALL", two times in nanoseconds for one message: the CPU time of the server, whose process id is PID, and the
// elapsed time. With other load on the machine, only the CPU time is reliable.

#define _GNU_SOURCE
#include "load.h"

static void await_lines(int fd, long lines) {
    static char bytes[1 << 16];
    int begins_line = 1;
    while (lines > 0) {
        ssize_t count = read(fd, bytes, sizeof bytes);
        if (count <= 0) fail("read");
        check_reply(bytes, count, begins_line);
        begins_line = bytes[count - 1] == '\n';
        for (ssize_t i = 0; i < count; i++) lines -= bytes[i] == '\n';
    }
}

int main(int count, char **arguments) {
    int connection_count = 1, at_random = 0, reply_lines = 1, option;
    long session_count = 1;
    while ((option = getopt(count, arguments, "+c:s:rl:")) != -1) {
        if (option == 'c') connection_count = atoi(optarg);
        if (option == 's') session_count = atol(optarg);
        if (option == 'r') at_random = 1;
        if (option == 'l') reply_lines = atoi(optarg);
        if (option == '?') return 2;
    }
    arguments += optind;
    count -= optind;
    if (count < 5) {
        fprintf(stderr, "usage: load [-c CONNECTIONS] [-s SESSIONS] [-r] [-l LINES] SERVER PID IN_FLIGHT COUNT MESSAGE...\n");
        return 2;
    }
    int *connections = calloc(connection_count, sizeof *connections);
    for (int i = 0; i < connection_count; i++) connections[i] = connect_to(arguments[0]);
    clockid_t server = cpu_clock(arguments[1]);
    int in_flight = atoi(arguments[2]), message_count = count - 4;
    long total = atol(arguments[3]), sent = 0;
    struct message *messages = make_messages(arguments + 4, message_count);
    size_t longest = 0;
    for (int i = 0; i < message_count; i++) {
        if (messages[i].length > longest) longest = messages[i].length;
    }
    // The index of the next message of each session.
    unsigned char *next = calloc(session_count, 1);
    char *burst = malloc(longest * in_flight);
    unsigned random = 1;
    double began = nanoseconds(CLOCK_MONOTONIC), cpu_began = nanoseconds(server);
    for (long turn = 0; sent < total; turn++, sent += in_flight) {
        char *end = burst;
        for (int i = 0; i < in_flight; i++) {
            random = random * 1103515245 + 12345;
            long session = (at_random ? random >> 8 : sent + i) % session_count;
            end = put_message(end, &messages[next[session]], session);
            next[session] = (next[session] + 1) % message_count;
        }
        int fd = connections[turn % connection_count];
        write_all(fd, burst, end - burst);
        await_lines(fd, (long)in_flight * reply_lines);
    }
    double cpu_time = nanoseconds(server) - cpu_began;
    double elapsed = nanoseconds(CLOCK_MONOTONIC) - began;
    printf("%.0f %.0f\n", cpu_time / sent, elapsed / sent);
}
