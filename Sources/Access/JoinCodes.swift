package import Timers

/// The codes that guests type at `/join`, and that only this daemon knows. The codes are kept only in memory, and no hash of a
/// code is stored. A code is so short that a reader of the hash could find the code by trying all codes. For codes that all
/// nodes know, see `StoredInvitation.Code`. All times are on the loop's clock.
package struct JoinCodes {
    /// The number of characters in a code.
    package static let length = 6
    /// A typed text of more bytes is no code. The limit is greater than `length`, because a person may add spaces and hyphens.
    static let typedByteLimit = 64
    /// How long a code is valid.
    static let validity = Duration.seconds(15 * 60)

    /// For each code, the name of its invitation, and the time until which the code is valid.
    private var codes: [String: (invitation: String, until: Instant)] = [:]

    /// Makes a code for the invitation of this name; nil if no random bytes are available.
    package mutating func issue(for invitation: String, at now: Instant) -> String? {
        codes = codes.filter { $0.value.until > now }
        while let code = JoinAlphabet.randomText(length: Self.length) {
            guard codes[code] == nil else { continue }
            codes[code] = (invitation, now + Self.validity)
            return code
        }
        return nil
    }

    /// Returns the name of the invitation with the code that a person typed; `text` is the typed text. Returns nil if the code
    /// is wrong or too old.
    package func invitation(of text: String, at now: Instant) -> String? {
        guard text.utf8.count <= Self.typedByteLimit,
            let entry = codes[JoinAlphabet.normalized(text)], entry.until > now
        else { return nil }
        return entry.invitation
    }
}
