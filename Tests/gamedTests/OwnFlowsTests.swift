import GameFlow
import Parts
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// A daemon whose flows are not the shipped flows.
@Suite struct OwnFlowsTests {
    /// A flow whose signal no state handles, and whose events have arguments without a name.
    struct Broken: Flow, DefaultFlow {
        enum State: String, CaseIterable { case idle }
        typealias StateName = State
        enum Event: FlowEvent {
            case press(Int)
            case due(Signal)
            enum Signal: UInt8, CaseIterable { case late }
        }
        var events: [EventSchema<Event>] { [EventSchema(Event.press)] }
        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Broken> {
            throw .noTransition
        }
        func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Broken> {
            enter { _ in name }
        }
    }

    private let folder = Folder()

    /// The name of the default flow of a daemon with the given flows; nil if the command line starts no daemon.
    private func defaultFlow(_ arguments: [String], _ flows: [any Flow]) throws -> String? {
        guard case .run(let options) = try Options.read(arguments, flows: flows.map { $0.anyFlow })
        else { return nil }
        return options.sessions.flow
    }

    @Test func `the default flow is game if it exists, else the first flow`() throws {
        #expect(try defaultFlow([], .shipped) == "game")
        #expect(try defaultFlow([], [Quiz(), Game()]) == "game")
        #expect(try defaultFlow([], [Quiz(), Startup()]) == "quiz")
        #expect(try defaultFlow(["--flow", "startup"], [Quiz(), Startup()]) == "startup")
        #expect(throws: Options.OptionsError.self) {
            try defaultFlow(["--flow", "game"], [Quiz()])
        }
    }

    @Test func `the help names the default flow and all flows`() {
        let help = Options.help(flows: [AnyFlow(Quiz()), AnyFlow(Startup())])
        #expect(help.contains("Default: quiz."))
        #expect(help.contains("Flows: quiz, startup."))
        #expect(Options.help(flows: AnyFlow.shipped()).contains("Default: game."))
    }

    @Test func `the shipped flows have no mistakes`() {
        #expect(FlowCheck.mistakes(AnyFlow.shipped()) == [])
    }

    @Test func `all mistakes of all flows are reported, with the flow's name`() {
        let flows: [any Flow] = [Broken(), Quiz(), Quiz(), Broken()]
        let mistakes = FlowCheck.mistakes(flows.map { $0.anyFlow })
        #expect(
            mistakes.prefix(2) == [
                "two flows have the name broken; rename one",
                "two flows have the name quiz; rename one",
            ])
        #expect(mistakes.contains { $0.hasPrefix("the flow broken: ") && $0.contains("press") })
        #expect(
            FlowCheck.mistakes([]) == [
                "there is no flow; give GamedServer.run(flows:) at least one"
            ])
    }

    @Test func `a check of the options reports the mistakes of flows`() {
        let check = OptionsCheck(Options(), [Broken().anyFlow])
        #expect(check.mistakes.contains { $0.hasPrefix("the flow broken: ") })
    }

    @Test func `a map line may name only the events of the given flows`() throws {
        let file = folder.write(
            "map.conf",
            "map device=x service=FFE0 characteristic=FFE1 value=01 event=buzz args={\"player\":\"a\"}\n"
        )
        #expect(try defaultFlow(["--config", file], [Quiz()]) == "quiz")
        #expect(throws: Options.OptionsError.self) {
            try defaultFlow(["--config", file], [Game()])
        }
    }
}
