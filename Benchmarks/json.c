// json: the nanoseconds to read and free a small request with two C libraries of Debian: "CJSON JANSSON". Jansson is
// set to refuse duplicate members, as gamed's reader does.

#include <cjson/cJSON.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 1000000 };

static const char request[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"send\",\"params\":{\"event\":\"displayHelp\"}}";

static double nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void with_cjson(void) {
    cJSON *json = cJSON_ParseWithLength(request, strlen(request));
    if (!json) exit(1);
    cJSON_Delete(json);
}

static void with_jansson(void) {
    json_t *json = json_loadb(request, strlen(request), JSON_REJECT_DUPLICATES, NULL);
    if (!json) exit(1);
    json_decref(json);
}

static double time_of(void (*work)(void)) {
    double began = nanoseconds();
    for (int i = 0; i < ROUNDS; i++) work();
    return (nanoseconds() - began) / ROUNDS;
}

int main(void) { printf("%.0f %.0f\n", time_of(with_cjson), time_of(with_jansson)); }
