import GameFlow
package import JSONCoding
package import RPC
import Sessions
import Support
import Timers

/// The method `invite`: makes an invitation to a session.
package struct InviteMethod: PartMethod {
    package let method = Method.invite
    private let invitations: Invitations

    package init(_ invitations: Invitations) { self.invitations = invitations }

    /// Checks the requested invitation, and begins to make its link and its code. The parameter `for` says how long the link is
    /// valid. A code may end earlier.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let validity = try params.duration(.length) ?? Invitation.defaultValidity
        let page = try Self.readPage(params)
        let requestedInvitation = try readInvitation(params, to: page)
        let flow = try flowToCheck(params, caller, dispatcher)
        guard validity > .zero else {
            throw Self.invalid("for", "expected more than 0s", requestedInvitation.session)
        }
        let invitation = try checkedInvitation(requestedInvitation, for: flow)
        try checkInviter(invitation, caller)
        return Dispatcher.smallDeferredResult { [invitations] done in
            invitations.issue(invitation, for: validity, to: page) { result in
                done(result.map { Self.members(of: invitation) + Self.members(of: $0) })
            }
        }
    }

    /// The flow of the session, to check the invitation against the flow's events. Nil if several nodes share the store: the
    /// session may then be on another node, or not exist, and the events are not known.
    private func flowToCheck(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher
    ) throws(CallError) -> AnyFlow? {
        guard dispatcher.router != nil else {
            return try dispatcher.session(params, .invite, caller).flow
        }
        try dispatcher.check(.invite, caller, named: params.session())
        return nil
    }

    /// The invitation that the parameters describe. `checkedInvitation` later checks the invitation against the session's flow.
    private func readInvitation(_ params: borrowing Params, to page: InvitationPage)
        throws(CallError) -> Invitation
    {
        let roles = [Role.observe, .play]
        guard let role = params.text(.role).map(Role.init) ?? page.usualRole, roles.contains(role)
        else {
            throw .invalidParams("role: expected observe or play")
        }
        let event = Glob(params.text(.event) ?? "*")
        let boundArguments = params.object(.args)
        if let flaw = Value.object(boundArguments).flaw { throw .invalidParams("args: \(flaw)") }
        return Invitation(
            try params.session(), role, event: event, boundArguments: boundArguments,
            guestName: try guestName(params),
            isOnce: params.isTrue(.once))
    }

    /// The page that the link opens: the players' page unless the parameter `opens` names another.
    private static func readPage(_ params: borrowing Params) throws(CallError) -> InvitationPage {
        guard let name = params.text(.opens) else { return .players }
        guard let page = InvitationPage(rawValue: name) else {
            throw .invalidParams("opens: expected players, wall or overlay")
        }
        return page
    }

    /// Checks the requested invitation, and returns it with its bound arguments. For the role `play`, the argument `player` is
    /// bound to the guest's name if an event that the guest may send has this argument. If `flow` is nil, the events are not
    /// known, and the argument is always bound. A value that the request itself binds to `player` remains.
    ///
    /// Throws in three cases:
    /// - No event of the flow matches the invitation's pattern.
    /// - None of the matching events has an argument that the invitation binds.
    /// - The invitation is not valid for another reason, for example because it is too long.
    private func checkedInvitation(_ requested: Invitation, for flow: AnyFlow?) throws(CallError)
        -> Invitation
    {
        if requested.role == .observe, !requested.boundArguments.isEmpty || !requested.event.isAll {
            let argument = requested.event.isAll ? "args" : "event"
            throw Self.invalid(argument, "only with the role play", requested.session)
        }
        if let name = requested.guestName, name.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        {
            throw Self.invalid("as", "expected a character that can be seen", requested.session)
        }
        let events = flow?.events.filter { requested.event.matches($0.name) }
        if let events, let flow, events.isEmpty {
            throw Self.invalid(
                "event", "no event of the flow \(flow.name) matches", requested.session)
        }
        try Self.checkBoundArguments(of: requested, events)
        var boundArguments = requested.boundArguments
        if let guestName = requested.guestName, requested.role == .play,
            boundArguments[EventRecord.playerArgument] == nil,
            events?.contains(where: { Self.takesPlayer($0) }) ?? true
        {
            boundArguments.append(Member(EventRecord.playerArgument, guestName))
        }
        let byteCount =
            requested.event.pattern.utf8.count
            + JSONWriter.bytes { $0.object(boundArguments) }.count
        guard byteCount <= Invitation.byteLimit else {
            throw .refused(.limit(which: "invitationBytes", limit: Invitation.byteLimit))
        }
        return Invitation(
            requested.session, requested.role, event: requested.event,
            boundArguments: boundArguments, guestName: requested.guestName,
            isOnce: requested.isOnce)
    }

    /// Whether the event has an argument for the name of the player who sends it.
    private static func takesPlayer(_ event: AnyFlow.Event) -> Bool {
        event.parameters.contains {
            $0.name == EventRecord.playerArgument && $0.type == String.type
        }
    }

    /// The parameter `as`: the name under which the guest plays. Nil if it is not given.
    private func guestName(_ params: borrowing Params) throws(CallError) -> String? {
        guard let name = params.text(.guest) else { return nil }
        let scalars = name.unicodeScalars
        guard 1...Invitation.guestNameLimit ~= scalars.count,
            !scalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalidParams(
                "as: expected 1 to \(Invitation.guestNameLimit) characters, no control characters")
        }
        return name
    }

    /// Throws if none of the events has an argument with the name and type of a bound argument. Without this check, a misspelt
    /// name would bind nothing. Checks nothing if `events` is nil, because then the events are not known.
    private static func checkBoundArguments(of requested: Invitation, _ events: [AnyFlow.Event]?)
        throws(CallError)
    {
        guard let events else { return }
        let parameters = events.flatMap(\.parameters)
        for member in requested.boundArguments {
            let parametersOfName = parameters.filter { $0.name == member.name }
            guard !parametersOfName.isEmpty else {
                let names = Set(parameters.map(\.name)).sorted()
                let suggestion = DidYouMean.question(member.name, names)
                let why = "no event has this argument\(suggestion.map { "; \($0)" } ?? "")"
                throw invalid(member.name, why, requested.session)
            }
            guard parametersOfName.contains(where: { $0.type == member.value.typeName }) else {
                let why = "expected \(parametersOfName[0].type)"
                throw invalid(member.name, why, requested.session)
            }
        }
    }

    /// The error for an argument that is well-formed but not valid for the session. `argument` is the name of a parameter, or
    /// of a member of the parameter `args`.
    private static func invalid(_ argument: String, _ why: String, _ session: SessionName)
        -> CallError
    {
        .refused(.invalid(.session(session.text), argument: argument, why: why))
    }

    /// Throws if the guests could send events that the inviter may not send, or may send only with fixed arguments. The right
    /// to observe is not checked: the method `invite` needs the role `operate`, which includes it.
    private func checkInviter(_ invitation: Invitation, _ caller: any Caller) throws(CallError) {
        guard invitation.role == .play,
            !caller.rights.mayPlayFreely(invitation.session, invitation.event)
        else { return }
        let error = RequestError.forbidden(
            .method(Method.invite.name), source: caller.source.kind,
            needs: .right("play with \(invitation.event.pattern) and any arguments"))
        // Only reported: an invitation is no change, so its refusal is not in the session's history.
        _ = caller.reportForbidden(error)
        throw .refused(error)
    }

    /// The members of the result that describe the invitation.
    private static func members(of invitation: Invitation) -> [Member] {
        [
            Member("session", invitation.session.text), Member("role", invitation.role.name),
            Member("once", .bool(invitation.isOnce)),
        ] + (invitation.guestName.map { [Member("as", $0)] } ?? [])
            + (invitation.event.isAll ? [] : [Member("event", invitation.event.pattern)])
            + (invitation.boundArguments.isEmpty
                ? [] : [Member("args", .object(invitation.boundArguments))])
    }

    /// The members of the result that describe the link and the code.
    private static func members(of issued: IssuedInvitation) -> [Member] {
        [
            Member("name", issued.name), Member("link", issued.link),
            Member("until", Timestamp.text(issued.until)), Member("code", issued.code),
            Member("codeUntil", Timestamp.text(issued.codeUntil)), Member("qr", issued.qr),
        ]
    }
}

extension Value {
    /// The name of the value's type, as flows declare it for arguments; nil if no argument can have the value.
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
