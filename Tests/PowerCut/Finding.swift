/// What a journal did that it must not do.
struct Finding: Error {
    let what: String
    init(_ what: String) { self.what = what }
}
