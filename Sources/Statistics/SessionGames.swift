import GameFlow
import Support
import Timers

/// A game that ended.
struct PlayedGame {
    /// The number of the change that ended the game.
    let seq: Int
    /// When the game ended.
    let at: Instant
    /// The state in which the game ended.
    let state: String
    /// The total time of the visits that count.
    let time: Duration
    /// The team or player that the data name; nil if they name none.
    var player: String?
    /// The data by which games can be ordered.
    var data: [Datum] = []

    /// A datum of the state in which the game ended: a number, or a number for each of several names.
    struct Datum {
        let name: String
        let content: Content

        enum Content {
            case number(Int)
            /// The largest number is first.
            case tally([TallyEntry])
        }
    }

    struct TallyEntry {
        let name: String
        let value: Int
    }

    /// The approximate size in bytes.
    var bytes: Int {
        var bytes = 120 + (player?.utf8.count ?? 0)
        for datum in data {
            bytes += 64
            guard case .tally(let entries) = datum.content else { continue }
            for entry in entries { bytes += 24 + Self.heapBytes(of: entry.name) }
        }
        return bytes
    }

    /// The size of the memory that a text needs besides the text's value: short texts need none.
    static func heapBytes(of text: String) -> Int {
        text.utf8.count > 15 ? text.utf8.count + 32 : 0
    }

    /// Sets the player and the data from the visible data of the state. Keeps at most `limit` entries of each tally.
    mutating func setData(_ members: [Member], keeping limit: Int) {
        player = Leaderboard.playerData.lazy.compactMap { members[$0]?.text }.first
        data = members.compactMap { member in
            switch member.value {
            case .int(let number): return Datum(name: member.name, content: .number(number))
            case .object(let members):
                let entries = members.compactMap { entry in
                    if case .int(let number) = entry.value {
                        TallyEntry(name: entry.name, value: number)
                    } else {
                        nil
                    }
                }
                let sorted = entries.sorted { ($1.value, $0.name) < ($0.value, $1.name) }
                return Datum(name: member.name, content: .tally(Array(sorted.prefix(limit))))
            default: return nil
            }
        }
    }
}

/// The games of one session. A session can play as long as the daemon exists. So only the newest games are kept as a whole. Of
/// the older games, only the best rows are kept for each order: no question shows more.
struct SessionGames {
    /// A row of an older game.
    struct BestRow {
        let seq: Int
        let at: Instant
        let state: String
        /// The name in the tally, or the player that the game's data name.
        let name: String?
        let value: Int
    }

    /// The rows of older games in one order, best first.
    private struct BestRows {
        let order: Leaderboard.Order
        /// Whether the names of the rows are those of a tally. The team of the session does not replace such a name.
        let isTally: Bool
        var rows: [BestRow] = []
    }

    /// The newest games, oldest first.
    private(set) var recent: [PlayedGame] = []
    private var best: [BestRows] = []
    /// The `seq` of the newest older game; 0 without an older game.
    private var olderSeq = 0
    /// The approximate size in bytes.
    private(set) var bytes = 0

    /// The number of newest games that are kept as a whole. An `undo` removes games, but not more than this: a session can undo
    /// at most 100 steps.
    private static let recentLimit = 100
    private static let rowBytes = 72

    var isEmpty: Bool { recent.isEmpty && best.isEmpty }
    /// The number of the change that ended the newest game; 0 without a game.
    var newestSeq: Int { recent.last?.seq ?? olderSeq }

    /// Adds a game. Keeps at most `limit` rows of the older games.
    mutating func add(_ game: PlayedGame, keeping limit: Int) {
        recent.append(game)
        bytes += game.bytes
        // Many games at a time become older ones, because then fewer rows are compared.
        guard recent.count >= 2 * Self.recentLimit else { return }
        let older = recent.prefix(recent.count - Self.recentLimit)
        for game in older {
            bytes -= game.bytes
            insertRows(of: game)
        }
        olderSeq = older.last?.seq ?? olderSeq
        recent.removeFirst(older.count)
        for index in best.indices { shorten(index, to: limit) }
    }

    private mutating func insertRows(of game: PlayedGame) {
        insert(.time, isTally: false, game, game.player, Int(game.time.milliseconds))
        for datum in game.data {
            switch datum.content {
            case .number(let number):
                insert(.datum(datum.name), isTally: false, game, game.player, number)
            case .tally(let entries):
                for entry in entries {
                    insert(.datum(datum.name), isTally: true, game, entry.name, entry.value)
                }
            }
        }
    }

    private mutating func insert(
        _ order: Leaderboard.Order, isTally: Bool, _ game: PlayedGame, _ name: String?, _ value: Int
    ) {
        var index = best.firstIndex { $0.order == order && $0.isTally == isTally }
        if index == nil {
            best.append(BestRows(order: order, isTally: isTally))
            index = best.count - 1
        }
        best[index!].rows.append(
            BestRow(seq: game.seq, at: game.at, state: game.state, name: name, value: value))
        bytes += Self.bytes(of: name)
    }

    private static func bytes(of name: String?) -> Int {
        rowBytes + (name.map(PlayedGame.heapBytes) ?? 0)
    }

    /// Sorts the rows of one order, and keeps the best `limit` rows.
    private mutating func shorten(_ index: Int, to limit: Int) {
        let isTime = best[index].order == .time
        best[index].rows.sort { one, other in
            if one.value != other.value { return (one.value < other.value) == isTime }
            return (one.at, one.name ?? "") < (other.at, other.name ?? "")
        }
        for row in best[index].rows.dropFirst(limit) { bytes -= Self.bytes(of: row.name) }
        best[index].rows = Array(best[index].rows.prefix(limit))
    }

    /// Replaces the data of the newest game.
    mutating func setData(ofNewestGame members: [Member], keeping limit: Int) {
        guard !recent.isEmpty else { return }
        bytes -= recent[recent.count - 1].bytes
        recent[recent.count - 1].setData(members, keeping: limit)
        bytes += recent[recent.count - 1].bytes
    }

    /// Removes the games that ended with the change `seq` or a later one: their ends were undone.
    mutating func removeGames(from seq: Int) {
        while let last = recent.last, last.seq >= seq {
            bytes -= last.bytes
            recent.removeLast()
        }
        guard recent.isEmpty, olderSeq >= seq else { return }
        for index in best.indices {
            for row in best[index].rows where row.seq >= seq { bytes -= Self.bytes(of: row.name) }
            best[index].rows.removeAll { $0.seq >= seq }
        }
        best.removeAll { $0.rows.isEmpty }
        olderSeq = seq - 1
    }

    /// Calls `body` with the rows in an order: the rows of each newer game and those of all older games, each list best first.
    /// `body` returns false if it needs no more rows of the list.
    func forEachRow(
        in order: Leaderboard.Order, _ body: (_ row: BestRow, _ isTally: Bool) -> Bool
    ) {
        for list in best where list.order == order {
            for row in list.rows { guard body(row, list.isTally) else { break } }
        }
        for game in recent {
            func row(_ name: String?, _ value: Int) -> BestRow {
                BestRow(seq: game.seq, at: game.at, state: game.state, name: name, value: value)
            }
            guard case .datum(let name) = order else {
                _ = body(row(game.player, Int(game.time.milliseconds)), false)
                continue
            }
            switch game.data.first(where: { $0.name == name })?.content {
            case .number(let number)?: _ = body(row(game.player, number), false)
            case .tally(let entries)?:
                for entry in entries {
                    guard body(row(entry.name, entry.value), true) else { break }
                }
            case nil: break
            }
        }
    }
}
