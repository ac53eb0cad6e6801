import CLinux
import Glibc

/// Who is at the other end of a UNIX socket, as the kernel knows it.
struct Credentials {
    var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0

    /// Wraps getsockopt(2) with SO_PEERCRED.
    init?(of descriptor: Int32) {
        guard linux_peer_credentials(descriptor, &pid, &uid, &gid) == 0 else { return nil }
    }
}
