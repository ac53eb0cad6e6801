/* Makes the disk of a program slow: each fsync and fdatasync takes the milliseconds in $DISK_DELAY_MS longer. Build it as a shared
   library, and preload it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wait_for_disk(void) {
    const char *delay = getenv("DISK_DELAY_MS");
    usleep(delay == NULL ? 0 : (useconds_t)atoi(delay) * 1000);
}

int fsync(int file) {
    wait_for_disk();
    return syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    wait_for_disk();
    return syscall(SYS_fdatasync, file);
}
