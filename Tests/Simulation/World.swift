import GameFlow
import JSON
import Journal
import Keeping
import Sessions
import Support
import Timers
import Wire

/// Clients, a daemon and a disk on which everything goes wrong, all from one seed; and whoever looks whether
/// the promises hold.
public final class World {
    private var random: SeededRandom
    private let weather: Weather
    private let flows: [AnyFlow]
    private let mistake: Mistake
    private let shelf: Shelf
    private let witness: Witness
    private var life: Life!
    private let clients: [Client]
    private var script: Script
    private var wall = Instant(nanoseconds: 1_700_000_000_000_000_000)
    /// The last sign of life that the daemon left.
    private var lastSign: Instant?
    public private(set) var counts = Counts()

    public init(seed: UInt64, _ mistake: Mistake = .none) {
        random = SeededRandom(seed)
        weather = Weather(&random)
        flows = AnyFlow.shipped() + [AnyFlow(Lamp())]
        self.mistake = mistake
        shelf = Shelf(mistake)
        witness = Witness(shelf)
        clients = (1...weather.clients).map { Client($0) }
        script = Script(flows, weather)
        if weather.isVirtual { wall = .zero }
    }

    /// A whole run: all goes wrong for a while, then nothing does any more, and everything must be right.
    public func run() throws(Broken) {
        try begin()
        for _ in 0..<weather.steps { try step() }
        try calmDown()
        try check()
        try damage()
        counts.add(witness.counts)
        counts["seeds"] += 1
        counts["rows"] += shelf.rows.count
        life.end()
    }

    /// What is on the disk, a line a row.
    public var journal: [String] {
        shelf.rows.map { row in
            "\(row.position) \(row.kind) \(row.session) #\(row.seq) at \(row.atNs): "
                + String(decoding: row.body, as: UTF8.self)
        }
    }

    // MARK: steps

    private func step() throws(Broken) {
        counts["steps"] += 1
        if random.below(1000) < weather.crashes { return try crash() }
        if random.below(1000) < weather.faults { spoilDisk() }
        switch random.below(1000) {
        case ..<weather.diligence: work()
        case ..<(weather.diligence + weather.attention): try listen()
        case ..<(weather.diligence + weather.attention + 60): pass()
        default: try ask()
        }
    }

    private func spoilDisk() {
        shelf.fault = random.pick(Shelf.Fault.allCases)
        shelf.stubbornness = random.below(3) == 0 ? random.below(4) : 0
    }

    private func work() {
        if let happened = shelf.work() { counts[happened] += 1 }
        life.settle()
        if random.below(2) == 0 { life.retry() }
        endTurn()
    }

    private func pass() {
        let ms = Int64(random.pick([1, 40, 1000, 3000, 12_000, 61_000]))
        wall = wall + .milliseconds(ms)
        guard let clock = life.clock else { return }
        clock.pass(Interval(nanoseconds: ms * 1_000_000 + Int64(random.below(3_000_000))))
        clock.settle()
        endTurn()
        if random.below(3) == 0, life.keeper.sessions.outage == nil { lastSign = clock.time.now }
    }

    private func endTurn() { life.endTurn() }

    private func ask() throws(Broken) {
        let client = random.pick(clients)
        guard let connection = client.connection else { return }
        // Time comes before requests.
        life.settle()
        var buffer = LineBuffer()
        let line = line(client)
        (line + [0x0A]).withUnsafeBytes { buffer.append($0) }
        while let line = buffer.next() {
            connection.mailbox.fill(upTo: 65_536)
            life.conversation.answer(line, from: connection)
        }
        counts["requests"] += 1
        // Several requests may come in one turn.
        if random.below(2) == 0 { endTurn() }
    }

    private func line(_ client: Client) -> [UInt8] {
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

    // MARK: lives

    private func begin() throws(Broken) {
        life = try Life(shelf, flows, weather, wall: wall, lastSign: lastSign, mistake)
        life.settled = { [unowned self] outcome in
            for client in clients {
                guard let connection = client.connection else { continue }
                switch outcome {
                case .kept, .back: connection.mailbox.release()
                case .failed(let error): connection.mailbox.fail(error, connection)
                }
            }
        }
        for client in clients { client.connect(life.sessions) }
        endTurn()
    }

    /// The process is killed, or the power fails; a while later the daemon is started again.
    private func crash() throws(Broken) {
        counts["crashes"] += 1
        let now = life.timeline.now
        if random.below(4) == 0 { try listen() }
        for client in clients { client.disconnect() }
        life.end()
        shelf.crash(&random)
        let last = shelf.rows.last.map { Instant(nanoseconds: $0.atNs) }
        lastSign = [last, lastSign].compactMap { $0 }.max()
        guard !weather.isVirtual else {
            lastSign = last
            return try begin()
        }
        wall = max(wall, now) + .milliseconds(Int64(random.below(Int(weather.longestDown) + 1)))
        if weather.setback > 0, random.below(3) == 0 {
            counts["clocks set back"] += 1
            wall = wall + .milliseconds(-Int64(random.below(Int(weather.setback))))
        }
        try begin()
        wall = max(wall, life.timeline.now)
    }

    // MARK: what clients hear

    private func listen() throws(Broken) {
        let client = random.pick(clients)
        for line in client.read(random.below(4) == 0 ? random.below(200) : .max) {
            try hear(line, client)
        }
    }

    private func hear(_ line: [UInt8], _ client: Client) throws(Broken) {
        if line.first == UInt8(ascii: "[") { return try hearBatch(line, client) }
        if line.first != UInt8(ascii: "{") { return try hearText(line, client) }
        let body = Books.read(line)
        if let method = body.text("method") {
            return try witness.notification(method, body.object("params") ?? [], client)
        }
        guard case .one(let question)? = client.answered() else {
            throw Broken("an answer nobody asked for")
        }
        try match(body, question)
        try witness.answer(body, to: question, client)
    }

    private func match(_ body: [Member], _ question: Question) throws(Broken) {
        try expect(
            body.number("id") == question.number,
            "the answer to \(body.number("id") ?? -1) comes where that to \(question.number) belongs"
        )
    }

    private func hearBatch(_ line: [UInt8], _ client: Client) throws(Broken) {
        guard case .batch(let questions)? = client.answered() else {
            throw Broken("a batch nobody asked for")
        }
        let bodies = Books.read(Array("{\"all\":".utf8) + line + Array("}".utf8)).list("all")
        try expect(
            bodies.count == questions.count,
            "\(bodies.count) answers to \(questions.count) requests: \(text(line))")
        for (body, question) in zip(bodies, questions) {
            try match(body, question)
            try witness.answer(body, to: question, client)
        }
    }

    private func hearText(_ line: [UInt8], _ client: Client) throws(Broken) {
        guard case .text(let question)? = client.answered() else {
            throw Broken("a text nobody asked for")
        }
        let text = String(decoding: line, as: UTF8.self)
        let body = Books.read(Array(text[(text.firstIndex(of: "{") ?? text.endIndex)...].utf8))
        guard text.hasPrefix("ERR ") else { return try witness.result(body, question, client) }
        let name = String(text.dropFirst(4).prefix { $0 != " " })
        try witness.refusal(
            [Member("message", name), Member("data", .object(body))], question, client)
    }

    // MARK: the end

    /// Nothing goes wrong any more: whatever was asked is answered, and what is in doubt is sent again.
    private func calmDown() throws(Broken) {
        (shelf.fault, shelf.stubbornness) = (nil, 0)
        for _ in 0..<50 {
            life.retry()
            life.settle()
            endTurn()
            while shelf.isBusy { _ = shelf.work() }
            for client in clients {
                for line in client.read(.max) { try hear(line, client) }
            }
            guard sendsAgain() || shelf.isBusy || life.sessions.uncommitted > 0 else { break }
        }
        for client in clients {
            try expect(
                client.awaited.isEmpty,
                "client \(client.number): \(client.awaited.count) requests are never answered: \(client.awaited[0])"
            )
            try expect(
                client.doubtful.isEmpty,
                "client \(client.number) never hears what became of its sends")
        }
        try expect(life.sessions.outage == nil, "the storage is out for ever")
    }

    private func sendsAgain() -> Bool {
        var sent = false
        for client in clients where !client.doubtful.isEmpty {
            guard let connection = client.connection else { continue }
            for doubtful in exchange(&client.doubtful, with: []) {
                let question = script.again(doubtful, shelf.books)
                witness.asked(question)
                client.await(.one(question))
                life.settle()
                connection.mailbox.fill(upTo: 65_536)
                life.conversation.answer(.line(question.json[...]), from: connection)
                sent = true
            }
            endTurn()
        }
        return sent
    }

    private func check() throws(Broken) {
        try RowLaws.check(shelf.rows, shelf.books)
        try TimerLaws.check(shelf.rows, end: life.timeline.now.nanoseconds)
        try witness.check()
        try replay()
        try comesBack()
    }

    /// All that was written comes about again, to the byte.
    private func replay() throws(Broken) {
        let replay = JournalReplay(flows)
        for row in shelf.rows {
            guard let difference = replay.take(row) else { continue }
            throw Broken(
                "the replay differs at row \(difference.position), \(difference.session): \(difference.why)\n\(text(difference.recorded))\n\(text(difference.derived))"
            )
        }
        if let difference = replay.finish() {
            throw Broken("the replay ends otherwise: \(text(difference.derived))")
        }
        counts["changes replayed"] += replay.changes
    }

    private func text(_ bytes: [UInt8]?) -> String {
        bytes.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    }

    /// What is on the disk is what is in memory.
    private func comesBack() throws(Broken) {
        let copy = restored(shelf.rows)
        defer { end(copy.sessions) }
        try expect(copy.quarantined.isEmpty, "it does not come back: \(copy.quarantined)")
        let (there, here) = (shown(copy.sessions), life.everything)
        for (a, b) in zip(there, here) where a != b {
            throw Broken("what comes back is not what was there:\n\(text(b))\n\(text(a))")
        }
        try expect(there.count == here.count, "\(there.count) sessions come back of \(here.count)")
    }

    private func restored(_ rows: [JournalRow]) -> (
        sessions: Sessions, quarantined: [Sessions.Quarantined]
    ) {
        let sessions = Sessions(flows, on: RecordedTime(startingAt: life.timeline.now))
        var reading = JournalReading(
            pruned: 0, answers: 65_536, believesAll: mistake == .checksumsSkipped)
        for row in rows { reading.take(row) }
        let quarantined = sessions.restore(
            reading.written(), lastSign: life.timeline.now, isMeanwhile: true)
        return (sessions, quarantined)
    }

    private func shown(_ sessions: Sessions) -> [[UInt8]] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            writer.session(session)
            return writer.bytes
        }
    }

    private func end(_ sessions: Sessions) {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }

    /// A bit of some row is turned round: that session alone is kept out, and all others come back.
    private func damage() throws(Broken) {
        guard
            let place = shelf.rows.indices.filter({ !shelf.rows[$0].session.isEmpty })
                .randomElement(using: &random)
        else { return }
        counts["bits turned"] += 1
        let row = shelf.rows[place]
        var body = row.body
        body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        var rows = shelf.rows
        rows[place] = JournalRow(
            restored: row.kind, row.position, row.session, row.seq, row.atNs, row.id, body,
            after: row.previous, checksum: row.checksum)
        let copy = restored(rows)
        defer { end(copy.sessions) }
        let isPresent =
            shelf.books.life(of: row.session).first.map { $0.row.position <= row.position } ?? false
        try expect(
            copy.quarantined.map(\.session.text) == (isPresent ? [row.session] : []),
            "a bit of \(row.session) was turned in row \(row.position), and kept out is \(copy.quarantined)"
        )
        let others = life.sessions.list(limit: .max - 1).sessions.filter {
            !isPresent || $0.name.text != row.session
        }
        try expect(
            copy.sessions.list(limit: .max - 1).sessions.map(\.name) == others.map(\.name),
            "others than \(row.session) are not there")
    }
}
