/// A guarantee that a journal has violated.
struct Finding: Error {
    let what: String
    init(_ what: String) { self.what = what }
}
