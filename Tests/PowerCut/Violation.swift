/// A violation of a guarantee, with the seed and the number that reproduce it.
package struct Violation: CustomStringConvertible, Sendable {
    package let seed: UInt64
    /// The number of the power cut or of the injected error, among those of the seed.
    package let point: Int
    package let what: String
    /// Where the power was cut or the error was injected, as text.
    package let at: String

    package var description: String {
        "\(what) (\(at)); again: explore --point \(point) --seed \(seed)"
    }
}
