package import GameFlow
internal import JSONCoding
public import Sessions

/// The checks of a caller's rights, and the method `auth`.
extension Dispatcher {
    /// Throws unless the caller may call a method. If `session` is given, the caller needs the method's role in that session.
    /// Otherwise the caller needs that role in at least one session; if the role is `operate`, in all sessions.
    /// `requiredRole` replaces the method's role, for a request that needs another role because of its parameters.
    public func check(
        _ method: Method, _ caller: any Caller, _ session: Session? = nil,
        needing requiredRole: Role? = nil
    ) throws(CallError) {
        let rights = caller.rights
        guard !rights.allowsEverything, let role = requiredRole ?? method.role else { return }
        if let session {
            guard !rights.has(role, in: session.name) else { return }
        } else if role == .operate ? rights.hasEverywhere(role) : rights.has(role) {
            return
        }
        throw forbidden(.method(method.name), role, caller, named: session?.name, session)
    }

    /// Throws unless the caller may call the method for a session of that name, which need not exist.
    public func check(_ method: Method, _ caller: any Caller, named name: SessionName)
        throws(CallError)
    {
        guard let role = method.role, !caller.rights.has(role, in: name) else { return }
        throw forbidden(.method(method.name), role, caller, named: name)
    }

    /// The maximum length of the name of a forbidden event in the history, in Unicode scalars.
    private static let recordedNameLimit = 64

    /// Creates the error for a caller that lacks the method's role. If the request would have changed an existing session,
    /// records the refusal in the session's history.
    package func refusal(_ params: borrowing Params, _ method: Method, _ caller: any Caller)
        -> CallError
    {
        var action = RequestError.RequestedAction.method(method.name)
        if method == .send {
            // The refusal is recorded, and the request may give any text as the event's name, so the name is shortened. The
            // limit counts Unicode scalars and not characters, because a single character can consist of any number of scalars.
            let event = params.required(.event).unicodeScalars.prefix(Self.recordedNameLimit)
            action = .event(String(String.UnicodeScalarView(event)))
        }
        let role = method.role ?? .observe
        guard case .session(let name)? = try? params.target() else {
            return forbidden(action, role, caller)
        }
        return forbidden(action, role, caller, named: name, try? sessions.session(name))
    }

    /// Creates the error for a forbidden request that needs `role`. `name` is the session that the request names; nil if it
    /// names none. `session` is that session if it exists. Records the refusal in the session's history if the session exists,
    /// `role` is above `observe`, and the caller has not had too many refusals.
    private func forbidden(
        _ action: RequestError.RequestedAction, _ role: Role, _ caller: any Caller,
        named name: SessionName? = nil, _ session: Session? = nil
    ) -> CallError {
        let error = RequestError.forbidden(
            action, source: caller.source.kind, needs: .right(missingRight(role, name, caller)))
        if caller.reportForbidden(error.forLog(hiding: session?.flow.hidden)), let session,
            role > .observe
        {
            // A forbidden method is recorded as a refused event with the method's name.
            let event =
                switch action {
                case .event(let name), .method(let name): EventRecord(name, [])
                }
            sessions.refuse(event, from: caller.source, error, of: session)
        }
        return .refused(error)
    }

    /// Describes the missing right for an error. If the caller has the role in no session, the text is only the role. Otherwise
    /// the text says where the caller lacks the role, for example `play in main`. If `session` is nil, the text is, for
    /// example, `operate in every session`.
    func missingRight(_ role: Role, _ session: SessionName?, _ caller: any Caller) -> String {
        guard let highest = caller.rights.highestRole, highest >= role else { return role.name }
        return session.map { "\(role.name) in \($0.text)" } ?? "\(role.name) in every session"
    }

    /// Gives the caller the rights of the token in the parameters, and writes the caller's highest role and bound arguments.
    func auth(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError)
    {
        guard caller.authenticate(params.required(.token)) else {
            let error = RequestError.forbidden(
                .method(Method.auth.name), source: caller.source.kind,
                needs: .right("a valid token"))
            // Only reported: no session's history can record the refusal.
            _ = caller.reportForbidden(error)
            throw .refused(error)
        }
        let role = caller.rights.highestRole
        let bindingGrants = caller.rights.bindingGrants
        writer.object(
            [Member("role", role.map { .string($0.name) } ?? .null)]
                + (bindingGrants.isEmpty ? [] : [Member("bound", .array(bindingGrants))]))
    }
}

extension Dispatcher {
    /// The assumed size of a small deferred result in bytes, for the limit of a batch's reply.
    private static let smallResultBytes = 1024

    /// Returns a deferred result whose members are small. `begin` starts the work, and passes the members or the error to its
    /// argument, once, immediately or later.
    package static func smallDeferredResult(
        _ begin: @escaping (@escaping (Result<[Member], CallError>) -> Void) -> Void
    ) -> CallOutcome {
        .deferred(
            DeferredResult(assumedBytes: smallResultBytes) { done in
                begin { result in done(.members(result)) }
            })
    }
}
