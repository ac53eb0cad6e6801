import EventLoop
import QRCode
import RPC
import Sessions
import Timers

/// Makes invitations, and lets guests join by a link or a code.
final class Invitations: InvitationStore {
    /// What a guest presents in order to join.
    enum Credential {
        /// A code that a person typed.
        case code(String)
        /// The key in a link. It cannot be guessed, so wrong link keys are not counted.
        case linkKey(String)
    }

    /// Why somebody cannot join.
    enum JoinError: Error {
        /// No invitation has this code or link key, or the invitation has ended, or the code is too old.
        case unknown
        /// The invitation is for one guest, and somebody else has used it.
        case used
        /// There were too many wrong codes.
        case tooManyWrongCodes(JoinGate.RefusedClients)
        /// The guest's token could not be made.
        case failed(CallError)
    }

    /// A guest who may join.
    struct Guest {
        let invitation: Invitation
        /// The new token; nil if the guest has one already.
        let token: String?
    }

    private let authorizer: Authorizer
    private let loop: LibeventLoop
    /// The address of the pages, without a slash at the end; nil if this daemon serves none.
    private let pageAddress: () -> String?
    private var codes = JoinCodes()
    private var gate = JoinGate()
    /// Calls `endDueInvitations` when the next invitation may have ended.
    private var nextCheck: ScopedCountdown?
    /// The maximum time until the next check. An operator can set the wall clock forward, and an invitation then ends earlier
    /// than computed before.
    private static let longestCheckInterval = Duration.seconds(60)

    init(_ authorizer: Authorizer, on loop: LibeventLoop, pageAddress: @escaping () -> String?) {
        (self.authorizer, self.loop, self.pageAddress) = (authorizer, loop, pageAddress)
        authorizer.tokensHaveChanged = { [weak self] in self?.endDueInvitations() }
        endDueInvitations()
    }

    // MARK: inviting

    func issue(
        _ invitation: Invitation, for duration: Duration,
        _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void
    ) {
        guard let address = pageAddress() else {
            return done(
                .failure(
                    .invalidParams(
                        "this daemon serves no web page at a network address: start it with --http, or --public"
                    )))
        }
        let now = Instant.seconds(WallClock.seconds)
        let until = now + duration
        let code = authorizer.hasSharedTokens ? JoinAlphabet.random(JoinCodes.length) : nil
        let storedCode = code.map {
            StoredInvitation.Code(
                hash: TokenHash(of: $0), until: Int((now + JoinCodes.life).milliseconds / 1000))
        }
        authorizer.invite(invitation, until: Int(until.milliseconds / 1000), code: storedCode) {
            [weak self] result in
            guard let self else { return }
            do throws(CallError) {
                let newInvitation = try result.get()
                done(
                    .success(
                        try issued(
                            newInvitation, code, invitation, at: address, now, until: until)))
            } catch { done(.failure(error)) }
        }
    }

    /// Describes a new invitation, and logs it. `sharedCode` is the invitation's code if all nodes know the code. If
    /// `sharedCode` is nil, makes a code that only this daemon knows.
    private func issued(
        _ newInvitation: Authorizer.NewInvitation, _ sharedCode: String?, _ invitation: Invitation,
        at address: String,
        _ now: Instant, until: Instant
    ) throws(CallError) -> IssuedInvitation {
        let (name, key) = newInvitation
        let link = "\(address)/join#\(key)"
        guard let code = sharedCode ?? codes.issue(for: name, at: loop.timerQueue.now),
            let qr = QRCode(link)
        else { throw .refused(.storage(why: "no code could be made", outcome: .undone)) }
        endDueInvitations()
        let role = invitation.role.name
        Log.write(
            .info, "\(name) invites to \(role) in session \(invitation.session.text)")
        return IssuedInvitation(
            name: name, code: code, codeUntil: min(now + JoinCodes.life, until), until: until,
            link: link, qr: qr.svg)
    }

    /// Ends the invitations whose time is over, and sets a timer for the next call. Call it also when the invitations may have
    /// changed.
    func endDueInvitations() {
        guard let next = authorizer.endInvitations() else {
            nextCheck = nil
            return
        }
        nextCheck = ScopedCountdown(on: loop, min(next, Self.longestCheckInterval)) {
            [unowned self] in
            endDueInvitations()
        }
    }

    // MARK: joining

    /// Lets a guest join. `host` is the guest's host, as `NetworkHost` names it; nil for a client of a UNIX socket. `tokenName`
    /// returns the name of the token that the browser has for a session. If that token was made from the same invitation, the
    /// guest has joined before and needs no new token.
    func join(
        _ credential: Credential, from host: String?, tokenName: (SessionName) -> String?,
        _ done: @escaping (Result<Guest, JoinError>) -> Void
    ) {
        let (name, invitation): (String, Invitation)
        do throws(JoinError) {
            name = try self.invitation(with: credential, from: host)
            guard let stored = authorizer.validInvitation(named: name) else {
                throw countedError(credential, from: host)
            }
            invitation = stored.invitation
        } catch { return done(.failure(error)) }
        if let token = tokenName(invitation.session),
            TokenFile.invitationName(ofGuest: token) == name
        {
            return done(.success(Guest(invitation: invitation, token: nil)))
        }
        authorizer.admit(to: name) { result in
            done(
                result.map { Guest(invitation: invitation, token: $0.token) }.mapError {
                    switch $0 {
                    case .used: .used
                    // The invitation was removed meanwhile, perhaps by another node.
                    case .name: .unknown
                    case .storage, .limit, .unknown: .failed(Authorizer.callError($0))
                    }
                })
        }
    }

    /// The name of the invitation that has this code or link key. Throws if there is no such invitation, or if codes are
    /// refused now.
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
                // A long text cannot be a typed code, so it is not hashed.
                ?? (text.utf8.count <= 64
                    ? authorizer.invitation(withCode: JoinAlphabet.normalized(text)) : nil)
        }
        guard let name else { throw countedError(credential, from: host) }
        return name
    }

    /// The error for a wrong code or link key. Counts a wrong code.
    private func countedError(_ credential: Credential, from host: String?) -> JoinError {
        if case .code = credential { countWrong(from: host) }
        return .unknown
    }

    /// Counts a wrong code, and logs if codes are refused from now on.
    private func countWrong(from host: String?) {
        switch gate.countWrong(from: host, at: loop.timerQueue.now) {
        case .host(let host):
            Log.write(
                .warning,
                "web \(host): \(JoinGate.hostLimit) wrong codes in a minute; /join takes no code from it for a minute"
            )
        case .all:
            Log.write(
                .warning,
                "\(JoinGate.totalLimit) wrong codes in a minute; /join takes no code for a minute")
        case nil: break
        }
    }
}
