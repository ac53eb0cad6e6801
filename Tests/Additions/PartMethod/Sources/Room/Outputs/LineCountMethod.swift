import GameFlow
package import JSONCoding
package import RPC

/// The method `lines`, which counts the lines that have sent something.
package struct LineCountMethod: PartMethod {
    package let method = Method.lines
    private let outputs: RoomOutputs

    init(_ outputs: RoomOutputs) { self.outputs = outputs }

    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        writer.object([Member("lines", outputs.outputLines.count)])
        return .succeeded(row: 0)
    }
}
