#ifndef GAMED_CLINUX_SHIM_H
#define GAMED_CLINUX_SHIM_H

// Functions that Swift's Glibc module lacks: eventfd(2), flock(2), renameat2(2), control messages of sockets,
// getopt_long(3), accept4(2), malloc_trim(3), timerfd_create(2).
#include <malloc.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <getopt.h>
#include <spawn.h>
#include <string.h>

/// Finds out which process, user and group are the peer of a connected UNIX socket. Returns 0, or -1 with errno. Wraps
/// getsockopt(SO_PEERCRED), which returns a struct ucred, see unix(7). That struct needs _GNU_SOURCE; `peer` has its layout.
static inline int linux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

/// Writes the supplementary groups of a connected UNIX socket's peer into `groups`, which has space for `capacity`
/// groups. Returns their number, or -1 with errno. Wraps getsockopt(SO_PEERGROUPS), which Linux has since 4.13.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
static inline int linux_peer_groups(int fd, gid_t *groups, int capacity) {
    socklen_t size = (socklen_t)(capacity * (int)sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return -1;
    return (int)(size / sizeof *groups);
}

/// Wraps accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC; declared here since it needs _GNU_SOURCE.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
static inline int linux_accept(int fd) {
    return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Creates a timer by a clock that also runs while the machine sleeps. Returns its descriptor, or -1 with errno. Wraps
/// timerfd_create(2) with CLOCK_BOOTTIME. It is declared here, because its header would define `struct timespec` in this module
/// instead of Glibc.
extern int timerfd_create(int clock, int flags);
static inline int linux_timer(void) {
    const int boot_time = 7, nonblocking = 04000, close_on_exec = 02000000;
    return timerfd_create(boot_time, nonblocking | close_on_exec);
}

/// Makes a timer of `linux_timer` expire after a time, and then each `interval` seconds unless that is 0. Wraps
/// timerfd_settime(2), which cannot fail for such times. `times` has the layout of a struct itimerspec.
extern int timerfd_settime(int descriptor, int flags, const void *new_value, void *old_value);
static inline void linux_set_timer(int descriptor, long seconds, long nanoseconds, long interval) {
    struct { long interval, interval_ns, first, first_ns; } times = {interval, 0, seconds, nanoseconds};
    timerfd_settime(descriptor, 0, &times, 0);
}

/// Wraps posix_spawn_file_actions_addchdir_np(3); declared here since it needs _DEFAULT_SOURCE.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
static inline int linux_spawn_in(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

/// Wraps posix_spawn_file_actions_addclosefrom_np(3); declared here since it needs _GNU_SOURCE. The process gets no descriptor
/// but its standard streams, also none that this process has inherited from its own parent.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
static inline int linux_spawn_with_standard_streams(posix_spawn_file_actions_t *actions) {
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

/// Wraps pipe2(2) with O_CLOEXEC, and mkostemp(3) with O_CLOEXEC; declared here since they need _GNU_SOURCE. `close_on_exec` is
/// O_CLOEXEC, whose header is not included for the reason that is given at `linux_lock`.
extern int pipe2(int ends[2], int flags);
static inline int linux_pipe(int ends[2]) {
    const int close_on_exec = 02000000;
    return pipe2(ends, close_on_exec);
}
extern int mkostemp(char *path, int flags);
static inline int linux_temporary_file(char *path) {
    const int close_on_exec = 02000000;
    return mkostemp(path, close_on_exec);
}

/// Wraps recvmsg(2). Reads at most `capacity` bytes into `buffer`, and at most one descriptor that was sent with these bytes.
/// `*descriptor` is then that descriptor, which is closed on exec. If no descriptor was sent, it is -1. `msg_controllen` is
/// the length of the control data for exactly one descriptor, so the kernel discards further descriptors. It leaves out the
/// padding of the buffer, into which a second descriptor would fit.
static inline ssize_t linux_receive(int fd, void *buffer, size_t capacity, int *descriptor) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec bytes = {buffer, capacity};
    struct msghdr message = {0};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = CMSG_LEN(sizeof(int));
    *descriptor = -1;
    ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    }
    return received;
}

/// Wraps renameat2(2) with RENAME_NOREPLACE: renames a file, and fails with EEXIST if `to` exists. Declared here since
/// it needs _GNU_SOURCE. `no_replace` is RENAME_NOREPLACE, which needs _GNU_SOURCE too. `here` is AT_FDCWD, whose header is
/// not included for the reason that is given at `linux_lock`.
extern int renameat2(int from, const char *path, int to, const char *name, unsigned flags);
static inline int linux_rename_new(const char *from, const char *to) {
    const int here = -100, no_replace = 1;
    return renameat2(here, from, here, to, no_replace);
}

/// Wraps sendmsg(2): sends bytes, and with the first byte a descriptor. Returns the number of bytes sent, or -1 with errno.
static inline ssize_t linux_send(int fd, const void *bytes, size_t count, int descriptor) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct iovec text = {(void *)bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

/// Wraps flock(2) with LOCK_EX | LOCK_NB. The function is declared here, because its header also declares `struct stat`. In
/// some builds, `struct stat` would then belong to this module and not to Swift's Glibc module.
extern int flock(int fd, int operation);
static inline int linux_lock(int fd) {
    const int exclusive = 2, at_once = 4;
    return flock(fd, exclusive | at_once);
}

/// Makes this process the parent of all its descendants whose parent has ended. Wraps prctl(2) with PR_SET_CHILD_SUBREAPER.
extern int prctl(int option, ...);
static inline int linux_adopt_orphans(void) {
    const int set_child_subreaper = 36;
    return prctl(set_child_subreaper, 1UL, 0UL, 0UL, 0UL);
}

/// Returns 1 if the machine's clock is synchronized, 0 if it is not, and -1 if that is not known. Wraps adjtimex(2), which only reads
/// if `modes`, the first member of its `struct timex`, is 0. The header is not included for the reason that is given at
/// `linux_lock`; the buffer is larger than the structure.
extern int adjtimex(void *buffer);
static inline int linux_clock_is_synchronized(void) {
    const int clock_is_not_synchronized = 5;
    long buffer[64] = {0};
    int state = adjtimex(buffer);
    return state < 0 ? -1 : state != clock_is_not_synchronized;
}

/// The results of getopt(3), which are global variables: Swift 6 does not allow code to read these.
static inline char *linux_option_value(void) { return optarg; }
static inline int linux_option_index(void) { return optind; }

/// The letter of the short option that getopt_long(3) has refused; 0 if it has refused a long option with an unknown name.
static inline int linux_refused_letter(void) { return optopt; }

/// Prepares getopt_long(3) for a new list of arguments: 0 makes glibc forget the previous list. getopt_long then prints
/// no messages; the caller reports errors.
static inline void linux_begin_options(void) {
    optind = 0;
    opterr = 0;
}

#endif
