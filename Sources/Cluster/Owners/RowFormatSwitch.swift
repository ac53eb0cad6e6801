import JSONCoding
import Journal
import Parts
import PostgresStore
import RPC
import Sessions

/// The format of rows that the nodes write, and the switch to the newest one, which is possible when every node reads it.
struct RowFormatSwitch {
    /// The format in which the nodes write rows, as the lease table named it last.
    private(set) var format: RowFormat
    /// The names of the nodes that prevent the switch.
    private(set) var olderNodes: [String] = []
    /// Whether it was logged that the switch is possible.
    private var isReported = false

    init(_ format: RowFormat) { self.format = format }

    /// Takes the format from the lease table. Returns it if it has changed. Logs once that a switch is possible, and that it was
    /// made.
    mutating func read(_ snapshot: LeaseTable.Snapshot) -> RowFormat? {
        let next = StoreCodec.format(of: snapshot.codec)
        let hasChanged = format != next
        if hasChanged {
            Log.write(
                .info, .shard, "the store was switched: rows are written in format \(next.rawValue)"
            )
        }
        format = next
        olderNodes = snapshot.nodesWithOlderCodec
        if snapshot.codec < StoreCodec.newest, olderNodes.isEmpty, !isReported {
            isReported = true
            Log.write(
                .info, .shard,
                "every node reads the newest format of rows: `gamectl nodes switch` lets the nodes write it"
            )
        }
        return hasChanged ? next : nil
    }

    /// The error of a switch that failed.
    func error(of failure: LeaseTable.SwitchError) -> RequestError {
        switch failure {
        case .olderNodes:
            .storage(
                why:
                    "these nodes do not read the newest format of rows, and are live or were so in the "
                    + "last 10 minutes: \(olderNodes.joined(separator: ", "))", outcome: .undone)
        case .failed(let why): .storage(why: why, outcome: .unknown)
        }
    }
}
