package import EventLoop
package import Parts
import QRCode
package import RPC
package import Sessions
import Timers

/// Makes invitations, and lets guests join by a link or a code. The method `invite` and the page `/join` call it.
package final class Invitations: Part {
    /// What a guest presents in order to join.
    package enum Credential {
        /// A code that a person typed.
        case code(String)
        /// The key in a link. It cannot be guessed, so wrong link keys are not counted.
        case linkKey(String)
    }

    /// Why somebody cannot join.
    package enum JoinError: Error {
        /// No invitation has this code or link key, or the invitation has ended, or the code is too old.
        case unknown
        /// The invitation is for one guest, and somebody else has used it.
        case used
        /// There were too many wrong codes. The value says whose codes are refused for now: the codes of one host, or all
        /// codes.
        case tooManyWrongCodes(JoinGate.RefusedClients)
        /// Too many guests have joined from the host in the last minute.
        case tooManyJoins
        /// The guest's token could not be made.
        case failed(CallError)
    }

    /// A guest who may join.
    package struct Guest {
        package let invitation: Invitation
        /// The new token; nil if the guest has one already.
        package let token: String?
    }

    private let authorizer: Authorizer
    private let loop: LibeventLoop
    /// The pages to which the links of invitations lead.
    let pages: any PageLocation
    /// The valid codes of this daemon; empty if all nodes share the codes.
    private var codes = JoinCodes()
    private var gate = JoinGate()
    /// Counts the lines of the log about wrong codes, by host.
    private var wrongCodeLog = LogThrottle(limit: 4096)
    /// Calls `endDueInvitations` when the next invitation may have ended.
    private var nextCheck = Alarm()
    /// The maximum time until the next check. An operator can set the wall clock forward, and an invitation then ends earlier
    /// than computed before.
    private static let longestCheckInterval = Duration.seconds(60)

    package init(
        _ authorizer: Authorizer, to pages: any PageLocation, on loop: LibeventLoop
    ) {
        (self.authorizer, self.pages, self.loop) = (authorizer, pages, loop)
        authorizer.tokensHaveChanged = { [weak self] in self?.endDueInvitations() }
        endDueInvitations()
    }

    package var methods: [any PartMethod] { [InviteMethod(self), TokenMethod(authorizer, self)] }

    /// The token file was read again before, and may have other invitations now.
    package func reload(_ options: Options) { endDueInvitations() }

    // MARK: inviting

    /// Makes an invitation that is valid for `duration`, and passes its link and code to `done`. The link leads to `page`.
    package func issue(
        _ invitation: Invitation, for duration: Duration, to page: InvitationPage,
        _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void
    ) {
        guard let address = pages.address else {
            return done(
                .failure(
                    .invalidParams(
                        "this daemon serves no web page at a network address: start it with --http, or --public"
                    )))
        }
        let wallTime = Instant.seconds(WallClock.seconds)
        let until = wallTime + duration
        let code =
            authorizer.hasSharedTokens
            ? JoinAlphabet.randomText(length: JoinCodes.length) : nil
        let publication = code.map {
            StoredInvitation.Publication.stored(
                StoredInvitation.Code(
                    hash: TokenHash(of: $0),
                    until: Int((wallTime + JoinCodes.validity).milliseconds / 1000)))
        }
        authorizer.invite(
            invitation, until: Int(until.milliseconds / 1000), publication: publication ?? .unstored
        ) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let newInvitation):
                let issued = issuedInvitation(
                    newInvitation, code, invitation, to: page, at: address, wallTime,
                    until: until)
                guard let issued else { return remove(newInvitation.name, done) }
                done(.success(issued))
            }
        }
    }

    /// Removes an invitation for which no code or no picture of its link could be made, and passes the error to `done`.
    private func remove(
        _ name: String, _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void
    ) {
        authorizer.remove(name) { result in
            let isRemoved = (try? result.get()) != nil
            let why = "no code could be made"
            done(
                .failure(
                    .refused(.storage(why: why, outcome: isRemoved ? .undone : .unknown))))
        }
    }

    /// Describes a new invitation, and logs it. `sharedCode` is the invitation's code if all nodes know the code. If
    /// `sharedCode` is nil, makes a code that only this daemon knows. `wallTime` and `until` are on the wall clock. Returns nil
    /// if no code can be made, or if the link is too long for a QR code.
    private func issuedInvitation(
        _ newInvitation: Authorizer.NewInvitation, _ sharedCode: String?, _ invitation: Invitation,
        to page: InvitationPage, at address: String,
        _ wallTime: Instant, until: Instant
    ) -> IssuedInvitation? {
        let (name, key) = newInvitation
        let link = Invitation.link(at: address, key: key, to: page)
        guard let code = sharedCode ?? codes.issue(for: name, at: loop.timerQueue.now),
            let qr = QRCode(link)
        else { return nil }
        endDueInvitations()
        let role = invitation.role.name
        Log.write(
            .info, .access, "\(name) invites to \(role) in session \(invitation.session.text)")
        return IssuedInvitation(
            name: name, code: code, codeUntil: min(wallTime + JoinCodes.validity, until),
            until: until, link: link, qr: qr.svg)
    }

    /// The QR code of the link that the screens of a session show, in SVG; nil if they show none.
    package func screenCode(of session: SessionName) -> String? {
        guard let address = pages.address,
            let screen = authorizer.openScreenInvitation(to: session)?.screen
        else { return nil }
        return QRCode(Invitation.link(at: address, key: screen.key))?.svg
    }

    /// Ends the invitations whose time is over, and sets a timer for the next call. Call it also when the invitations may have
    /// changed.
    func endDueInvitations() {
        guard let next = authorizer.endInvitations() else {
            nextCheck.stop()
            return
        }
        nextCheck.set(on: loop, min(next, Self.longestCheckInterval)) {
            [unowned self] in
            endDueInvitations()
        }
    }

    // MARK: joining

    /// Lets a guest join. `host` is the guest's host, as `NetworkHost` names it; nil for a client of a UNIX socket. `tokenName`
    /// returns the name of the token that the browser has for a session. If that token was made from the same invitation, the
    /// guest has joined before and needs no new token.
    package func join(
        _ credential: Credential, from host: String?, tokenName: (SessionName) -> String?,
        _ done: @escaping (Result<Guest, JoinError>) -> Void
    ) {
        let (invitationName, invitation): (String, Invitation)
        do throws(JoinError) {
            invitationName = try self.invitation(with: credential, from: host)
            guard let storedInvitation = authorizer.validInvitation(named: invitationName)
            else {
                throw unknownError(credential, from: host)
            }
            invitation = storedInvitation.invitation
        } catch { return done(.failure(error)) }
        if let oldTokenName = tokenName(invitation.session),
            TokenFile.invitationName(ofGuest: oldTokenName) == invitationName
        {
            return done(.success(Guest(invitation: invitation, token: nil)))
        }
        guard gate.countJoin(from: host, at: loop.timerQueue.now) else {
            return done(.failure(.tooManyJoins))
        }
        authorizer.admit(to: invitationName) { result in
            done(
                result.map { Guest(invitation: invitation, token: $0.token) }.mapError {
                    switch $0 {
                    case .used: .used
                    // The invitation was removed meanwhile, perhaps by another node.
                    case .name: .unknown
                    case .storage, .limit, .guests, .unknown: .failed(Authorizer.callError($0))
                    }
                })
        }
    }

    /// The name of the invitation that has this code or link key. Throws if no invitation has the code or key. Also throws for
    /// a code if codes from `host` are refused now.
    private func invitation(
        with credential: Credential, from host: String?
    ) throws(JoinError) -> String {
        let name: String?
        switch credential {
        case .linkKey(let text): name = authorizer.invitation(withKey: text)
        case .code(let text):
            let now = loop.timerQueue.now
            if let refused = gate.refusedClients(including: host, at: now) {
                throw .tooManyWrongCodes(refused)
            }
            name =
                codes.invitation(of: text, at: now)
                // A text that is too long for a code is not hashed.
                ?? (text.utf8.count <= JoinCodes.typedByteLimit
                    ? authorizer.invitation(withCode: JoinAlphabet.normalized(text)) : nil)
        }
        guard let name else { throw unknownError(credential, from: host) }
        return name
    }

    /// The error `unknown` for a wrong code or link key. Counts a wrong code.
    private func unknownError(_ credential: Credential, from host: String?) -> JoinError {
        if case .code = credential { countWrongCode(from: host) }
        return .unknown
    }

    /// Counts a wrong code, and logs if codes are refused from now on.
    private func countWrongCode(from host: String?) {
        switch gate.countWrongCode(from: host, at: loop.timerQueue.now) {
        case .host(let host):
            wrongCodeLog.write(
                .warning, .limited, of: "web \(host)",
                "web \(host): \(JoinGate.hostLimit) wrong codes in a minute; /join takes no code from it for a minute",
                [.source("web \(host)"), .reason("wrongCodes")])
        case .all:
            wrongCodeLog.write(
                .warning, .limited, of: "",
                "\(JoinGate.totalLimit) wrong codes in a minute; /join takes no code for a minute",
                [.reason("wrongCodes")])
        case nil: break
        }
    }
}
