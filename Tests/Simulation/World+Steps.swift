import Durability
import GameFlow
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// A step of a run: something goes wrong, or goes on.
extension World {
    func step() throws(InvariantViolation) {
        counts["steps"] += 1
        if random.below(1000) < weather.crashes { return try crash() }
        if random.below(1000) < weather.faults { spoilDisk() }
        switch random.below(1000) {
        case ..<weather.diligence: try work()
        case ..<(weather.diligence + weather.attention): try listen()
        case ..<(weather.diligence + weather.attention + 60): try pass()
        default: try ask()
        }
    }

    func spoilDisk() {
        shelf.fault = random.pick(SimulatedStore.Fault.allCases)
        shelf.stubbornness = random.below(3) == 0 ? random.below(4) : 0
    }

    func work() throws(InvariantViolation) {
        if let happened = shelf.work() { counts[happened] += 1 }
        life.settle()
        if random.below(2) == 0 { life.retry() }
        try endTurn()
    }

    func pass() throws(InvariantViolation) {
        let ms = Int64(random.pick([1, 40, 1000, 3000, 12_000, 61_000]))
        wall = wall + .milliseconds(ms)
        guard let clock = life.clock else { return }
        clock.pass(Duration.nanoseconds(ms * 1_000_000 + Int64(random.below(3_000_000))))
        clock.settle()
        try endTurn()
        if random.below(3) == 0, life.keeper.sessions.outage == nil { lastAlive = clock.now }
    }

    func endTurn() throws(InvariantViolation) {
        try outputs?.endTurn(shelf.books)
        life.endTurn()
    }

    func ask() throws(InvariantViolation) {
        let client = random.pick(clients)
        guard client.connection != nil else { return }
        // Time comes before requests.
        life.settle()
        var buffer = LineBuffer()
        let line = line(client)
        (line + [0x0A]).withUnsafeBytes { buffer.append($0) }
        while let line = buffer.next() { client.send(line, to: life.conversation) }
        counts["requests"] += 1
        // Several requests may come in one turn.
        if random.below(2) == 0 { try endTurn() }
    }

    func line(_ client: Client) -> [UInt8] {
        let books = shelf.books
        script.isSure = !shelf.isBroken
        if !client.doubtful.isEmpty, random.below(2) == 0 {
            let question = script.again(client.doubtful.removeFirst(), books)
            witness.asked(question)
            client.await(.one(question))
            return question.json
        }
        if random.below(12) == 0 {
            let questions = (0..<2 + random.below(2)).map { _ in
                script.question(life.sessions, books, &random)
            }
            for question in questions { witness.asked(question) }
            client.await(.batch(questions))
            return Array("[".utf8) + questions.map(\.json).joined(separator: [0x2C])
                + Array("]".utf8)
        }
        let question = script.question(life.sessions, books, &random)
        witness.asked(question)
        if question.method == "status", random.below(2) == 0 {
            client.await(.text(question))
            return Array("status session=\(question.session)".utf8)
        }
        client.await(.one(question))
        return question.json
    }
}
