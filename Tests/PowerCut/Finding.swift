/// A guarantee that a journal has violated.
struct Finding: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
