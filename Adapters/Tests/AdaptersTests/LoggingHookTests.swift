import GameFlow
import GameFlowLogging
import Logging
import ShippedFlows
import Testing
import Timers

@Suite struct LoggingHookTests {
    private let recorder = LogRecorder()

    private func makeHook(_ level: Logger.Level = .info) -> LoggingHook {
        LoggingHook(flow: "game", logger: Logger(label: "test") { _ in recorder }, level: level)
    }

    @Test func `taken events, timers and refusals are logged with their names`() throws {
        let hook = makeHook()
        let clock = VirtualClock()
        let game = StateMachine(Game(), on: clock, hooks: [hook])
        try game.send(.displayHelp)
        do { try game.send(.pause) } catch { hook.refused(error) }
        clock.advance(by: .seconds(30))
        #expect(
            recorder.messages.texts.suffix(3) == [
                "info event taken event=displayHelp flow=game from=introduction to=help",
                "notice event refused event=pause flow=game from=help reason=noTransition",
                "info event taken event=helpTimedOut flow=game from=help to=introduction",
            ])
    }

    @Test func `a level that the logger leaves out is not logged`() throws {
        let game = StateMachine(Game(), on: VirtualClock(), hooks: [makeHook(.debug)])
        try game.send(.displayHelp)
        #expect(recorder.messages.texts.isEmpty)
    }
}
