import Glibc

/// How many descriptors the process may have.
enum Descriptors {
    /// What the daemon needs beside its clients.
    private static let own = 64

    /// Raises the soft limit so that `clients` fit, as far as the hard one lets it; how many fit then.
    /// Wraps setrlimit(2).
    static func raiseLimit(for clients: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 else {
            return clients
        }
        let wanted = rlim_t(clients + own)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        }
        return max(1, min(clients, Int(clamping: limit.rlim_cur) - own))
    }
}
