import Access
import GameFlow
import HTTP
import RPC
import Sessions

/// Counts connected clients and rejects those beyond the limits.
extension ServerContext {
    /// The reason why the client exceeds a limit; nil if it may connect.
    func turnsAway(_ visitor: Identity) -> RequestError? {
        // Some connections are reserved for clients on this machine.
        let kept = visitor.kind == .unix ? 0 : limits.clients * 3 / 128
        guard clients < limits.clients - kept else {
            if !isCrowded {
                Log.write(.warning, "\(limits.clients) clients are connected: no more fit")
            }
            isCrowded = true
            tally.turnedAway += 1
            return .limit(which: "clients", limit: limits.clients)
        }
        isCrowded = false
        guard let host = visitor.host else { return nil }
        let isHere = Loopback.holds(host.trimmingBrackets)
        guard let most = limits.clientsPerPeer ?? (isHere ? nil : ServerLimits.clientsPerMachine),
            perHost[host, default: 0] >= most
        else { return nil }
        tally.turnedAway += 1
        return .limit(which: "clientsPerPeer", limit: most)
    }

    /// Registers a connected client of the line protocol; `leave` removes it.
    func enter(_ guest: any Guest) {
        gatekeeper.enter(guest)
        arrive(from: guest.visitor.host)
    }

    func leave(_ guest: any Guest) {
        gatekeeper.leave(guest)
        depart(from: guest.visitor.host)
    }

    /// Counts a connection of the host. Connections are counted by host rather than by token,
    /// because a token may be presented later.
    func arrive(from host: String?) {
        clients += 1
        tally.admitted += 1
        if let host { perHost[host, default: 0] += 1 }
    }

    func depart(from host: String?) {
        clients -= 1
        guard let host, let count = perHost[host] else { return }
        perHost[host] = count > 1 ? count - 1 : nil
    }
}

extension String {
    /// An IPv6 address without its brackets.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
