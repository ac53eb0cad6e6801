import GameFlow
package import JSONCoding
package import Parts
package import RPC
import Sessions

/// The method `screens`: the browsers that watch a session, the guests who are not connected, and the number of invitations. With
/// several nodes, the result has the browsers of all.
package struct ScreensMethod: PartMethod {
    package let method = Method.screens
    private let screens: Screens
    private let otherNodes: any OtherNodes

    package init(_ screens: Screens, _ otherNodes: any OtherNodes) {
        (self.screens, self.otherNodes) = (screens, otherNodes)
    }

    /// Writes the screens of a session and the number of its invitations. The session need not exist, because
    /// invitations may outlast it.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let name = try params.session()
        try dispatcher.check(.screens, caller, named: name)
        let request = RoutedRequest.toNode(method, [Member("session", name.text)])
        return otherNodes.answer(request, for: caller, row: 0, &writer) { [self] others in
            members(of: name, others?.answers ?? [])
        }
    }

    private func members(of session: SessionName, _ answers: [NodeAnswer]) -> [Member] {
        let own = screens.screens(of: session)
        return [
            Member("screens", .array(ScreenList.merged(own, answers))),
            Member("invitations", screens.invitationCount(to: session)),
        ]
    }
}

/// The screens of several nodes.
enum ScreenList {
    /// The screens of this node and those in the answers of others, sorted as those of one node. The screens of a token, or of an
    /// address without a token, become one. All nodes know the guests, so a guest who is connected to one node is absent at others.
    static func merged(_ own: [Value], _ answers: [NodeAnswer]) -> [Value] {
        if answers.isEmpty { return own }
        var screens = own
        for case .array(let others)? in answers.map({ $0.result["screens"] }) { screens += others }
        let screensByKey = Dictionary(grouping: screens.compactMap(\.members), by: key)
        return screensByKey.sorted { $0.key < $1.key }.map { .object(merged($0.value)) }
    }

    /// The name of the token, or the address if there is no token.
    private static func key(_ screen: [Member]) -> String {
        screen["name"]?.text ?? screen["address"]?.text ?? ""
    }

    /// Merges the descriptions of one screen: those of the nodes to which it is connected, or, if it is connected to none, the
    /// description of the node that it has left last.
    private static func merged(_ descriptions: [[Member]]) -> [Member] {
        let connected = descriptions.filter { $0.number("connections") > 0 }
        guard let longest = connected.max(by: { $0.number("forMs") < $1.number("forMs") }) else {
            let left = descriptions.filter { $0["forMs"] != nil }
            return left.min { $0.number("forMs") < $1.number("forMs") } ?? descriptions[0]
        }
        let count = connected.reduce(0) { $0 + $1.number("connections") }
        return longest.map { $0.name == "connections" ? Member("connections", count) : $0 }
    }
}

extension Value {
    /// The members of an object; nil for other values.
    fileprivate var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension [Member] {
    /// The integer with this name; zero without one.
    fileprivate func number(_ name: String) -> Int {
        if case .int(let number)? = self[name] { number } else { 0 }
    }
}
