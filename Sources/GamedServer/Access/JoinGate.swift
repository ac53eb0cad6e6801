import Timers

/// Limits wrong codes, so that a client cannot try them all: after too many wrong codes in a minute, joining is refused for
/// a minute.
struct JoinGate {
    /// Wrong codes in a minute from one host.
    static let perHost = 5
    /// Wrong codes in a minute from all hosts.
    static let inAll = 100
    static let period = Duration.seconds(60)

    /// For whom it is closed.
    enum Closing: Equatable {
        case host(String)
        case all
    }

    /// The wrong codes of the last minute; at most `inAll`. The host is nil for clients of a UNIX socket, which are
    /// those of a proxy.
    private var wrong: [(host: String?, at: Instant)] = []
    private var closedHosts: [String: Instant] = [:]
    private var closedUntil: Instant?

    /// The closing that keeps a host out at that time; nil if none does.
    func closing(for host: String?, at now: Instant) -> Closing? {
        if let closedUntil, closedUntil > now { return .all }
        guard let host, let until = closedHosts[host], until > now else { return nil }
        return .host(host)
    }

    /// Counts a wrong code. Returns what was closed by it, nil if nothing was.
    mutating func countWrong(from host: String?, at now: Instant) -> Closing? {
        wrong.removeAll { $0.at + Self.period <= now }
        closedHosts = closedHosts.filter { $0.value > now }
        wrong.append((host, now))
        if wrong.count >= Self.inAll {
            wrong = []
            closedUntil = now + Self.period
            return .all
        }
        guard let host, wrong.count(where: { $0.host == host }) >= Self.perHost else { return nil }
        closedHosts[host] = now + Self.period
        return .host(host)
    }
}
