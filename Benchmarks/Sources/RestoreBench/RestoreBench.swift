import GameFlow
import Glibc
import Journal
import Keeping
import Sessions
import ShippedFlows
import Timers

/// Makes a state directory in which N sessions of the game each have a timer, and a real clock that stood
/// still some time in the future when the last one was opened: none of the timers is due when they are
/// taken up again.
@main struct RestoreBench {
    /// Writes rows at once; big batches take few transactions.
    final class FileStore: MemoryStore {
        let file: JournalFile
        init(_ directory: String) throws {
            file = try JournalFile(directory)
            try file.note("clock", "real")
            try file.note("instance", "0")
        }
        override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
            do {
                try file.append(batch)
                done(.kept)
            } catch { done(.lost(why: error.description)) }
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let count = Int(arguments[2]) else {
            print("usage: RestoreBench DIRECTORY N")
            exit(2)
        }
        let start = Instant(nanoseconds: Int64(time(nil) + 3600) * 1_000_000_000)
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock(startingAt: start))
        let store = try FileStore(arguments[1])
        let keeper = Keeper(sessions, in: store)
        keeper.told = { _, why in fatalError(why) }
        let (game, me) = (try sessions.flow("game"), Source(.program))
        sessions.recordStart([], lastSign: start)
        for number in 0..<count {
            let name = SessionName("room-\(number)")!  // of the characters that a name may have
            _ = try sessions.open(name, game, state: "help", RequestContext(from: me))
            if number % 20_000 == 0 { keeper.flush() }
        }
        keeper.flush()
        try store.file.checkpoint()
    }
}
