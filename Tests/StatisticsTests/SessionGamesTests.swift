import GameFlow
import TestSupport
import Testing
import Timers

@testable import Statistics

/// The games of one session: only the newest are kept as a whole.
@Suite struct SessionGamesTests {
    private static let rowLimit = 100

    private func game(_ number: Int, _ random: inout SeededRandom) -> PlayedGame {
        var game = PlayedGame(
            seq: 3 * number, at: .seconds(number), state: "won",
            time: .milliseconds(random.below(5000)))
        let tally = (0..<random.below(150)).map { Member("p\($0)", random.below(40)) }
        game.setData(
            [
                Member("score", random.below(1000)), Member("points", .object(tally)),
                Member("player", "n\(random.below(50))"),
            ], keeping: Self.rowLimit)
        return game
    }

    /// The best rows of the session in an order, as texts.
    private func best(_ games: SessionGames, _ order: Leaderboard.Order) -> [String] {
        var rows: [SessionGames.BestRow] = []
        games.forEachRow(in: order) { row, _ in
            rows.append(row)
            return true
        }
        return text(rows, order)
    }

    /// The best rows of games that are all kept.
    private func best(of games: [PlayedGame], _ order: Leaderboard.Order) -> [String] {
        var rows: [SessionGames.BestRow] = []
        for game in games {
            func add(_ name: String?, _ value: Int) {
                rows.append(
                    .init(seq: game.seq, at: game.at, state: game.state, name: name, value: value))
            }
            switch order {
            case .time: add(game.player, Int(game.time.milliseconds))
            case .datum(let name):
                switch game.data.first(where: { $0.name == name })?.content {
                case .number(let number)?: add(game.player, number)
                case .tally(let entries)?: for entry in entries { add(entry.name, entry.value) }
                case nil: break
                }
            }
        }
        return text(rows, order)
    }

    private func text(_ rows: [SessionGames.BestRow], _ order: Leaderboard.Order) -> [String] {
        rows.sorted { one, other in
            one.value != other.value
                ? (one.value < other.value) == (order == .time)
                : (one.at, one.name ?? "") < (other.at, other.name ?? "")
        }
        .prefix(Self.rowLimit).map { "\($0.value) \($0.name ?? "-") \($0.seq) \($0.at)" }
    }

    @Test(arguments: 1...8)
    func `the best rows are those of all games, also after games were undone`(_ seed: Int) {
        var random = SeededRandom(UInt64(seed))
        var (games, all) = (SessionGames(), [PlayedGame]())
        for number in 1...700 {
            let game = game(number, &random)
            games.add(game, keeping: Self.rowLimit)
            all.append(game)
            if random.below(100) == 0, number > 150 {
                // At most 100 steps of a session can be undone.
                let first = 3 * (number - random.below(90))
                games.removeGames(from: first)
                all.removeAll { $0.seq >= first }
            }
            guard number % 97 == 0 else { continue }
            for order in [Leaderboard.Order.time, .datum("score"), .datum("points"), .datum("x")] {
                #expect(best(games, order) == best(of: all, order), "seed \(seed)")
            }
        }
        #expect(games.newestSeq == all.last?.seq)
    }

    @Test func `a session that plays on needs no more memory than one with some hundred games`() {
        var random = SeededRandom(1)
        var games = SessionGames()
        var greatest = 0
        for number in 1...3000 {
            games.add(game(number, &random), keeping: Self.rowLimit)
            if number == 300 { greatest = games.bytes }
        }
        #expect(games.bytes < 2 * greatest)
        #expect(games.recent.count < 200)
        games.removeGames(from: 0)
        #expect(games.isEmpty && games.bytes == 0 && games.newestSeq < 0)
    }

    @Test func `of a tally the largest numbers are kept`() {
        var game = PlayedGame(seq: 1, at: .zero, state: "won", time: .zero)
        let tally = (0..<250).map { Member("p\($0)", $0) } + [Member("text", "x")]
        game.setData([Member("points", .object(tally))], keeping: 100)
        guard case .tally(let entries)? = game.data.first?.content else {
            Issue.record("no tally")
            return
        }
        #expect(entries.map(\.value) == (150..<250).reversed())
    }
}
