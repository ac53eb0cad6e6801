public import JSONCoding

/// A method of the protocol that a part of the daemon carries out, such as `outputs`. The dispatcher carries out the methods
/// about sessions itself.
///
/// To add a method of a part, add its case and its row to `Method`, and a type that conforms to this protocol to the part; the
/// daemon passes an object of it to its dispatcher.
public protocol PartMethod {
    var method: Method { get }

    /// Executes a call of the method on the loop's thread, as the handler in a row of `Method` does. The dispatcher has checked the
    /// caller's role, unless the method's row says that the handler checks it.
    func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome
}
