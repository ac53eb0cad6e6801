public import GameFlow

/// How many levels each episode of the flow `Game` has, the first episode first. In a configuration: `5,5,5`.
public struct Catalog: Equatable, Sendable {
    private let levelCounts: [Int]

    public init(_ levelCounts: Int...) { self.levelCounts = levelCounts }

    /// A level of an episode.
    public struct Level: Equatable, Sendable {
        let episode: Int
        /// The number of the level in its episode, counted from 1.
        let number: Int
        /// The data of a state in which the level is played, paused or finished.
        var data: [Member] { [Member("episode", episode), Member("level", number)] }
    }

    /// Returns a level of an episode. Levels and episodes are counted from 1. Throws if the catalog does not contain the level.
    func level(_ episode: Int, _ number: Int) throws(Reason) -> Level {
        try check(episode)
        guard 1...levelCounts[episode - 1] ~= number else {
            throw .invalid("level", "the episode has no such level")
        }
        return Level(episode: episode, number: number)
    }

    /// Returns the level whose episode and number are in a state's data.
    func level(_ data: Arguments) throws(Reason) -> Level {
        try level(data("episode"), data("level"))
    }

    /// Throws if the catalog does not contain the episode.
    func check(_ episode: Int) throws(Reason) {
        guard episode > 0, episode <= levelCounts.count,
            levelCounts[episode - 1] > 0
        else {
            throw .invalid("episode", "not in the catalog")
        }
    }
}

extension Catalog: SettingValue {
    /// The maximum number of episodes, and of levels of an episode, that an operator may set.
    public static let maximum = 1000

    /// The name of the setting's type for clients.
    public static var settingType: String { "text" }
    /// The numbers of levels as they are written in a configuration.
    public var setting: String { levelCounts.map { "\($0)" }.joined(separator: ",") }

    /// Reads the numbers of levels of the episodes, joined by commas. Each number is at least 1.
    public init(setting value: Value) throws(ArgumentError) {
        let parts = try String(setting: value).split(
            separator: ",", omittingEmptySubsequences: false)
        // The comparison of the texts refuses other spellings of a number, such as `05`.
        let levelCounts = parts.compactMap { part in
            Int(part).flatMap { 1...Self.maximum ~= $0 && part == "\($0)" ? $0 : nil }
        }
        guard levelCounts.count == parts.count, parts.count <= Self.maximum else {
            throw ArgumentError(
                "expected the number of levels of each episode, joined by commas, such as 5,5,5; "
                    + "at most \(Self.maximum) episodes of 1 to \(Self.maximum) levels")
        }
        self.levelCounts = levelCounts
    }
}
