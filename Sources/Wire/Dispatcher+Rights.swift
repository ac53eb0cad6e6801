internal import Access
internal import GameFlow
internal import JSON
internal import Sessions

/// What a peer may do, and by which token.
extension Dispatcher {
    /// Throws unless the peer may call a method: for the session that it is about, or, of one that is about no
    /// single session, somewhere; what changes something for all, everywhere.
    func check(_ method: Method, _ peer: any Peer, _ session: Session? = nil) throws(CallError) {
        let rights = peer.rights
        guard !rights.isEverything, let role = method.role else { return }
        if let session {
            guard !rights.has(role, in: session.name) else { return }
        } else if role == .operate ? rights.hasEverywhere(role) : rights.has(role) {
            return
        }
        let error = forbidden(method, peer)
        if peer.forbade(error), let session {
            sessions.keepForbidden(method.rawValue, error, of: session, from: peer.source)
        }
        throw .refused(error)
    }

    /// Whoever may do nothing anywhere is told so before anything is looked up for him: he could find out the names
    /// of what there is. What he wanted stands in the session's history all the same, if there is one.
    func refusal(_ params: borrowing Params, _ method: Method, _ peer: any Peer) -> CallError {
        var error = forbidden(method, peer)
        var wanted = method.rawValue
        if method == .send {
            // Counted in scalars: a character may be as long as one likes.
            wanted = String(
                String.UnicodeScalarView(params.required(.event).unicodeScalars.prefix(64)))
            error = .forbidden(
                .event(wanted), source: peer.source.kind, needs: method.role?.name ?? "")
        }
        let name = try? params.target()
        if peer.forbade(error), case .session(let name)? = name,
            let session = try? sessions.session(name)
        {
            sessions.keepForbidden(wanted, error, of: session, from: peer.source)
        }
        return .refused(error)
    }

    /// Throws unless the peer may do that with a session of that name, which may not be there.
    func check(_ method: Method, _ peer: any Peer, named name: SessionName) throws(CallError) {
        guard let role = method.role, !peer.rights.has(role, in: name) else { return }
        let error = forbidden(method, peer)
        _ = peer.forbade(error)
        throw .refused(error)
    }

    private func forbidden(_ method: Method, _ peer: any Peer) -> RequestError {
        .forbidden(
            .method(method.rawValue), source: peer.source.kind, needs: method.role?.name ?? "")
    }

    // MARK: tokens

    func auth(_ params: borrowing Params, _ peer: any Peer, _ writer: inout JSONWriter)
        throws(CallError)
    {
        guard peer.authenticate(params.required(.token)) else {
            let error = RequestError.forbidden(
                .method(Method.auth.rawValue), source: peer.source.kind, needs: "a token")
            _ = peer.forbade(error)
            throw .refused(error)
        }
        let role = peer.rights.highest
        writer.object([Member("role", role.map { .string($0.name) } ?? .null)])
    }

    func token(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) {
        guard let tokens else { throw .invalidParams("there are no tokens here") }
        let (action, name) = (params.required(.action), params.text(.name))
        guard (name == nil) == (action == "list") else {
            throw .invalidParams(name == nil ? "name: missing" : "name: goes with add and remove")
        }
        switch action {
        case "list":
            writer.object([Member("tokens", .array(tokens.names.map { .string($0) }))])
        case "add":
            let token = try tokens.add(name ?? "")
            writer.object([Member("name", name ?? ""), Member("token", token)])
        case "remove":
            let ended = try tokens.remove(name ?? "")
            writer.object([Member("name", name ?? ""), Member("ended", ended)])
        default: throw .invalidParams("action: expected add, remove or list")
        }
    }
}
