import GameFlow
import JSONCoding
import RPC
import Sessions

/// An invitation in the token file.
package struct StoredInvitation: Equatable {
    package let invitation: Invitation
    /// The Unix time in seconds until which the invitation, and the tokens of its guests, are valid.
    package let until: Int
    /// The number in the name of the newest guest. It is also the number of guests who have joined; 0 if no guest has joined.
    package var guestCount = 0
    /// The hash of the code that a person types, and the time until which the code is valid. Nil if only the daemon that made
    /// the invitation knows the code.
    package let code: Code?

    /// The hash of a code that is valid on all nodes. A code is so short that a reader of the store can find it by trying all
    /// codes. This is acceptable: a reader of the store sees all sessions anyway, and the code is valid only for a short time.
    package struct Code: Equatable {
        package let hash: TokenHash
        /// The Unix time in seconds until which the code is valid.
        package let until: Int
    }

    package init(_ invitation: Invitation, until: Int, code: Code? = nil) {
        (self.invitation, self.until, self.code) = (invitation, until, code)
    }

    /// Whether another guest may join.
    package var isOpen: Bool { !invitation.isOnce || guestCount == 0 }

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
        if let text = members["code"]?.text, case .int(let until)? = members["codeUntil"],
            let hash = TokenHash(hexadecimal: text[...])
        {
            code = Code(hash: hash, until: until)
        } else {
            code = nil
        }
    }
}
