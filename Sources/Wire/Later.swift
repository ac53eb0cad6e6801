public import JSON
internal import Sessions

/// A result that is not known yet: somebody else has to be asked first, the disk for one.
public struct Later {
    /// What writes the result, or why there is none.
    public typealias Answer = Result<(inout JSONWriter) -> Void, CallError>

    /// Asks; called once, and calls back once, at once or later.
    let begin: (@escaping (Answer) -> Void) -> Void
}

/// What came of a call besides the result that it wrote.
enum Called {
    case done
    /// It was refused.
    case refused
    /// The peer watches that from now on.
    case watching(WatchTarget)
    /// There is no result yet; nothing was written.
    case later(Later)
}
