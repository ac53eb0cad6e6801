public import GameFlow

/// How many levels each episode of the game has, the first episode first. In a configuration: `5,5,5`.
public struct Catalog: Equatable, Sendable {
    private let levels: [Int]

    public init(_ levels: Int...) { self.levels = levels }

    /// A level of an episode.
    public struct Level: Equatable, Sendable {
        let episode: Int
        let number: Int
        var data: [Member] { [Member("episode", episode), Member("level", number)] }
    }

    /// Returns a level, or throws if the catalog does not contain it.
    func level(_ episode: Int, _ number: Int) throws(Reason) -> Level {
        try check(episode)
        guard 1...levels[episode - 1] ~= number else {
            throw .invalid("level", "the episode has no such level")
        }
        return Level(episode: episode, number: number)
    }

    /// Returns the level that a state's data name.
    func level(_ data: Arguments) throws(Reason) -> Level {
        try level(data("episode"), data("level"))
    }

    /// Throws if the catalog does not contain the episode.
    func check(_ episode: Int) throws(Reason) {
        guard episode > 0, episode <= levels.count, levels[episode - 1] > 0 else {
            throw .invalid("episode", "not in the catalog")
        }
    }
}

extension Catalog: SettingValue {
    /// The maximum number of episodes, and of levels of an episode, that an operator may set.
    public static let maximum = 1000

    public static var settingType: String { "text" }
    public var setting: String { levels.map { "\($0)" }.joined(separator: ",") }

    /// Reads the numbers of levels of the episodes, joined by commas. Each number is at least 1.
    public init(setting value: Value) throws(ArgumentError) {
        let parts = try String(setting: value).split(
            separator: ",", omittingEmptySubsequences: false)
        let levels = parts.compactMap { part in
            Int(part).flatMap { 1...Self.maximum ~= $0 && part == "\($0)" ? $0 : nil }
        }
        guard levels.count == parts.count, parts.count <= Self.maximum else {
            throw ArgumentError(
                "expected the number of levels of each episode, joined by commas, such as 5,5,5; "
                    + "at most \(Self.maximum) episodes of 1 to \(Self.maximum) levels")
        }
        self.levels = levels
    }
}
