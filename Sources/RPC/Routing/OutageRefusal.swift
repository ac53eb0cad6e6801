internal import GameFlow
internal import JSONCoding
package import Sessions

extension RequestError {
    /// The refusal of a request line that was not executed, because the store of its session does not work.
    ///
    /// A line with the parameter `id` may repeat a request that was executed, and whose change was stored. Only the session's
    /// next owner can find out whether the line is such a repetition. The outcome of a line with an id is therefore `unknown`
    /// until the client sends the line again. The outcome of a line without an id is `undone`.
    package static func outage(why: String, refusing line: [UInt8]) -> RequestError {
        .storage(why: why, outcome: hasID(line) ? .unknown : .undone)
    }

    /// Whether a line, of either dialect, has the parameter `id`. True for a line that cannot be parsed.
    private static func hasID(_ line: [UInt8]) -> Bool {
        guard line.first == UInt8(ascii: "{") else {
            guard let request = try? TextRequest(TextWords.split(line[...])) else { return true }
            return request.params()["id"] != nil
        }
        var text = JSONText()
        do { try text.read(line[...]) } catch { return true }
        for (name, value) in text.members(of: JSONText.root) where text.isString("params", at: name)
        {
            return text.members(of: value).contains { text.isString("id", at: $0.name) }
        }
        return false
    }
}
