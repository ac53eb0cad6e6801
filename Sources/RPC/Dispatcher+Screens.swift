internal import GameFlow
internal import JSONCoding

/// The method `screens`, which shows the browsers that follow a session.
extension Dispatcher {
    func screens(_ params: borrowing Params, _ peer: any Caller, _ writer: inout JSONWriter)
        throws(CallError)
    {
        let name = try params.session()
        try check(.screens, peer, named: name)
        writer.object([
            Member("screens", .array(screens?.screens(of: name) ?? [])),
            Member("invitations", screens?.invitations(to: name) ?? 0),
        ])
    }
}
