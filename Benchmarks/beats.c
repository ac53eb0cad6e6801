// beats SOCKET TIMERS PERIOD_MS: TIMERS periodic timers of libevent, each of which writes a line to the client that connects to
// SOCKET.beats. The lines have the form and the length of gamed's notifications of beats. At SOCKET, the server sends each line
// back, as echo.c does, so that it can be loaded at the same time.
//
// The timers begin a tenth of a millisecond apart for each thousand of a second's beats, so that they are spread evenly over a
// period. They begin when the client has connected.

#include "echo.h"

struct server {
    struct event_base *base;
    int timer_count, period_ms;
    struct evbuffer *output;  // of the client that receives the beats
};

struct timer {
    struct server *server;
    struct event *event;
    int number;
    long beat;
};

static void beat(evutil_socket_t fd, short what, void *context) {
    (void)fd, (void)what;
    struct timer *timer = context;
    timer->beat++;
    evbuffer_add_printf(
        timer->server->output,
        "{\"jsonrpc\":\"2.0\",\"method\":\"beat\",\"params\":{\"session\":\"s%07d\",\"entry\":%d,\"kind\":\"keep\",\"event\":"
        "{\"name\":\"tick\",\"args\":{}},\"source\":{\"kind\":\"timer\"},\"from\":{\"state\":\"beating\",\"data\":{}},\"to\":"
        "{\"state\":\"beating\",\"data\":{}},\"missed\":0,\"timers\":[{\"fires\":\"tick\",\"kind\":\"pendulum\",\"remainingMs\":%d,"
        "\"totalMs\":%d,\"paused\":false}],\"atMs\":%013ld,\"time\":\"1970-01-01T00:00:00.000Z\"}}\n",
        timer->number, timer->number, timer->server->period_ms, timer->server->period_ms, timer->beat * timer->server->period_ms);
}

// The first beat. From then on, libevent computes each deadline from the last one, so that the beats do not drift.
static void first_beat(evutil_socket_t fd, short what, void *context) {
    struct timer *timer = context;
    struct timeval period = {timer->server->period_ms / 1000, timer->server->period_ms % 1000 * 1000};
    event_free(timer->event);
    timer->event = event_new(timer->server->base, -1, EV_PERSIST, beat, timer);
    event_add(timer->event, &period);
    beat(fd, what, context);
}

static void accept_watcher(
    struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int length,
    void *context) {
    (void)listener, (void)address, (void)length;
    struct server *server = context;
    struct bufferevent *client = bufferevent_socket_new(server->base, fd, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_enable(client, EV_WRITE);
    server->output = bufferevent_get_output(client);
    for (int i = 0; i < server->timer_count; i++) {
        struct timer *timer = calloc(1, sizeof *timer);
        *timer = (struct timer){server, NULL, i, 0};
        timer->event = event_new(server->base, -1, 0, first_beat, timer);
        long after_us = (long)server->period_ms * 1000 * i / server->timer_count;
        struct timeval after = {after_us / 1000000, after_us % 1000000};
        event_add(timer->event, &after);
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: beats SOCKET TIMERS PERIOD_MS\n");
        return 2;
    }
    struct event_config *config = event_config_new();
    // Deadlines with a finer clock than the kernel's ticks.
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    struct server server = {event_base_new_with_config(config), atoi(arguments[2]), atoi(arguments[3]), NULL};
    char path[4096];
    snprintf(path, sizeof path, "%s.beats", arguments[1]);
    listen_at(server.base, path, accept_watcher, &server);
    listen_at(server.base, arguments[1], echo_accept, server.base);
    event_base_dispatch(server.base);
}
