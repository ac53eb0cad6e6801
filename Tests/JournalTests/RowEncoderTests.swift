import GameFlow
import Journal
import Sessions
import TestSupport
import Testing
import Timers

/// Encodes many rows with one encoder, which remembers the bytes of steps.
@Suite struct RowEncoderTests {
    private static let names = [
        "lobby", "playing", "", "a state with a name of more than 63 bytes, and with é and 🎲 in it",
    ]

    /// Objects that the steps of a flow share.
    private let states = names.map { StateRecord($0) }
    private let events = names.map { EventRecord($0) }
    private let sources = [Source.program, .timer]
    private let effects = [[EffectRecord(name: "lobby")], [EffectRecord(name: "door")], []]

    /// A step of shared objects; sometimes an object of its own with the same content, an effect with arguments, or missed beats.
    private func step(_ random: inout SeededRandom) -> Step {
        let from = states[random.below(4)]
        return Step(
            random.below(2) == 0 ? .enter : .keep,
            random.below(5) == 0 ? EventRecord("lobby") : events[random.below(4)],
            from: sources[random.below(2)], from,
            random.below(5) == 0 ? StateRecord("lobby", [Member("n", 1)]) : states[random.below(4)],
            effects: random.below(5) == 0
                ? [EffectRecord(name: "door", arguments: [Member("n", 2)])]
                : effects[random.below(3)],
            missed: random.below(5) == 0 ? 3 : 0)
    }

    @Test(arguments: seeds(20, long: 500))
    func `an encoder of many rows writes the bytes that a new encoder writes`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed)
        let encoder = RowEncoder()
        for number in 1...400 {
            let change = Change(
                .main, seq: number, pos: number, entry: 1, previous: 0, at: .zero, step(&random),
                view: nil)
            // The state at the front of a row, and the flow's name, come before the step. The timers come after it.
            let place = random.below(3) == 0 ? states[random.below(4)] : change.step.to
            let timer = TimerRecord(
                fires: Self.names[random.below(4)], total: .seconds(1),
                state: .running(until: .zero), order: 1)
            let status = SessionRecord.Status(
                change, flow: Self.names[random.below(4)],
                sourceVersion: random.below(2) == 0 ? "playing" : nil, openedAt: .zero,
                machine: MachineRecord(place: place!, timers: [timer], waiting: []))
            let record = SessionRecord(status, position: number)
            let format: RowFormat = random.below(4) == 0 ? .second : .third
            let row = encoder.row(record, at: number, after: .start, in: format)
            let fresh = JournalRow(record, at: number, after: .start, in: format)
            try #require(row == fresh, "seed \(seed), row \(number)")
            #expect(try row.record().change?.step.to == change.step.to)
        }
    }

    @Test func `a row says which text of an effect could not be computed`() throws {
        let effect = EffectRecord(
            name: "play", arguments: [Member("sound", .null), Member("volume", 80)])
        let step = Step(
            .keep, events[0], from: .timer, states[0], states[0], effects: [effect])
        let change = Change(
            .main, seq: 1, pos: 1, entry: 1, previous: 0, at: .zero, step, view: nil)
        let status = SessionRecord.Status(
            change, flow: "f", sourceVersion: nil, openedAt: .zero,
            machine: MachineRecord(place: states[0], timers: [], waiting: []))
        let record = SessionRecord(status, position: 1)
        let row = RowEncoder().row(record, at: 1, after: .start, in: .third)
        let effects = try row.record().change?.step.effects
        #expect(effects == [effect])
        #expect(effects?.map(\.unshown) == [["sound"]])
    }
}
