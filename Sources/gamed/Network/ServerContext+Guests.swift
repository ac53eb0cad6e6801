import Access
import GameFlow
import HTTP
import RPC
import Sessions

/// Who is in, and who does not fit.
extension ServerContext {
    /// Why there is no place for one more; nil if there is.
    func turnsAway(_ visitor: Identity) -> RequestError? {
        // Some places are kept for who is on this machine, whoever comes from elsewhere.
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

    /// A client of lines is connected, and is not any more.
    func enter(_ guest: any Guest) {
        gatekeeper.enter(guest)
        arrive(from: guest.visitor.host)
    }

    func leave(_ guest: any Guest) {
        gatekeeper.leave(guest)
        depart(from: guest.visitor.host)
    }

    /// A connection is there, and is not any more. They are counted by the host: a token may be shown later.
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
    /// An address of IPv6 without its brackets.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
