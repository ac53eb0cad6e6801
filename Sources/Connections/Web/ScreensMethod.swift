import GameFlow
package import JSONCoding
package import RPC

/// The method `screens`: the browsers that watch a session, the guests who are not connected, and the number of invitations.
package struct ScreensMethod: PartMethod {
    package let method = Method.screens
    private let screens: Screens

    package init(_ screens: Screens) { self.screens = screens }

    /// Writes the screens of a session and the number of its invitations. The session need not exist, because
    /// invitations may outlast it.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let name = try params.session()
        try dispatcher.check(.screens, caller, named: name)
        writer.object([
            Member("screens", .array(screens.screens(of: name))),
            Member("invitations", screens.invitationCount(to: name)),
        ])
        return .succeeded
    }
}
