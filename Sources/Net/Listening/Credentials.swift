import CLinux
import Glibc

/// The credentials of the process at the other end of a UNIX socket, as the kernel reports them.
package struct Credentials {
    package private(set) var pid: Int32 = 0
    package private(set) var uid: UInt32 = 0
    package private(set) var gid: UInt32 = 0
    /// The ids of the supplementary groups of the process. The array is empty if the process has more than `groupLimit` groups,
    /// or if the kernel cannot list the groups.
    package private(set) var groups: [UInt32] = []

    /// The maximum number of supplementary groups that are read.
    private static let groupLimit = 1024

    /// Asks the kernel about the peer of a connected socket; nil if the kernel does not know it. Wraps getsockopt(2) with
    /// SO_PEERCRED and SO_PEERGROUPS.
    package init?(of descriptor: Int32) {
        guard linux_peer_credentials(descriptor, &pid, &uid, &gid) == 0 else { return nil }
        groups = Self.groups(of: descriptor)
    }

    private static func groups(of descriptor: Int32) -> [UInt32] {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: groupLimit) { buffer in
            let count = linux_peer_groups(descriptor, buffer.baseAddress, Int32(groupLimit))
            return count > 0 ? Array(buffer[..<Int(count)]) : []
        }
    }
}
