import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import Sessions

@Suite struct SessionTableTests {
    @Test(arguments: seeds(20, long: 400))
    func `a table finds what a dictionary finds after random insertions and removals`(
        _ seed: UInt64
    ) {
        var random = SeededRandom(seed)
        let flow = AnyFlow(Game())
        let sessions = Sessions([flow], on: VirtualClock())
        let names = (0..<60).compactMap { SessionName("room-\($0)") }
        var (table, dictionary) = (SessionTable(), [SessionName: Session]())
        for step in 0..<600 {
            let name = names[random.below(names.count)]
            if dictionary[name] != nil {
                let isRemoved = table.remove(name)
                #expect(isRemoved, "seed \(seed), step \(step)")
                dictionary[name] = nil
            } else if random.below(4) > 0 {
                let session = Session(name, flow, in: sessions)
                table.insert(session)
                dictionary[name] = session
            } else {
                let isRemoved = table.remove(name)
                #expect(!isRemoved, "seed \(seed), step \(step)")
            }
            let isSame = names.allSatisfy { table.find($0) === dictionary[$0] }
            guard isSame, table.count == dictionary.count else {
                Issue.record("differs at step \(step), seed \(seed)")
                return
            }
        }
        let rebuilt = SessionTable(Array(dictionary.values))
        #expect(names.allSatisfy { rebuilt.find($0) === dictionary[$0] }, "seed \(seed)")
    }
}
