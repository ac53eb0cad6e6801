import Durability
import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import ShippedFlows
import Timers

/// `RestoreBench DIRECTORY N` writes a journal of N sessions of the game, each with a timer, into an existing directory. The
/// recorded times are one hour ahead of the real clock, so that no timer is due after the restart.
///
/// `RestoreBench DIRECTORY restore` restores these sessions as a daemon does. It prints the seconds of the whole restore, and
/// the seconds of its three parts: reading the rows, sorting the newest rows, restoring the sessions. Then it prints the number
/// of sessions, and the number of sessions that could not be restored.
@main struct RestoreBench {
    /// Writes rows synchronously, in few large transactions.
    final class FileStore: MemoryStore {
        let file: JournalFile
        init(_ directory: String) throws {
            file = try JournalFile(directory)
            try file.setNote("clock", "real")
            try file.setNote("instance", "0")
        }
        override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
            do {
                try file.append(batch)
                done(.durable)
            } catch { done(.lost(why: error.description)) }
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[2] == "restore" { return try restore(arguments[1]) }
        guard arguments.count == 3, let count = Int(arguments[2]) else {
            print("usage: RestoreBench DIRECTORY N|restore")
            exit(2)
        }
        let start = Instant(nanoseconds: Int64(time(nil) + 3600) * 1_000_000_000)
        let sessions = Sessions(
            [any Flow].shipped.map { $0.anyFlow }, on: VirtualClock(startingAt: start))
        let store = try FileStore(arguments[1])
        let groupCommit = GroupCommit(sessions, in: store)
        let failureHandler = StorageFailureHandler()
        groupCommit.delegate = failureHandler
        let (game, source) = (try sessions.flow("game"), Source(.program))
        sessions.recordStart([], lastAlive: start)
        for number in 0..<count {
            let name = SessionName("room-\(number)")!  // a valid name
            _ = try sessions.open(name, game, state: "help", RequestContext(from: source))
            if number % 20_000 == 0 { groupCommit.flush() }
        }
        groupCommit.flush()
        // As the daemon's writer does.
        try store.file.updateIndex()
        try store.file.checkpoint()
    }

    private static func restore(_ directory: String) throws {
        let clock = ContinuousClock()
        let start = clock.now
        let file = try JournalFile(directory)
        var reading = JournalReading(prunedUpTo: try file.prunedUpTo(), answerLimit: Limits().ids)
        try file.rows { row in
            reading.add(row)
            return true
        }
        let readEnd = clock.now
        let latestTime = reading.latestTime
        let content = (consume reading).content()
        let sortEnd = clock.now
        let sessions = Sessions(
            [any Flow].shipped.map { $0.anyFlow }, on: VirtualClock(startingAt: latestTime))
        // As a start of the daemon; the other sessions are decoded later.
        let quarantined = sessions.restore(content, lastAlive: latestTime, decoding: 2000)
        let end = clock.now
        func seconds(_ duration: Swift.Duration) -> String {
            let hundredths = Int(duration / .milliseconds(10))
            let fraction = hundredths % 100
            return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
        }
        print(
            seconds(end - start), seconds(readEnd - start), seconds(sortEnd - readEnd),
            seconds(end - sortEnd), sessions.count, quarantined.count)
        let decodingStart = clock.now
        while sessions.unreadCount > 0 { sessions.decodeNext(50) }
        print("decoded later in", seconds(clock.now - decodingStart))
        // The deallocation of the sessions is not measured.
        fflush(nil)
        exit(0)
    }
}

/// Ends the program when the storage fails.
private final class StorageFailureHandler: GroupCommitDelegate {
    func holdTimers(_ isHeld: Bool) {}
    func retry(_ work: @escaping () -> Void) {}
    func report(storageWorks: Bool, _ sentence: String) { fatalError(sentence) }
    func storageIsBack(undone: [Sessions.UndoneOpening]) {}
}
