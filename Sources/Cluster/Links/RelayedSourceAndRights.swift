package import GameFlow
package import RPC
import Sessions
import Timers

extension Source {
    /// Parses the source of a client of another node; nil if the value is not a source.
    package convenience init?(relayed value: Value) {
        guard case .object(let members) = value, let kind = members["kind"]?.text else {
            return nil
        }
        var peer: Peer?
        if case .object(let parts)? = members["peer"] {
            func number(_ name: String) -> Int {
                if case .int(let number)? = parts[name] { number } else { 0 }
            }
            if let address = parts["address"]?.text {
                peer = .address(address)
            } else if let device = parts["device"]?.text {
                peer = .device(device)
            } else {
                peer = .process(
                    pid: Int32(clamping: number("pid")), uid: UInt32(clamping: number("uid")),
                    gid: UInt32(clamping: number("gid")))
            }
        }
        var linkedSteps = 0
        if case .int(let number)? = members[Self.stepsKey] {
            // An event with a number above the limit is refused, so limit + 1 can replace each greater number.
            linkedSteps = min(max(0, number), Self.linkedStepsLimit + 1)
        }
        var linkedShare = EventQueue.postLimit
        if case .int(let number)? = members[Self.shareKey] {
            linkedShare = min(max(0, number), EventQueue.postLimit)
        }
        self.init(
            Kind(kind), peer: peer, as: members["as"]?.text, linkedSteps: linkedSteps,
            linkedShare: linkedShare)
    }

    /// The name of the member with `linkedSteps`, the length of the chain of linked sessions that led to the event.
    private static let stepsKey = "linkedSteps"
    /// The name of the member with `linkedShare`.
    private static let shareKey = "linkedShare"

    /// The source as a value that `init(relayed:)` reads. It is an object with the members that are recorded with a change. If
    /// `linkedSteps` is not 0, the object also has `linkedSteps` and `linkedShare`.
    package var relayed: Value {
        guard linkedSteps > 0, case .object(let members) = value else { return value }
        return .object(
            members + [Member(Self.stepsKey, linkedSteps), Member(Self.shareKey, linkedShare)])
    }

    /// Whether both sources have the same `relayed` value.
    package func hasSameRelayedValue(as other: Source) -> Bool {
        self == other && linkedSteps == other.linkedSteps && linkedShare == other.linkedShare
    }
}

extension Rights {
    /// The grants as a value that `init(relayed:)` reads. Each grant is an array: the role, the pattern of the sessions, the
    /// pattern of the events, the bound arguments, whether HTTP GET is allowed, how many milliseconds of an age count, and whether
    /// events are covered that are hidden from players. The last two are left out if they are 0 and true, because older nodes do not
    /// read them. An older node refuses a client with the last one.
    package var relayed: Value {
        .array(
            grants.map {
                .array(
                    [
                        .string($0.role.name), .string($0.session.pattern),
                        .string($0.event.pattern),
                        .object($0.boundArguments), .bool($0.allowsGET),
                    ]
                        + ($0.longestAge > .zero || !$0.coversHiddenEvents
                            ? [.int(Int($0.longestAge.milliseconds))] : [])
                        + ($0.coversHiddenEvents ? [] : [.bool(false)]))
            })
    }

    /// Parses rights that another node has determined; nil if the value does not describe rights.
    package convenience init?(relayed value: Value) {
        guard case .array(let values) = value else { return nil }
        var grants: [Grant] = []
        for value in values {
            guard case .array(let parts) = value, 5...7 ~= parts.count,
                let role = parts[0].text.flatMap(Role.init), let session = parts[1].text,
                let event = parts[2].text, case .object(let bound) = parts[3],
                case .bool(let allowsGET) = parts[4]
            else { return nil }
            var ageMs = 0
            if parts.count > 5 {
                guard case .int(let number) = parts[5], number >= 0 else { return nil }
                ageMs = min(number, Int(Grant.ageLimit.milliseconds))
            }
            var coversHiddenEvents = true
            if parts.count > 6 {
                guard case .bool(let covers) = parts[6] else { return nil }
                coversHiddenEvents = covers
            }
            grants.append(
                Grant(
                    role, session: Glob(session), event: Glob(event), boundArguments: bound,
                    allowsGET: allowsGET, longestAge: .milliseconds(ageMs),
                    coversHiddenEvents: coversHiddenEvents))
        }
        self.init(grants)
    }
}
