internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The actions of the method `outputs`.
enum OutputAction: String, CaseIterable {
    /// Switches all outputs, or the outputs of one connection, on or off.
    case on, off
    /// Sends one output, whatever the state of the sessions.
    case test
}

/// The method `outputs`, which shows and controls the outputs to the devices of the room.
extension Dispatcher {
    /// Writes the outputs, or performs an action. The counts of outputs reveal changes of sessions, so the result waits until
    /// the newest row of the journal is durable.
    func outputs(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError)
        -> CallOutcome
    {
        guard let actionName = params.text(.action) else {
            guard params.text(.name) == nil else { throw .invalidParams("name: needs an action") }
            writer.object(
                outputRegistry?.outputs() ?? [
                    Member("on", .bool(false)), Member("recovering", .bool(false)),
                    Member("outputs", .array([])),
                ])
            return .succeeded(row: sessions.newestRow)
        }
        guard let action = OutputAction(rawValue: actionName) else {
            throw .invalidParams("action: expected \(OutputAction.listed)")
        }
        guard let outputRegistry else { throw .invalidParams("there are no outputs") }
        switch action {
        case .on, .off:
            guard outputRegistry.setOutputs(on: action == .on, connection: params.text(.name))
            else {
                throw .invalidParams("name: no output uses a connection of that name")
            }
            writer.object(outputRegistry.outputs())
            return .succeeded(row: sessions.newestRow)
        case .test:
            guard let name = params.text(.name) else {
                throw .invalidParams("name: expected the number of a line, or an effect")
            }
            return .deferred(
                DeferredResult { done in
                    outputRegistry.testOutput(name) { result in
                        // The outcome is a closure that writes the members as the result.
                        done(
                            result.map { members in { $0.object(members) } }
                                .mapError { .invalidParams($0.why) })
                    }
                })
        }
    }
}
