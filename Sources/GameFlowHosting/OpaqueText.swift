/// A name or an id from outside. It is compared, ordered and hashed by its bytes: texts that are canonically equivalent, such as
/// an é of one scalar and an é of two scalars, are two names.
struct OpaqueText: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: OpaqueText, b: OpaqueText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    static func < (a: OpaqueText, b: OpaqueText) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        // The number keeps a text from merging with what is hashed after it.
        hasher.combine(text.utf8.count)
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
