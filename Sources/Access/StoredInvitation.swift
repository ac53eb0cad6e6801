import GameFlow
import JSONCoding
package import RPC
import Sessions

/// An invitation in the token file.
package struct StoredInvitation: Equatable {
    package let invitation: Invitation
    /// The Unix time in seconds until which somebody can join. The tokens of guests are valid until then, too, except those of
    /// guests who have joined from a screen.
    package var until: Int
    /// The number in the name of the newest guest. It is also the number of guests who have joined; 0 if no guest has joined.
    package var guestCount = 0
    private var publication: Publication

    /// Who knows the code of the invitation, which a person can type in place of its link.
    package enum Publication: Equatable {
        /// Only the daemon that made the invitation.
        case unstored
        /// Whom the operator has told it. The store has its hash.
        case stored(Code)
        /// Everybody who sees the players' screens.
        case shown(Screen)
    }

    /// The hash of the code, if the operator has told the code to somebody and all nodes can check it.
    package var code: Code? { if case .stored(let code) = publication { code } else { nil } }

    /// What the players' screens show of the invitation; nil if they show none.
    package var screen: Screen? {
        if case .shown(let screen) = publication { screen } else { nil }
    }

    /// An invitation that the players' screens of a session show, by the key `join` of a state. Its key and its code are stored as
    /// they are: everybody who sees a screen can read them, and after a restart the screens show the same ones.
    package struct Screen: Equatable {
        /// The key in the link.
        package let key: String
        package let code: String
        /// Whether guests can join now: the session is in a state with the key `join`.
        package var isOpen = true
        /// The Unix times in seconds at which the guests joined, by the numbers in their names. Those of guests whose tokens have
        /// ended are left out.
        package var joinTimes: [Int: Int] = [:]

        /// How long the token of such a guest is valid, in seconds.
        static let guestSeconds = 12 * 3600
    }

    /// The hash of a code that is valid on all nodes. A code is so short that a reader of the store can find it by trying all
    /// codes. This is acceptable: a reader of the store sees all sessions anyway, and the code is valid only for a short time.
    package struct Code: Equatable {
        package let hash: TokenHash
        /// The Unix time in seconds until which the code is valid.
        package let until: Int
    }

    package init(
        _ invitation: Invitation, until: Int, _ publication: Publication = .unstored
    ) {
        (self.invitation, self.until, self.publication) = (invitation, until, publication)
    }

    /// Sets whether guests can join from the screens, if these show the invitation.
    mutating func setScreen(isOpen: Bool) {
        guard var screen else { return }
        screen.isOpen = isOpen
        publication = .shown(screen)
    }

    /// The grant of the guests' tokens. Everybody who sees a screen can join with its code, and plays what players see.
    package var grant: Grant { invitation.grant(coversHiddenEvents: screen == nil) }

    /// Whether another guest may join.
    package var isOpen: Bool { !invitation.isOnce || guestCount == 0 }

    /// Whether the link and the code are accepted at the Unix time `now`.
    package func isValid(at now: Int) -> Bool { until > now && screen?.isOpen != false }

    /// The Unix time in seconds until which the token with the name `guest` is valid. Such a name ends with the guest's number.
    func end(ofGuest guest: String) -> Int {
        guard let screen else { return until }
        let number = guest.split(separator: ".").last.flatMap { Int($0) }
        return number.flatMap { screen.joinTimes[$0] }.map { $0 + Screen.guestSeconds } ?? 0
    }

    /// Whether the token with the name `guest` is accepted at the Unix time `now`.
    func isValid(forGuest guest: String, at now: Int) -> Bool { end(ofGuest: guest) > now }

    /// Counts a guest who joins at the Unix time `now`. The number of the guest is then `guestCount`.
    mutating func addGuest(at now: Int) {
        guestCount += 1
        guard var screen else { return }
        screen.joinTimes = screen.joinTimes.filter { $0.value + Screen.guestSeconds > now }
        screen.joinTimes[guestCount] = now
        publication = .shown(screen)
    }

    /// The invitation as one line of JSON.
    package var text: String {
        let members =
            [
                Member("session", invitation.session.text), Member("role", invitation.role.name),
                Member("event", invitation.event.pattern),
                Member("args", .object(invitation.boundArguments)),
                Member("once", .bool(invitation.isOnce)), Member("until", until),
                Member("guests", guestCount),
            ] + (invitation.guestName.map { [Member("as", $0)] } ?? [])
            + (code.map { [Member("code", $0.hash.text), Member("codeUntil", $0.until)] } ?? [])
            + (screen.map { [Member("screen", $0.value)] } ?? [])
        return String(decoding: JSONWriter.bytes { $0.object(members) }, as: UTF8.self)
    }

    /// Parses the form of the property `text`; nil if the argument is not an invitation.
    package init?(_ text: Substring) {
        guard case .object(let members)? = Value(json: text.utf8),
            let session = members["session"]?.text.flatMap(SessionName.init),
            let role = members["role"]?.text.flatMap(Role.init),
            let event = members["event"]?.text, case .object(let bound)? = members["args"],
            case .bool(let isOnce)? = members["once"], case .int(let until)? = members["until"],
            case .int(let guestCount)? = members["guests"], guestCount >= 0
        else { return nil }
        invitation = Invitation(
            session, role, event: Glob(event), boundArguments: bound,
            guestName: members["as"]?.text,
            isOnce: isOnce)
        (self.until, self.guestCount) = (until, guestCount)
        if let value = members["screen"] {
            guard let screen = Screen(value) else { return nil }
            publication = .shown(screen)
        } else if let text = members["code"]?.text, case .int(let until)? = members["codeUntil"],
            let hash = TokenHash(hexadecimal: text[...])
        {
            publication = .stored(Code(hash: hash, until: until))
        } else {
            publication = .unstored
        }
    }
}

extension StoredInvitation.Screen {
    fileprivate var value: Value {
        .object([
            Member("key", key), Member("code", code), Member("open", .bool(isOpen)),
            Member(
                "joined",
                .object(joinTimes.sorted { $0.key < $1.key }.map { Member("\($0)", $1) })),
        ])
    }

    /// Nil if the value has another form.
    fileprivate init?(_ value: Value) {
        guard case .object(let members) = value, let key = members["key"]?.text,
            let code = members["code"]?.text, case .bool(let isOpen)? = members["open"],
            case .object(let joined)? = members["joined"]
        else { return nil }
        (self.key, self.code, self.isOpen) = (key, code, isOpen)
        for member in joined {
            guard let number = Int(member.name), case .int(let seconds) = member.value else {
                return nil
            }
            joinTimes[number] = seconds
        }
    }
}
