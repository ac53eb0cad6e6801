import EventLoop
import QRCode
import RPC
import Sessions
import Timers

/// Makes invitations, and lets guests join by a link or a code.
final class Invitations: InvitationStore {
    /// The key that a guest shows in order to join.
    enum Key {
        /// A code that a person typed.
        case code(String)
        /// The key in a link. It cannot be guessed, so wrong ones are not counted.
        case link(String)
    }

    /// Why somebody cannot join.
    enum JoinError: Error {
        /// No invitation has this code or this link, or it has ended.
        case unknown
        /// Somebody else has used the invitation, which is for one.
        case used
        /// There were too many wrong codes.
        case closed(JoinGate.Closing)
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
    private var end: ScopedCountdown?
    /// The longest time between two looks at the wall clock, which can be set.
    private static let look = Duration.seconds(60)

    init(_ authorizer: Authorizer, on loop: LibeventLoop, pageAddress: @escaping () -> String?) {
        (self.authorizer, self.loop, self.pageAddress) = (authorizer, loop, pageAddress)
        authorizer.tokensHaveChanged = { [weak self] in self?.endLater() }
        endLater()
    }

    // MARK: inviting

    func issue(
        _ invitation: Invitation, for length: Duration,
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
        let until = now + length
        let code = authorizer.isShared ? JoinAlphabet.random(JoinCodes.length) : nil
        let stored = code.map {
            StoredInvitation.Code(
                secret: Secret(of: $0), until: Int((now + JoinCodes.life).milliseconds / 1000))
        }
        authorizer.invite(invitation, until: Int(until.milliseconds / 1000), code: stored) {
            [weak self] result in
            guard let self else { return }
            do throws(CallError) {
                let invited = try result.get()
                done(
                    .success(try issued(invited, code, invitation, at: address, now, until: until)))
            } catch { done(.failure(error)) }
        }
    }

    private func issued(
        _ invited: Authorizer.Invited, _ shared: String?, _ invitation: Invitation,
        at address: String,
        _ now: Instant, until: Instant
    ) throws(CallError) -> IssuedInvitation {
        let (name, key) = invited
        let link = "\(address)/join#\(key)"
        guard let code = shared ?? codes.issue(for: name, at: loop.timerQueue.now),
            let qr = QRCode(link)
        else { throw .refused(.storage(why: "no code could be made", outcome: .undone)) }
        endLater()
        let role = invitation.role.name
        Log.write(
            .info, "\(name) invites to \(role) in session \(invitation.session.text)")
        return IssuedInvitation(
            name: name, code: code, codeUntil: min(now + JoinCodes.life, until), until: until,
            link: link, qr: qr.svg)
    }

    /// Ends invitations when their time is over. Called when there may be others: a new one, or a token file that was read
    /// again.
    func endLater() {
        guard let next = authorizer.endInvitations() else {
            end = nil
            return
        }
        end = ScopedCountdown(on: loop, min(next, Self.look)) { [unowned self] in endLater() }
    }

    // MARK: joining

    /// Lets one join. `shown` returns the name of the token that the browser has for a session: with one from the same
    /// invitation it is the same guest, who has joined before.
    func join(
        _ key: Key, from host: String?, shown: (SessionName) -> String?,
        _ done: @escaping (Result<Guest, JoinError>) -> Void
    ) {
        let (name, invitation): (String, Invitation)
        do throws(JoinError) {
            name = try self.invitation(of: key, from: host)
            guard let stored = authorizer.validInvitation(named: name) else {
                throw wrong(key, from: host)
            }
            invitation = stored.invitation
        } catch { return done(.failure(error)) }
        if let token = shown(invitation.session), TokenFile.invitation(of: token) == name {
            return done(.success(Guest(invitation: invitation, token: nil)))
        }
        authorizer.admit(to: name) { result in
            done(
                result.map { Guest(invitation: invitation, token: $0.token) }.mapError {
                    switch $0 {
                    case .used: .used
                    // Another node has removed the invitation meanwhile.
                    case .name: .unknown
                    case .file, .limit, .unknown: .failed(Authorizer.explain($0))
                    }
                })
        }
    }

    private func invitation(of key: Key, from host: String?) throws(JoinError) -> String {
        let name: String?
        switch key {
        case .link(let text): name = authorizer.invitation(withKey: text)
        case .code(let text):
            let now = loop.timerQueue.now
            if let closing = gate.closing(for: host, at: now) { throw .closed(closing) }
            name =
                codes.invitation(of: text, at: now)
                // A typed text is short; a long one is not worth the work.
                ?? (text.utf8.count <= 64
                    ? authorizer.invitation(withCode: JoinAlphabet.normalized(text)) : nil)
        }
        guard let name else { throw wrong(key, from: host) }
        return name
    }

    private func wrong(_ key: Key, from host: String?) -> JoinError {
        if case .code = key { countWrong(from: host) }
        return .unknown
    }

    private func countWrong(from host: String?) {
        switch gate.countWrong(from: host, at: loop.timerQueue.now) {
        case .host(let host):
            Log.write(
                .warning,
                "web \(host): \(JoinGate.perHost) wrong codes in a minute; /join takes no code from it for a minute"
            )
        case .all:
            Log.write(
                .warning,
                "\(JoinGate.inAll) wrong codes in a minute; /join takes no code for a minute")
        case nil: break
        }
    }
}
