import FlowAnalysis
import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import FlowFiles

/// Each shipped Swift flow is also written as a flow file in `Examples/flows`. These tests compare the file with the Swift
/// flow, its twin.
@Suite struct TwinTests {
    private static let names = [
        "game", "startup", "registration", "onboarding", "permissions", "quiz",
    ]
    private static var twins: [String: AnyFlow] {
        [
            "game": AnyFlow(Game()), "quiz": AnyFlow(Quiz()),
            "startup": AnyFlow(Startup()), "registration": AnyFlow(Registration()),
            "onboarding": AnyFlow(Onboarding()), "permissions": AnyFlow(Permissions()),
        ]
    }

    /// For each flow, a value for every setting of its file; the values differ from the defaults.
    private static let otherSettings: [String: [Member]] = [
        "game": [
            Member("help", "7s"), Member("choosing", "2500ms"), Member("level", "9s"),
            Member("tick", "700ms"), Member("paused", "12s"), Member("score", "1s"),
        ],
        "startup": [
            Member("launch", "2s"), Member("hydrate", "1s"), Member("login", "7s"),
            Member("sync", "10ms"),
        ],
        "registration": [Member("session", "3s")],
        "onboarding": [Member("loader", "900ms"), Member("probe", "250ms")],
        "permissions": [Member("prompt", "1ms")],
        "quiz": [
            Member("question", "5s"), Member("tick", "330ms"), Member("answer", "2s"),
            Member("reveal", "1h"),
        ],
    ]

    @Test(arguments: Self.names)
    func `a file has the settings of its Swift flow`(_ name: String) throws {
        let (file, twin) = (try Self.file(name), try #require(Self.twins[name]))
        // A flow file has no setting `catalog`, because its expressions cannot parse the text of a catalog.
        let settings = twin.settings.filter { $0.name != "catalog" }
        #expect(file.settings == settings)
        #expect(Self.otherSettings[name]?.map(\.name) == settings.map(\.name))
        for setting in settings {
            for wrong: Value in ["soon", .null, true] {
                let members = [Member(setting.name, wrong)]
                let refusals = [file, twin].map { flow -> Reason? in
                    do throws(Reason) {
                        _ = try flow.with(settings: members)
                        return nil
                    } catch { return error }
                }
                #expect(refusals.allSatisfy { $0?.code == .invalid && $0?.subject == setting.name })
            }
        }
    }

    @Test(arguments: Self.names)
    func `a file lists the events, states and signals of its Swift flow`(_ name: String) throws {
        let (file, twin) = (try Self.file(name), try #require(Self.twins[name]))
        #expect(file.mistakes == [])
        #expect(file.name == "\(name)-file" && twin.name == name)
        #expect(file.events.map(\.name) == twin.events.map(\.name))
        #expect(
            file.events.map { Self.withoutLimits($0.parameters) }
                == twin.events.map { Self.withoutLimits($0.parameters) })
        #expect(file.stateNames == twin.stateNames)
        #expect(file.signals == twin.signals)
        #expect(file.initial == twin.initial && file.finals == twin.finals)
        for state in twin.stateNames {
            #expect(Self.withoutLimits(file.data(of: state)) == twin.data(of: state))
        }
    }

    /// The number of steps of a random walk.
    private static let walkLength = TestLength.count(2500, long: 30_000)

    /// If the seed is even, both flows have the settings of `otherSettings`, and otherwise the defaults.
    @Test(arguments: Self.names, seeds(1))
    func `a random walk of a file equals its Swift flow's walk`(_ name: String, _ seed: UInt64)
        throws
    {
        if TestLength.isLong { print("\(name): \(Self.walkLength) steps, seed \(seed)") }
        var random = SeededRandom(seed)
        let (file, twin) = try Self.pair(name, hasOtherSettings: seed % 2 == 0)
        for played in [file, twin] { try played.open() }
        for step in 0..<Self.walkLength {
            if random.below(3) == 0 {
                let time = Duration.milliseconds(
                    random.pick([
                        1, 999, 1000, 4999, 20_000, name == "registration" ? 900_000 : 100_000,
                    ]))
                for played in [file, twin] { played.clock.advance(by: time) }
            } else {
                // Half of the events are chosen from the events that the state accepts, so that the walk gets to every state.
                let accepted = twin.flow.events.filter { twin.machine.accepts.contains($0.name) }
                let event = random.pick(
                    random.below(2) == 0 && !accepted.isEmpty ? accepted : twin.flow.events)
                let arguments = Self.arguments(event, &random)
                let refusals = [file, twin].map { played -> String in
                    do throws(Reason) {
                        try played.machine.send(
                            played.flow.event(event.name), arguments, from: .program)
                        return ""
                    } catch { return error.sentence }
                }
                #expect(
                    refusals[0] == refusals[1],
                    "seed \(seed), step \(step): \(event.name) \(arguments)")
            }
            guard Self.isSame(file, twin) else {
                Issue.record(
                    "seed \(seed), step \(step): \(file.machine.place.data) is not \(twin.machine.place.data)"
                )
                return
            }
            if file.machine.isFinal {
                for played in [file, twin] {
                    try played.machine.goto(twin.flow.initial, [], from: .program)
                }
            }
        }
        let visited = Set(file.steps.compactMap { $0.to?.state })
        #expect(visited == Set(twin.flow.stateNames), "seed \(seed)")
    }

    @Test(arguments: Self.names, seeds(2))
    func `a file and its Swift flow are restored alike`(_ name: String, _ seed: UInt64) throws {
        var random = SeededRandom(seed)
        var (file, twin) = try Self.pair(name, hasOtherSettings: seed % 2 == 0)
        for played in [file, twin] { try played.open() }
        for step in 0..<300 {
            let event = random.pick(twin.flow.events)
            let arguments = Self.arguments(event, &random)
            for played in [file, twin] {
                played.clock.advance(by: .milliseconds(700))
                try? played.machine.send(played.flow.event(event.name), arguments, from: .program)
            }
            (file, twin) = (try Self.restored(file), try Self.restored(twin))
            #expect(Self.isSame(file, twin), "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: Self.names)
    func `a file passes the scenarios of its Swift flow`(_ name: String) throws {
        let path = exampleFile("../scenarios/\(name).scenario")
        let lines = String(decoding: try FlowFileText.read(path), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line -> String in
                for word in ["flow", "open"] where "\(line) ".hasPrefix("\(word) \(name) ") {
                    return "\(word) \(name)-file" + line.dropFirst(word.count + 1 + name.count)
                }
                // The effect's argument has another name in the file; see `effects`.
                let show = "expect effect show state="
                return line.hasPrefix(show)
                    ? "expect effect show screen=" + line.dropFirst(show.count) : String(line)
            }
        let reader = ScenarioReader(
            Array(lines.joined(separator: "\n").utf8), file: path, flows: [try Self.file(name)])
        #expect(reader.errors == [])
        #expect(!reader.scenarios.isEmpty)
        for scenario in reader.scenarios {
            #expect(ScenarioRun(scenario).failure == nil, "\(scenario.title)")
        }
    }

    @Test(arguments: Self.names)
    func `lint reports the same for a file and its Swift flow`(_ name: String) throws {
        let (file, twin) = (try Self.file(name), try #require(Self.twins[name]))
        // Only the file of the quiz has more situations than lint searches.
        let moves = name == "quiz" ? 20_000 : SearchLimit.lintMoves.maximum
        let findings = Lint(file, moves: moves).findings
        #expect(findings.filter { !$0.isIncomplete } == Lint(twin).findings)
        #expect(findings.contains { $0.isIncomplete } == (name == "quiz"))
    }

    /// Only a file declares the limits of a field; a Swift flow checks them in its validators.
    private static func withoutLimits(_ fields: [Field]) -> [Field] {
        fields.map {
            Field($0.name, type: $0.type, values: $0.values, isOptional: $0.isOptional)
        }
    }

    private static func file(_ name: String) throws -> AnyFlow {
        try FlowFile(path: exampleFile("\(name).yaml")).flow
    }

    private static func pair(_ name: String, hasOtherSettings: Bool) throws
        -> (file: PlayedFlow, twin: PlayedFlow)
    {
        let settings = hasOtherSettings ? try #require(otherSettings[name]) : []
        let twin = try #require(twins[name]).with(settings: settings)
        return (PlayedFlow(try file(name).with(settings: settings)), PlayedFlow(twin))
    }

    /// The machine after a restart with a downtime.
    private static func restored(_ played: PlayedFlow) throws -> PlayedFlow {
        let next = PlayedFlow(played.flow)
        var timers: [RestoredTimer] = []
        let downtime = Downtime(lastAlive: .zero + .milliseconds(300))
        try next.machine.restore(played.machine.snapshot, after: downtime, adding: &timers)
        RestoredTimer.set(timers, on: next.clock.timerQueue, queueIsEmpty: true)
        next.clock.advance(by: .zero)
        return next
    }

    private static func isSame(_ a: PlayedFlow, _ b: PlayedFlow) -> Bool {
        a.machine.place == b.machine.place && a.machine.accepts == b.machine.accepts
            && a.machine.snapshot == b.machine.snapshot && a.timers == b.timers
            && a.steps.count == b.steps.count
            && effects(a) == effects(b) && a.steps.last?.isBeat == b.steps.last?.isBeat
            && a.steps.last?.kind == b.steps.last?.kind && a.refusals == b.refusals
    }

    /// Returns the last step's effects. A file cannot name an argument `state`, so `show` has a `screen` there; every other
    /// effect must be equal.
    private static func effects(_ played: PlayedFlow) -> [EffectRecord] {
        guard played.flow.name == "registration" else { return played.effects }
        return played.effects.map { effect in
            EffectRecord(
                name: effect.name,
                arguments: effect.arguments.map { Member("screen", $0.value) })
        }
    }

    /// Returns random arguments for an event. Most have the types and limits that the event requires.
    private static func arguments(_ event: AnyFlow.Event, _ random: inout SeededRandom) -> [Member]
    {
        var members = event.parameters.map { field -> Member in
            let value: Value =
                switch field.type {
                case "integer": .int(random.pick([1, 1, 2, 3, 5, 6, 0, -1, 1_000_001]))
                case "boolean": .bool(random.below(2) == 0)
                case _ where !field.values.isEmpty:
                    .string(random.pick(field.values + ["nowhere"]))
                case _ where field.name == "cmMac":
                    .string(random.pick(["00:1A:2B:3C:4D:5E", "00-1a-2b-3c-4d-5e", "00-1a:2b"]))
                default:
                    .string(
                        random.pick([
                            "ann", "bob", "x", "", "app://home", "app://a b",
                            String(repeating: "y", count: 33),
                        ]))
                }
            return Member(
                field.name,
                random.below(20) == 0
                    ? random.pick([.null, .int(1), .string("z"), .array([])]) : value)
        }
        if random.below(20) == 0 { members.append(Member("extra", 1)) }
        if random.below(20) == 0, !members.isEmpty { members.removeFirst() }
        return members
    }
}
