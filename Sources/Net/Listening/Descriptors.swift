import Glibc

/// The limit of the process's open descriptors.
package enum Descriptors {
    /// The number of descriptors that are reserved for the daemon itself, such as for the journal, sockets and devices. Each
    /// client needs one more.
    private static let ownDescriptorCount = 64

    /// Raises the soft limit of descriptors as far as this number of clients needs, but not above the hard limit. Returns the
    /// number of clients for which there are then descriptors: at least 1, and at most `clients`. Wraps setrlimit(2).
    package static func raiseLimit(for clients: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
            return clients
        }
        let needed = rlim_t(clients + ownDescriptorCount)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        }
        return max(1, min(clients, Int(clamping: limit.rlim_cur) - ownDescriptorCount))
    }
}
