internal import Access
internal import GameFlow
internal import JSON
internal import Sessions

/// What a peer may do, and by which token.
extension Dispatcher {
    /// Throws unless the peer may call a method: for the session that it is about, or, of one that is about no
    /// single session, somewhere; what changes something for all, everywhere. A part of a method may want another
    /// role than the method does.
    func check(
        _ method: Method, _ peer: any Caller, _ session: Session? = nil, as part: Role? = nil
    ) throws(CallError) {
        let rights = peer.rights
        guard !rights.isEverything, let role = part ?? method.role else { return }
        if let session {
            guard !rights.has(role, in: session.name) else { return }
        } else if role == .operate ? rights.hasEverywhere(role) : rights.has(role) {
            return
        }
        throw refuse(.method(method.name), role, session?.name, session, peer)
    }

    /// Throws unless the peer may do that with a session of that name, which may not be there.
    func check(_ method: Method, _ peer: any Caller, named name: SessionName) throws(CallError) {
        guard let role = method.role, !peer.rights.has(role, in: name) else { return }
        throw refuse(.method(method.name), role, name, nil, peer)
    }

    /// Why nothing is even looked up for a peer. What it wanted stands in the session's history all the same, if
    /// there is one.
    func refusal(_ params: borrowing Params, _ method: Method, _ peer: any Caller) -> CallError {
        var asked = RequestError.Asked.method(method.name)
        if method == .send {
            // Counted in scalars: a character may be as long as one likes.
            let event = params.required(.event).unicodeScalars.prefix(64)
            asked = .event(String(String.UnicodeScalarView(event)))
        }
        let role = method.role ?? .observe
        guard case .session(let name)? = try? params.target() else {
            return refuse(asked, role, nil, nil, peer)
        }
        return refuse(asked, role, name, try? sessions.session(name), peer)
    }

    /// Refuses; what would have changed a session stands in its history then.
    private func refuse(
        _ asked: RequestError.Asked, _ role: Role, _ name: SessionName?, _ session: Session?,
        _ peer: any Caller
    ) -> CallError {
        let error = RequestError.forbidden(
            asked, source: peer.source.kind, needs: .right(needs(role, name, peer)))
        if peer.forbade(error), let session, role > .observe {
            let what =
                switch asked {
                case .event(let name), .method(let name): name
                }
            sessions.keepForbidden(what, error, of: session, from: peer.source)
        }
        return .refused(error)
    }

    /// What is lacking: a role, and where, if the peer has it somewhere else.
    func needs(_ role: Role, _ session: SessionName?, _ peer: any Caller) -> String {
        guard let highest = peer.rights.highest, highest >= role else { return role.name }
        return session.map { "\(role.name) in \($0.text)" } ?? "\(role.name) in every session"
    }

    // MARK: tokens

    func auth(_ params: borrowing Params, _ peer: any Caller, _ writer: inout JSONWriter)
        throws(CallError)
    {
        guard peer.authenticate(params.required(.token)) else {
            let error = RequestError.forbidden(
                .method(Method.auth.name), source: peer.source.kind,
                needs: .right("a token that is known"))
            _ = peer.forbade(error)
            throw .refused(error)
        }
        let role = peer.rights.highest
        writer.object([Member("role", role.map { .string($0.name) } ?? .null)])
    }

    func token(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError) {
        guard let tokens else { throw .invalidParams("there are no tokens here") }
        switch (TokenAction(rawValue: params.required(.action)), params.text(.name)) {
        case (.list, nil):
            writer.object([Member("tokens", .array(tokens.names.map { .string($0) }))])
        case (.add, let name?):
            writer.object([Member("name", name), Member("token", try tokens.add(name))])
        case (.remove, let name?):
            writer.object([Member("name", name), Member("ended", try tokens.remove(name))])
        case (.list, _): throw .invalidParams("name: goes with add and remove")
        case (.add, nil), (.remove, nil): throw .invalidParams("name: missing")
        case (nil, _): throw .invalidParams("action: expected add NAME, remove NAME or list")
        }
    }
}
