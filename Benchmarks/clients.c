// clients SOCKET CLIENTS COUNT MESSAGE...: opens CLIENTS connections to the server at SOCKET and sends COUNT lines over
// each. A connection sends the messages in turn, with `%d` replaced by the number of the connection. It sends the next line
// when it has received the reply to the previous line.
//
// Prints the number of replies per second of all connections together.

#include <poll.h>
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

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) fail(path);
    return fd;
}

struct client {
    char **lines;  // the messages, as this connection sends them
    long sent;     // the number of lines that were sent
};

static struct client make_client(char **messages, int message_count, int number) {
    struct client client = {calloc(message_count, sizeof *client.lines), 0};
    for (int i = 0; i < message_count; i++) {
        const char *mark = strstr(messages[i], "%d");
        int before = mark ? (int)(mark - messages[i]) : (int)strlen(messages[i]);
        char text[512];
        int length;
        if (mark) {
            length = snprintf(text, sizeof text, "%.*s%d%s\n", before, messages[i], number, mark + 2);
        } else {
            length = snprintf(text, sizeof text, "%s\n", messages[i]);
        }
        if (length >= (int)sizeof text) {
            fprintf(stderr, "clients: a message is too long: %s\n", messages[i]);
            exit(1);
        }
        client.lines[i] = strdup(text);
    }
    return client;
}

static void send_next(int fd, struct client *client, int message_count) {
    const char *line = client->lines[client->sent++ % message_count];
    ssize_t length = strlen(line);
    if (write(fd, line, length) != length) fail("write");
}

// Reads the bytes that have arrived, and returns whether they complete the reply, a line. Ends the program if the server has
// refused the request.
static int read_reply(int fd) {
    char bytes[1 << 12];
    ssize_t count = read(fd, bytes, sizeof bytes);
    if (count <= 0) fail("read");
    if (memmem(bytes, count, "\"error\":", 8)) {
        fprintf(stderr, "refused: %.*s", (int)count, bytes);
        exit(1);
    }
    return bytes[count - 1] == '\n';
}

int main(int count, char **arguments) {
    if (count < 5) {
        fprintf(stderr, "usage: clients SOCKET CLIENTS COUNT MESSAGE...\n");
        return 2;
    }
    int client_count = atoi(arguments[2]), message_count = count - 4;
    long lines_per_client = atol(arguments[3]), total = lines_per_client * client_count, done = 0;
    struct pollfd *sockets = calloc(client_count, sizeof *sockets);
    struct client *clients = calloc(client_count, sizeof *clients);
    for (int i = 0; i < client_count; i++) {
        sockets[i] = (struct pollfd){.fd = connect_to(arguments[1]), .events = POLLIN};
        clients[i] = make_client(arguments + 4, message_count, i);
    }
    double began = seconds();
    for (int i = 0; i < client_count; i++) send_next(sockets[i].fd, &clients[i], message_count);
    while (done < total) {
        if (poll(sockets, client_count, -1) < 0) fail("poll");
        for (int i = 0; i < client_count; i++) {
            if (!sockets[i].revents || !read_reply(sockets[i].fd)) continue;
            done++;
            if (clients[i].sent < lines_per_client) send_next(sockets[i].fd, &clients[i], message_count);
        }
    }
    printf("%.0f\n", done / (seconds() - began));
}
