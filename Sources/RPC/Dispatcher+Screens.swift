internal import GameFlow
internal import JSONCoding

/// The method `screens`: the browsers that watch a session, the guests who are not connected, and the number of invitations.
extension Dispatcher {
    /// Writes the screens of a session and the number of its invitations. The session need not exist, because
    /// invitations may outlast it.
    func screens(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError)
    {
        let name = try params.session()
        try check(.screens, caller, named: name)
        writer.object([
            Member("screens", .array(screenRegistry?.screens(of: name) ?? [])),
            Member("invitations", screenRegistry?.invitationCount(to: name) ?? 0),
        ])
    }
}
