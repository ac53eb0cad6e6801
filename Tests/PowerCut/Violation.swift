/// A promise that was broken, and how to see it again.
package struct Violation: CustomStringConvertible, Sendable {
    package let seed: UInt64
    package let point: Int
    package let what: String
    /// What the power cut, or the error, came before.
    package let at: String

    package var description: String {
        "\(what) (\(at)); again: explore --point \(point) --seed \(seed)"
    }
}
