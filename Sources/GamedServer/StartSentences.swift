import Journal
import Parts
import PostgresStore
import Shards
import Support

/// What the log of the program gamed, and the error of an embedded daemon, say if the daemon cannot start.
enum StartSentences {
    /// The sentences about an error. Each sentence is a line of the log. `options` are those with which the daemon started; nil if
    /// they could not be read.
    static func lines(_ error: any Error, _ options: Options?) -> [String] {
        let directory = options?.store.stateDirectory
        return switch error {
        case let error as PostgresError: ["the store: \(error.why)"]
        case let error as StateDirectoryError:
            ["the state directory \(directory ?? ""): \(error.why)"]
        case let error as StoreError:
            ["the journal in \(directory ?? "the database"): \(error.why)"]
                + remedies(error, directory)
        case let error as any DescribedError: error.lines
        default: ["could not start: \(error)"]
        }
    }

    /// What an operator can do about a damaged journal.
    private static func remedies(_ error: StoreError, _ directory: String?) -> [String] {
        guard error.kind == .damaged, let directory else { return [] }
        return [
            "the newest backup can take its place: `gamectl restore FILE \(directory)`, which keeps the damaged "
                + "files; `gamectl journal export \(directory)` writes the rows that can be read"
        ]
    }
}
