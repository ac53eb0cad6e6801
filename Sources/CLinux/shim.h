#ifndef GAMED_CLINUX_SHIM_H
#define GAMED_CLINUX_SHIM_H

// What Swift's Glibc module lacks: eventfd(2), flock(2), renameat2(2), control messages of sockets, getopt_long(3),
// accept4(2), malloc_trim(3), and struct ucred, which hides behind _GNU_SOURCE and so is read through a wrapper.
#include <malloc.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/eventfd.h>
#include <getopt.h>
#include <spawn.h>
#include <string.h>

/// The peer of a connected UNIX socket as the kernel knows it: three numbers, or -1 with errno.
/// Wraps getsockopt(SO_PEERCRED); the layout of its answer is that of struct ucred in unix(7).
static inline int linux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

/// The groups of a connected UNIX socket's peer, supplementary ones: how many were written into `groups`, at most
/// `room`; or -1 with errno. Wraps getsockopt(SO_PEERGROUPS), which Linux has since 4.13.
#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59
#endif
static inline int linux_peer_groups(int fd, gid_t *groups, int room) {
    socklen_t size = (socklen_t)(room * (int)sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return -1;
    return (int)(size / sizeof *groups);
}

/// Wraps accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC; declared here since it needs _GNU_SOURCE.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
static inline int linux_accept(int fd) {
    return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// Wraps posix_spawn_file_actions_addchdir_np(3); declared here since it needs _DEFAULT_SOURCE.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
static inline int linux_spawn_in(posix_spawn_file_actions_t *actions, const char *path) {
    return posix_spawn_file_actions_addchdir_np(actions, path);
}

/// Wraps recvmsg(2): reads bytes, and one descriptor if one came with them, closed on exec; else -1 is put into
/// `descriptor`. The room for control data is exactly one descriptor's, without padding that would hold a second
/// one: the kernel discards the others.
static inline ssize_t linux_receive(int fd, void *room, size_t count, int *descriptor) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec bytes = {room, count};
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

/// Wraps renameat2(2) with RENAME_NOREPLACE: gives a file another name unless that is taken. Declared here since it
/// needs _GNU_SOURCE; the numbers are AT_FDCWD and RENAME_NOREPLACE, for the reason that flock(2) has below.
extern int renameat2(int from, const char *path, int to, const char *name, unsigned flags);
static inline int linux_rename_new(const char *from, const char *to) {
    const int here = -100, no_replace = 1;
    return renameat2(here, from, here, to, no_replace);
}

/// Wraps sendmsg(2): writes bytes, and passes a descriptor with the first of them.
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

/// Wraps flock(2) with LOCK_EX | LOCK_NB. Declared here: its header brings `struct stat`, which then would be this
/// module's and not Glibc's in some builds.
extern int flock(int fd, int operation);
static inline int linux_lock(int fd) {
    const int exclusive = 2, at_once = 4;
    return flock(fd, exclusive | at_once);
}

/// getopt(3)'s answers are global variables, which Swift 6 does not let anybody read.
static inline char *linux_option_value(void) { return optarg; }
static inline int linux_option_index(void) { return optind; }

/// Begins a scan of arguments anew (0 makes glibc forget the last one) and leaves messages to us.
static inline void linux_begin_options(void) {
    optind = 0;
    opterr = 0;
}

#endif
