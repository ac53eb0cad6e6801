// echo SOCKET: sends each line back. The daemon is compared with this minimum.

#include "echo.h"

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: echo SOCKET\n");
        return 2;
    }
    struct event_base *base = event_base_new();
    listen_at(base, arguments[1], echo_accept, base);
    event_base_dispatch(base);
}
