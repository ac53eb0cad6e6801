/// A violation of a guarantee, with the point that reproduces it.
package struct Violation: CustomStringConvertible, Sendable {
    package let seed: UInt64
    package let point: Int
    package let what: String
    /// The operation of the power cut or the error.
    package let at: String

    package var description: String {
        "\(what) (\(at)); again: explore --point \(point) --seed \(seed)"
    }
}
