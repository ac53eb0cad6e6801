import GameFlow
import ShippedFlows
import Testing
import Timers

@Suite struct FlowSurveyTests {
    @Test func `the survey finds the rows of the game's table, from the real selector`() {
        let survey = AnyFlow(Game()).survey
        #expect(survey.map(\.state) == GameModel.states)
        for found in survey {
            let rows = (GameModel.events + GameModel.signals).compactMap { event in
                GameModel.row(found.state, event).map { "\(event) → \($0.to) \($0.effect ?? "")" }
            }
            let tick = found.state == "playingLevel" ? ["tick → playingLevel "] : []
            let expected = Set(rows + tick)
            #expect(
                Set(found.transitions.map { "\($0.on) → \($0.to) \($0.effects.joined())" })
                    == expected)
        }
    }

    @Test func `the survey finds each state's timers`() {
        let timers = AnyFlow(Game()).survey.map { found in
            found.timers.map { "\($0.fires) \($0.info.total.milliseconds)" }
        }
        #expect(
            timers == [
                [], ["helpTimedOut 30000"], ["idle 60000"], ["idle 60000"],
                ["timeUp 90000", "tick 1000"], ["abandoned 300000"], ["idle 15000"],
            ])
    }

    @Test func `a deferred event has no target in the survey`() {
        let busy = AnyFlow(EveryCaseFlow()).survey.first { $0.state == "busy" }
        #expect(busy?.transitions.map(\.on) == ["finish", "rested"])
    }
}
