// http SOCKET: an HTTP server on 127.0.0.1 that answers each POST with the body of the request. It chooses a free port and
// writes the port's number to the file SOCKET.port. It uses libevent's evhttp only. The daemon is compared with this minimum.

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

static void answer(struct evhttp_request *request, void *unused) {
    (void)unused;
    struct evbuffer *body = evbuffer_new();
    evbuffer_add_buffer(body, evhttp_request_get_input_buffer(request));
    evhttp_add_header(
        evhttp_request_get_output_headers(request), "Content-Type", "application/json");
    evhttp_send_reply(request, 200, "OK", body);
    evbuffer_free(body);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: http SOCKET\n");
        return 2;
    }
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(http, "127.0.0.1", 0);
    if (!bound) {
        perror("127.0.0.1");
        return 1;
    }
    evhttp_set_gencb(http, answer, NULL);
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&address, &size);
    char path[4096];
    snprintf(path, sizeof path, "%s.port", arguments[1]);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return 1;
    }
    fprintf(file, "%d\n", ntohs(address.sin_port));
    fclose(file);
    event_base_dispatch(base);
}
