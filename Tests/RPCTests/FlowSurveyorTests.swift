import GameFlow
import RPC
import ShippedFlows
import Testing

/// `describe` and `graph` of a flow that has to be surveyed first.
@Suite struct FlowSurveyorTests {
    /// A surveyor that keeps the calls until the test answers them.
    private final class WaitingSurveyor: FlowSurveyor {
        private(set) var waiting: [() -> Void] = []
        private(set) var asked: [String] = []

        func survey(_ flow: AnyFlow, _ done: @escaping () -> Void) {
            asked.append("survey")
            waiting.append(done)
        }

        func search(_ flow: AnyFlow, _ done: @escaping () -> Void) {
            asked.append("search")
            waiting.append(done)
        }

        func finish() {
            let callbacks = waiting
            waiting = []
            for callback in callbacks { callback() }
        }
    }

    @Test(arguments: [
        ("describe", "survey"), ("graph", "search"), ("graph format=dot", "search"),
    ])
    func `the reply comes after the survey, and replies stay in order`(
        _ request: String, _ need: String
    ) throws {
        let surveyor = WaitingSurveyor()
        let client = try TestConnection(surveyor: surveyor)
        #expect(client.reply(to: request) == "")
        #expect(client.reply(to: "ping") == "")
        #expect(surveyor.asked == [need] && surveyor.waiting.count == 1)
        surveyor.finish()
        let replies = String(decoding: client.outbox.takeSendableBytes(), as: UTF8.self)
            .split(separator: "\n")
        #expect(replies.count == 2)
        #expect(replies.first?.contains("startPlaying") == true)
        #expect(replies.last?.contains("pong") == true)
        // The survey is there now.
        #expect(client.reply(to: request) == replies.first.map { $0 + "\n" } ?? "")
        #expect(surveyor.waiting.isEmpty)
    }

    @Test func `an unknown format is an error without a survey`() throws {
        let surveyor = WaitingSurveyor()
        let client = try TestConnection(surveyor: surveyor)
        #expect(client.reply(to: "graph format=png").hasPrefix("ERR"))
        #expect(surveyor.waiting.isEmpty)
    }
}
