import Durability
import EventLoop
import Glibc
import Journal
import PostgresStore
import Sessions
import Timers

/// The journal in a PostgreSQL database: acquired, and read completely.
struct AcquiredJournal: RestoredJournal {
    let written: Sessions.Written
    let lastAlive: Instant?
    let times: RowTimes
    let instance: String
    let rows: Int
    let holdsPruning: Bool
    let scratch: String
    let place: String
    let clockOffset: Duration
    let lease: LeaseKeeper?
    fileprivate let postgres: PostgresStore

    func store(on loop: LibeventLoop) throws(EventLoopError) -> any Store { postgres }
}

/// Connects to a database, waits as a standby while another node owns the sessions, and reads the
/// rows. It runs the event loop meanwhile, so that the lease is renewed while many rows are read.
final class PostgresJournalStart {
    private let loop: LibeventLoop
    private let store: PostgresStore
    private let lease: LeaseKeeper
    private let options: Options
    private var signals: [SignalHandle] = []
    private var result: Result<Reading, any Error>?

    /// The daemon was told to end before it was the owner.
    struct EndedError: Error {}

    /// What was read.
    private struct Reading {
        var journal: JournalReading
        let notes: StoreNotes
    }

    /// `standby` is called with a sentence when the node begins to wait.
    init(
        _ location: PostgresLocation, _ options: Options, on loop: LibeventLoop,
        standby: @escaping (String) -> Void
    ) throws {
        (self.loop, self.options) = (loop, options)
        let owner = Self.newIdentity()
        store = PostgresStore(
            location, owner: owner, acceptsWeak: options.acceptsWeakStore, hold: options.hold,
            on: loop)
        let table = LeaseTable(
            location, owner: owner, name: options.node, lease: .seconds(3),
            acceptsWeak: options.acceptsWeakStore, on: loop)
        lease = LeaseKeeper(table, store, on: loop)
        lease.waiting = { owner in
            let sentence = "standby: node \(owner) owns the sessions"
            Log.write(.info, sentence)
            standby(sentence)
        }
        lease.disconnected = { why in
            Log.write(.warning, "no connection to the store yet: \(why)")
            standby("no connection to the store yet")
        }
        lease.obstacle = { [unowned self] in end(.failure(ListenerError(why: "the store: \($0)"))) }
        lease.lost = { [unowned self] in
            end(.failure(ListenerError(why: "another node has acquired the store")))
        }
        lease.gained = { [unowned self] in readNotes() }
        signals = try [SIGTERM, SIGINT].map { [unowned self] number in
            try SignalHandle(number, on: loop) { [unowned self] in end(.failure(EndedError())) }
        }
    }

    /// A name that is unique to this process, whatever the node is called.
    private static func newIdentity() -> String {
        let number = UInt64.random(in: .min ... .max)
        return "\(getpid())-\(String(number, radix: 16))"
    }

    /// Returns when this process owns the sessions and has read the rows. Throws if that is
    /// impossible, or `EndedError`.
    func run(answers: Int, newInstance: String) throws -> AcquiredJournal {
        answerLimit = answers
        lease.start()
        while result == nil { loop.run() }
        signals = []
        (lease.gained, lease.lost) = ({}, {})
        (lease.obstacle, lease.disconnected, lease.waiting) = ({ _ in }, { _ in }, { _ in })
        let reading = try result?.get()
        guard let reading else { throw EndedError() }
        return try journal(reading, newInstance)
    }

    private var answerLimit = 0

    private func end(_ result: Result<Reading, any Error>) {
        if self.result == nil { self.result = result }
        loop.stop()
    }

    // MARK: reading

    private func readNotes() {
        store.notes { [unowned self] result in
            switch result {
            case .failure(let error): end(.failure(error))
            case .success(let notes):
                let journal = JournalReading(pruned: notes.pruned, answers: answerLimit)
                readRows(Reading(journal: journal, notes: notes), after: 0)
            }
        }
    }

    private static let rowsPerStep = 1000

    private func readRows(_ reading: Reading, after position: Int) {
        store.walk(after: position, limit: Self.rowsPerStep) { [unowned self] result in
            var reading = reading
            switch result {
            case .failure(let error): end(.failure(error))
            case .success(let rows):
                guard let last = rows.last else { return end(.success(reading)) }
                for row in rows { reading.journal.take(row) }
                // A row whose position is damaged must not lead back.
                readRows(reading, after: max(position + 1, last.position))
            }
        }
    }

    /// Checks what was read, and notes which daemon continues.
    private func journal(_ reading: Reading, _ newInstance: String) throws -> AcquiredJournal {
        let (scan, notes) = (reading.journal.scan, reading.notes)
        let loss = StateDirectory.loss(scan, notes.mark, notes.pruned)
        if let loss { try StateDirectory.accept(loss, options.acceptsLoss) }
        let old = scan.count == 0 || loss != nil ? nil : notes.facts["instance"]
        if old == nil { try note("instance", newInstance) }
        if notes.facts["clock"] == nil { try note("clock", "real") }
        let lastMark = Instant(nanoseconds: notes.mark?.atNs ?? 0)
        let lastRow = reading.journal.lastRow
        return AcquiredJournal(
            written: reading.journal.written(),
            lastAlive: scan.count == 0 ? nil : max(lastRow, lastMark),
            times: reading.journal.times,
            instance: old ?? newInstance, rows: scan.count,
            holdsPruning: notes.facts[StateDirectory.heldNote] != nil,
            scratch: try Self.makeScratch(), place: "the database",
            clockOffset: lease.skew ?? .zero, lease: lease, postgres: store)
    }

    private func note(_ name: String, _ value: String) throws {
        var outcome: Result<Void, StoreError>?
        store.note(name, value) { [loop] in
            outcome = $0
            loop.stop()
        }
        while outcome == nil { loop.run() }
        try outcome?.get()
    }

    /// A directory of this process's own. Wraps mkdtemp(3).
    private static func makeScratch() throws -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/gamed-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else {
            throw ListenerError(
                why: "cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
        }
        return path
    }
}
