import GameFlow

/// An event of the shown session's flow, as `describe` returns it.
struct TopEvent: Equatable {
    let name: String
    let title: String
    /// The names and types of its arguments.
    let arguments: [(name: String, type: String)]
    /// The key that the flow gives to the event; nil if it gives none.
    let key: Character?
    /// Whether the screens ask before they send it.
    let asks: Bool

    init(_ description: Value) throws(CommandError) {
        name = try description.text("name")
        title = description.find("title").map(TerminalSafe.text) ?? TerminalSafe.escaped(name)
        var arguments: [(name: String, type: String)] = []
        for argument in try description.list("args") {
            arguments.append((try argument.text("name"), try argument.text("type")))
        }
        self.arguments = arguments
        key = description.find("key")?.text?.first
        asks =
            description.find("confirm") == .bool(true) || description.find("danger") == .bool(true)
    }

    static func == (a: TopEvent, b: TopEvent) -> Bool { a.name == b.name }
}
