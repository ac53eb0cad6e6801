import GameFlow
package import JSONCoding
package import RPC
import Sessions

/// The method `outputs`, which shows and controls the outputs to the devices of the room.
package struct OutputsMethod: PartMethod {
    package let method = Method.outputs
    private let outputs: RoomOutputs
    private let retainedTopics: RetainedTopics

    package init(_ outputs: RoomOutputs, _ retainedTopics: RetainedTopics) {
        (self.outputs, self.retainedTopics) = (outputs, retainedTopics)
    }

    /// Writes the outputs, or performs an action. The counts of outputs reveal changes of sessions, so the result waits until
    /// the newest row of the journal is durable.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        guard let actionName = params.text(.action) else {
            guard params.text(.name) == nil else { throw .invalidParams("name: needs an action") }
            writer.object(outputs.describe())
            return .succeeded(row: dispatcher.sessions.newestRow)
        }
        guard let action = OutputAction(rawValue: actionName) else {
            throw .invalidParams("action: expected \(OutputAction.listed)")
        }
        switch action {
        case .on, .off:
            guard outputs.setOutputs(on: action == .on, connection: params.text(.name))
            else {
                throw .invalidParams("name: no output uses a connection of that name")
            }
            writer.object(outputs.describe())
            return .succeeded(row: dispatcher.sessions.newestRow)
        case .retained, .clear:
            guard let prefix = params.text(.name) else {
                throw .invalidParams("name: expected the prefix of publish=")
            }
            return .deferred(
                DeferredResult { [retainedTopics] done in
                    do throws(RetainedTopics.LookupError) {
                        try retainedTopics.look(below: prefix, clears: action == .clear) { result in
                            done(
                                .members(
                                    result.mapError(Self.callError).map { topics in
                                        [
                                            Member("topics", .array(topics.map { .string($0) })),
                                            Member("cleared", .bool(action == .clear)),
                                        ]
                                    }))
                        }
                    } catch { done(.failure(Self.callError(error))) }
                })
        case .test:
            guard let name = params.text(.name) else {
                throw .invalidParams("name: expected the number of a line, or an effect")
            }
            return Dispatcher.smallDeferredResult { done in
                outputs.testOutput(name) { result in
                    done(result.mapError { .invalidParams($0.why) })
                }
            }
        }
    }

    private static func callError(_ error: RetainedTopics.LookupError) -> CallError {
        .invalidParams("name: \(error.why)")
    }
}
