/* Makes the wall clock of a program wrong by the seconds in the file $WALL_CLOCK_LEAD: build it as a shared library, and
   preload it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    int status = syscall(SYS_clock_gettime, clock, now);
    if (status == 0 && clock == CLOCK_REALTIME) {
        FILE *file = fopen(getenv("WALL_CLOCK_LEAD"), "r");
        long lead = 0;
        if (file != NULL) {
            if (fscanf(file, "%ld", &lead) != 1) lead = 0;
            fclose(file);
        }
        now->tv_sec += lead;
    }
    return status;
}
