package import Timers

/// Limits wrong codes, so that a client cannot try all codes. If one host sends too many wrong codes in a minute, all codes
/// from this host are refused for a minute, even correct codes. If all clients together send too many wrong codes in a minute,
/// the codes of all clients are refused for a minute. Also limits how many guests join from one host in a minute. All
/// times are on the loop's clock.
package struct JoinGate {
    /// The number of wrong codes in a minute from one host after which the codes of this host are refused.
    package static let hostLimit = 5
    /// The number of wrong codes in a minute from all hosts after which all codes are refused.
    package static let totalLimit = 100
    /// The maximum number of guests that join from one host in a minute.
    package static let joinLimit = 100
    /// The maximum number of counted guests; the oldest are forgotten first.
    private static let countedJoins = 4096
    /// For how long wrong codes and guests are counted, and for how long codes are then refused.
    package static let period = Duration.seconds(60)

    /// The clients whose codes are refused.
    package enum RefusedClients: Equatable {
        case host(String)
        case all
    }

    /// The host and the time of each wrong code of the last minute; at most `totalLimit`. The host is nil for clients of a UNIX
    /// socket: they may come through a proxy, which hides their hosts. Their wrong codes count only for `totalLimit`.
    private var wrongCodes: [(host: String?, at: Instant)] = []
    /// The hosts whose codes are refused, each with the time until which they are refused.
    private var closedHosts: [String: Instant] = [:]
    /// The time until which the codes of all clients are refused; it has passed if they are not.
    private var closedUntil = Instant.zero

    /// The host and the time of each guest of the last minute, oldest first. Guests of a UNIX socket are not counted, because
    /// they may come through a proxy, which hides their hosts.
    private var joins: [(host: String, at: Instant)] = []

    /// Counts a guest who joins. Returns false, and does not count, if too many guests have joined from the host.
    package mutating func countJoin(from host: String?, at now: Instant) -> Bool {
        guard let host else { return true }
        joins.removeFirst(joins.prefix { $0.at + Self.period <= now }.count)
        guard joins.count(where: { $0.host == host }) < Self.joinLimit else { return false }
        if joins.count >= Self.countedJoins { joins.removeFirst() }
        joins.append((host, now))
        return true
    }

    /// Returns the clients whose codes are refused now, if this host is among these clients. Returns nil if the codes of this
    /// host are checked.
    package func refusedClients(including host: String?, at now: Instant) -> RefusedClients? {
        if closedUntil > now { return .all }
        guard let host, let until = closedHosts[host], until > now else { return nil }
        return .host(host)
    }

    /// Counts a wrong code. If the code reaches a limit, returns the clients whose codes are refused from now on; otherwise
    /// nil.
    package mutating func countWrongCode(from host: String?, at now: Instant) -> RefusedClients? {
        wrongCodes.removeAll { $0.at + Self.period <= now }
        closedHosts = closedHosts.filter { $0.value > now }
        wrongCodes.append((host, now))
        if wrongCodes.count >= Self.totalLimit {
            wrongCodes = []
            closedUntil = now + Self.period
            return .all
        }
        guard let host, wrongCodes.count(where: { $0.host == host }) >= Self.hostLimit else {
            return nil
        }
        closedHosts[host] = now + Self.period
        return .host(host)
    }
}
