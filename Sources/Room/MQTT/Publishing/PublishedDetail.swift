package import GameFlow
import JSONCoding
package import Timers

/// What is published of a session below `detail`: its status, with the titles of its names and when its timers end.
///
/// A status has what is left of each timer, which is right for the moment of the status only; who reads a retained message needs the
/// instant.
package struct PublishedDetail {
    private let members: [Member]

    /// The flow that the session plays; nil if it is not known here.
    package let flow: AnyFlow?

    /// `status` is a status as JSON, as of the instant `now` of the sessions' clock; nil if that is not known. `findFlow` returns a flow
    /// by its name and version.
    package init(
        _ status: [UInt8], at now: Instant?,
        findFlow: (_ name: String, _ version: String) -> AnyFlow?
    ) {
        guard case .object(var members)? = Value(json: status) else {
            (self.members, flow) = ([], nil)
            return
        }
        let version = members["version"].map { $0.text ?? $0.description }
        flow = findFlow(members["flow"]?.text ?? "", version ?? "")
        if let now, let index = members.firstIndex(where: { $0.isNamed("timers") }),
            case .array(let timers) = members[index].value
        {
            members[index] = Member("timers", .array(timers.map { Self.addEnd($0, now) }))
        }
        if let flow { members.append(Member("titles", .object(Self.titles(members, flow)))) }
        self.members = members
    }

    package var bytes: [UInt8] { JSONWriter.bytes { $0.object(members) } }

    package func label(_ name: String) -> String? {
        guard case .object(let labels)? = members["labels"] else { return nil }
        return labels[name].map { $0.text ?? $0.description }
    }

    /// Adds `endsMs` to a timer that runs and has not fired.
    private static func addEnd(_ timer: Value, _ now: Instant) -> Value {
        guard case .object(let timerMembers) = timer, timerMembers["paused"] != .bool(true),
            timerMembers["fired"] != .bool(true),
            case .int(let remaining)? = timerMembers["remainingMs"]
        else { return timer }
        let (end, isTooFar) = Int(now.milliseconds).addingReportingOverflow(remaining)
        return isTooFar ? timer : .object(timerMembers + [Member("endsMs", end)])
    }

    /// The titles of the flow, the state, and its data and timers, as far as they have some.
    private static func titles(_ members: [Member], _ flow: AnyFlow) -> [Member] {
        let presentation = flow.presentation
        let state = presentation.states[members["state"]?.text ?? ""]
        func titles(_ labels: [String: FlowPresentation.Label]?, _ isVisible: (String) -> Bool)
            -> Value
        {
            .object(
                (labels ?? [:]).sorted { $0.key < $1.key }.compactMap { name, label in
                    guard isVisible(name) else { return nil }
                    return label.title.map { Member(name, $0) }
                })
        }
        var data: [Member] = []
        if case .object(let values)? = members["data"] { data = values }
        var timers: Set<String> = []
        if case .array(let values)? = members["timers"] {
            for case .object(let timer) in values { timers.insert(timer["fires"]?.text ?? "") }
        }
        return (presentation.flow.title.map { [Member("flow", $0)] } ?? [])
            + (state?.label.title.map { [Member("state", $0)] } ?? [])
            + [
                // Only of what the detail has: the names of other data and timers may be hidden.
                Member("data", titles(state?.data) { data[$0] != nil }),
                Member("timers", titles(state?.timers, timers.contains)),
            ]
    }
}
