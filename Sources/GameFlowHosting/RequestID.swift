internal import Support

/// The id of a request, by which the host knows it again.
struct RequestID: Sendable {
    let text: ByteText

    /// The greatest number of Unicode scalars of an id.
    static let limit = 64

    init(_ text: String) throws(HostRefusal) {
        guard 1...Self.limit ~= text.unicodeScalars.prefix(Self.limit + 1).count else {
            throw HostRefusal(.invalid, "an id has 1 to \(Self.limit) characters")
        }
        self.text = ByteText(text)
    }
}
