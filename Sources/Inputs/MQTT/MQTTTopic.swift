import Support

/// Rules for topic names and topic filters. Topics are compared by their bytes. They are divided at the byte `/`, also if a
/// combining character follows.
public enum MQTTTopic {
    /// The maximum length of a topic or a filter in bytes.
    public static let maximumBytes = 65_535

    /// Whether the text is a topic name, that is, a topic that a message can have.
    public static func isName(_ text: String) -> Bool {
        isWellFormed(text)
            && !text.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
    }

    /// Whether the text is a topic filter: `+` stands for any one level, and a final `#` for all remaining levels, or none.
    public static func isFilter(_ text: String) -> Bool {
        guard isWellFormed(text) else { return false }
        let levels = levels(of: text)
        return levels.enumerated().allSatisfy { index, level in
            if level == "#" { return index == levels.count - 1 }
            return level == "+"
                || !level.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }
        }
    }

    /// Whether the text is neither empty nor too long for a topic or a filter, and has no zero byte.
    private static func isWellFormed(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumBytes && !text.utf8.contains(0)
    }

    /// The levels of a topic or a filter: the texts between its slashes.
    public static func levels(of topic: String) -> [Substring] {
        topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// Whether a filter selects a topic. Gives the same results as `matches`, but does not split a filter without a wildcard.
    public static func selects(_ filter: String, _ topic: String) -> Bool {
        guard filter.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
        else { return filter.hasSameBytes(as: topic) }
        return matches(levels(of: filter), levels(of: topic))
    }

    /// Whether a filter selects a topic. The filter and the topic are given as lists of their levels. A filter that begins with
    /// a wildcard selects no topic that begins with `$`.
    public static func matches(_ filter: [Substring], _ topic: [Substring]) -> Bool {
        if topic.first?.utf8.first == UInt8(ascii: "$"), let first = filter.first,
            first == "+" || first == "#"
        {
            return false
        }
        for (index, level) in filter.enumerated() {
            if level == "#" { return true }
            guard index < topic.count, level == "+" || level.hasSameBytes(as: topic[index])
            else { return false }
        }
        return filter.count == topic.count
    }

    /// Returns the filters in their order, without duplicates. Also leaves out a filter if another filter selects all of its
    /// topics. Otherwise a broker could deliver a message twice.
    public static func removingCovered(_ filters: [String]) -> [String] {
        var distinct: [String] = []
        for filter in filters where !distinct.contains(where: filter.hasSameBytes) {
            distinct.append(filter)
        }
        return distinct.filter { filter in
            !distinct.contains {
                !$0.hasSameBytes(as: filter) && covers(levels(of: $0), levels(of: filter))
            }
        }
    }

    /// Whether the filter `wide` selects every topic that the filter `narrow` selects.
    private static func covers(_ wide: [Substring], _ narrow: [Substring]) -> Bool {
        if narrow.first?.utf8.first == UInt8(ascii: "$"), let first = wide.first,
            first == "+" || first == "#"
        {
            return false
        }
        for (index, level) in wide.enumerated() {
            if level == "#" { return true }
            guard index < narrow.count, narrow[index] != "#" else { return false }
            guard level == "+" || level.hasSameBytes(as: narrow[index]) else { return false }
        }
        return wide.count == narrow.count
    }
}
