#define _GNU_SOURCE
#include "ProcessCalls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char noted[4096], returned[4096];

static void note(const char *function, const char *argument) {
    pthread_mutex_lock(&lock);
    size_t length = strlen(noted);
    snprintf(noted + length, sizeof noted - length, "%s %s\n", function, argument);
    pthread_mutex_unlock(&lock);
}

static void note_number(const char *function, long number) {
    char text[24];
    snprintf(text, sizeof text, "%ld", number);
    note(function, text);
}

const char *process_calls(void) {
    pthread_mutex_lock(&lock);
    memcpy(returned, noted, sizeof noted);
    noted[0] = 0;
    pthread_mutex_unlock(&lock);
    return returned;
}

/// The definition of a function in the C library.
#define ORIGINAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

mode_t umask(mode_t mask) {
    note_number("umask", mask);
    return ORIGINAL(umask)(mask);
}

int chdir(const char *path) {
    note("chdir", path);
    return ORIGINAL(chdir)(path);
}

int fchdir(int descriptor) {
    note_number("fchdir", descriptor);
    return ORIGINAL(fchdir)(descriptor);
}

int setenv(const char *name, const char *value, int replaces) {
    note("setenv", name);
    return ORIGINAL(setenv)(name, value, replaces);
}

int unsetenv(const char *name) {
    note("unsetenv", name);
    return ORIGINAL(unsetenv)(name);
}

int sigaction(int number, const struct sigaction *action, struct sigaction *previous) {
    if (action) note_number("sigaction", number);
    return ORIGINAL(sigaction)(number, action, previous);
}

__sighandler_t signal(int number, __sighandler_t handler) {
    note_number("signal", number);
    return ORIGINAL(signal)(number, handler);
}

int prctl(int option, ...) {
    va_list list;
    va_start(list, option);
    unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long);
    unsigned long c = va_arg(list, unsigned long), d = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_CHILD_SUBREAPER) note_number("prctl", option);
    return ORIGINAL(prctl)(option, a, b, c, d);
}
