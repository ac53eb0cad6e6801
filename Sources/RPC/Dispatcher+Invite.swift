internal import GameFlow
internal import JSONCoding
internal import Sessions
internal import Support
internal import Timers

/// Invitations to a session.
extension Dispatcher {
    func invite(_ params: borrowing Params, _ peer: any Caller) throws(CallError) -> CallOutcome {
        let length = try params.interval(.length) ?? Invitation.usualLength
        let asked = try askedInvitation(params)
        let flow = try invitedFlow(params, peer)
        guard length > .zero else { throw Self.flaw("for", "expected more than 0s", asked.session) }
        let invitation = try invitation(asked, for: flow)
        try checkInviter(invitation, peer)
        guard let invitations else {
            throw .invalidParams("this daemon serves no web page: start it with --http")
        }
        return Self.result { done in
            invitations.issue(invitation, for: length) { result in
                done(result.map { Self.members(of: invitation) + Self.members(of: $0) })
            }
        }
    }

    /// The flow of the session; nil if another node may have the session, which then need not exist.
    private func invitedFlow(_ params: borrowing Params, _ peer: any Caller) throws(CallError)
        -> AnyFlow?
    {
        guard router != nil else { return try session(params, .invite, peer).flow }
        try check(.invite, peer, named: params.session())
        return nil
    }

    /// The invitation as the parameters describe it, without a look at the session.
    private func askedInvitation(_ params: borrowing Params) throws(CallError) -> Invitation {
        let roles = [Role.observe, .play]
        guard let role = params.text(.role).map(Role.init) ?? .play, roles.contains(role) else {
            throw .invalidParams("role: expected observe or play")
        }
        let event = Glob(params.text(.event) ?? "*")
        let bound = params.object(.args)
        if let flaw = Value.object(bound).flaw { throw .invalidParams("args: \(flaw)") }
        return Invitation(
            try params.session(), role, event: event, bound: bound, guest: try guestName(params),
            isOnce: params.isTrue(.once))
    }

    /// The invitation with its guest's name as an argument where the flow has one. Throws if the flow does not have what the
    /// invitation names.
    private func invitation(_ asked: Invitation, for flow: AnyFlow?) throws(CallError) -> Invitation
    {
        if asked.role == .observe, !asked.bound.isEmpty || !asked.event.isAll {
            let argument = asked.event.isAll ? "args" : "event"
            throw Self.flaw(argument, "only with the role play", asked.session)
        }
        if let guest = asked.guest, guest.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
            throw Self.flaw("as", "expected a character that can be seen", asked.session)
        }
        let events = flow?.events.filter { asked.event.matches($0.name) }
        if let events, let flow, events.isEmpty {
            throw Self.flaw("event", "no event of the flow \(flow.name) matches", asked.session)
        }
        try Self.check(asked, events)
        var bound = asked.bound
        if let guest = asked.guest, asked.role == .play, bound["player"] == nil,
            events?.contains(where: { Self.takesPlayer($0) }) ?? true
        {
            bound.append(Member("player", guest))
        }
        guard JSONWriter.bytes({ $0.object(bound) }).count <= Invitation.boundBytes else {
            throw .refused(.limit(which: "invitationBytes", limit: Invitation.boundBytes))
        }
        return Invitation(
            asked.session, asked.role, event: asked.event, bound: bound, guest: asked.guest,
            isOnce: asked.isOnce)
    }

    private static func takesPlayer(_ event: AnyFlow.Event) -> Bool {
        event.parameters.contains { $0.name == "player" && $0.type == String.type }
    }

    private func guestName(_ params: borrowing Params) throws(CallError) -> String? {
        guard let name = params.text(.guest) else { return nil }
        let scalars = name.unicodeScalars
        guard 1...Invitation.guestLength ~= scalars.count,
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalidParams(
                "as: expected 1 to \(Invitation.guestLength) characters, no control characters")
        }
        return name
    }

    /// Throws if an argument is of no event, or of another type in each: a name with a mistake in it would bind nothing.
    private static func check(_ asked: Invitation, _ events: [AnyFlow.Event]?) throws(CallError) {
        guard let events else { return }
        let fields = events.flatMap(\.parameters)
        for member in asked.bound {
            let meant = fields.filter { $0.name == member.name }
            guard !meant.isEmpty else {
                let near = DidYouMean.question(member.name, Set(fields.map(\.name)).sorted())
                let why = "no event has this argument\(near.map { "; \($0)" } ?? "")"
                throw flaw(member.name, why, asked.session)
            }
            guard meant.contains(where: { $0.type == member.value.typeName }) else {
                throw flaw(member.name, "expected \(meant[0].type)", asked.session)
            }
        }
    }

    /// The error for a parameter whose form is right, but not its meaning for the session.
    private static func flaw(_ argument: String, _ why: String, _ session: SessionName) -> CallError
    {
        .refused(.invalid(.session(session.text), argument: argument, why: why))
    }

    /// Throws if the invitation allows more than the inviter may do.
    private func checkInviter(_ invitation: Invitation, _ peer: any Caller) throws(CallError) {
        let needed = invitation.role
        guard needed == .play, !peer.rights.mayPlayFreely(invitation.session, invitation.event)
        else { return }
        let error = RequestError.forbidden(
            .method(Method.invite.name), source: peer.source.kind,
            needs: .right("play with \(invitation.event.pattern) and any arguments"))
        _ = peer.recordForbidden(error)
        throw .refused(error)
    }

    private static func members(of invitation: Invitation) -> [Member] {
        [
            Member("session", invitation.session.text), Member("role", invitation.role.name),
            Member("once", .bool(invitation.isOnce)),
        ] + (invitation.guest.map { [Member("as", $0)] } ?? [])
            + (invitation.event.isAll ? [] : [Member("event", invitation.event.pattern)])
            + (invitation.bound.isEmpty ? [] : [Member("args", .object(invitation.bound))])
    }

    private static func members(of issued: IssuedInvitation) -> [Member] {
        [
            Member("name", issued.name), Member("link", issued.link),
            Member("until", Timestamp.text(issued.until)), Member("code", issued.code),
            Member("codeUntil", Timestamp.text(issued.codeUntil)), Member("qr", issued.qr),
        ]
    }
}

extension Value {
    /// The name of the argument type that the value has; nil if no argument has such a value.
    fileprivate var typeName: String? {
        switch self {
        case .string: "string"
        case .int: "integer"
        case .bool: "boolean"
        case .array: "array"
        case .object: "object"
        case .null, .unfit: nil
        }
    }
}
