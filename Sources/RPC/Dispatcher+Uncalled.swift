internal import Sessions

/// Lines and elements of batches that call no method.
extension Dispatcher {
    /// Counts a line, or an element of a batch, that is refused before a method is called: in the metrics, and against the limits of
    /// the caller. Returns the error to answer with: `error`, or that of the caller's rate limit. `method` is the method that the
    /// request names, if it names one.
    func refusal(_ error: CallError, to caller: any Caller, of method: Method? = nil) -> CallError {
        var refusal = error
        if let limit = caller.countRequest() {
            refusal = .refused(limit)
        } else {
            caller.countRefusal(error)
        }
        caller.outbox.countRefusal()
        meter.count(method, RequestMeter.Outcome(refusal))
        return refusal
    }
}
