// clients SOCKET CLIENTS COUNT MESSAGE...: opens CLIENTS connections to the server at SOCKET and sends COUNT lines over
// each. A connection has one line in flight and repeats the messages, with `%d` replaced by its number.
//
// Prints the replies in a second.

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
    char **lines;
    long sent;
};

static struct client make_client(char **messages, int kinds, int number) {
    struct client client = {calloc(kinds, sizeof *client.lines), 0};
    for (int i = 0; i < kinds; i++) {
        const char *place = strstr(messages[i], "%d");
        int before = place ? (int)(place - messages[i]) : (int)strlen(messages[i]);
        char text[512];
        if (place) {
            snprintf(text, sizeof text, "%.*s%d%s\n", before, messages[i], number, place + 2);
        } else {
            snprintf(text, sizeof text, "%s\n", messages[i]);
        }
        client.lines[i] = strdup(text);
    }
    return client;
}

static void send_next(int fd, struct client *client, int kinds) {
    const char *line = client->lines[client->sent++ % kinds];
    ssize_t length = strlen(line);
    if (write(fd, line, length) != length) fail("write");
}

// Whether a whole line was received.
static int answered(int fd) {
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
    int size = atoi(arguments[2]), kinds = count - 4;
    long each = atol(arguments[3]), total = each * size, done = 0;
    struct pollfd *places = calloc(size, sizeof *places);
    struct client *clients = calloc(size, sizeof *clients);
    for (int i = 0; i < size; i++) {
        places[i] = (struct pollfd){.fd = connect_to(arguments[1]), .events = POLLIN};
        clients[i] = make_client(arguments + 4, kinds, i);
    }
    double began = seconds();
    for (int i = 0; i < size; i++) send_next(places[i].fd, &clients[i], kinds);
    while (done < total) {
        if (poll(places, size, -1) < 0) fail("poll");
        for (int i = 0; i < size; i++) {
            if (!places[i].revents || !answered(places[i].fd)) continue;
            done++;
            if (clients[i].sent < each) send_next(places[i].fd, &clients[i], kinds);
        }
    }
    printf("%.0f\n", done / (seconds() - began));
}
