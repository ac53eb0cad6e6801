/// A violation of a guarantee, with the seed and the number that reproduce it.
package struct Violation: CustomStringConvertible, Sendable {
    package let seed: UInt64
    /// The number of the power cut or of the disk error, among the points of the seed.
    package let point: Int
    package let message: String
    /// The operation before which the power was cut, or at which the error occurred, as text.
    package let at: String

    package var description: String {
        "\(message) (\(at)); again: explore --point \(point) --seed \(seed)"
    }
}
