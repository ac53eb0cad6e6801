/// A line of the screen of `gamectl top`.
struct TopLine: Equatable {
    /// How a line is drawn. Terminals without colours show the first four only.
    enum Style: Equatable {
        case plain
        case heading
        case selected
        case dim
        case alert
        case good
    }

    var text: String
    var style = Style.plain

    /// The line, cut off if it is wider than `columns`.
    func fitting(_ columns: Int) -> TopLine {
        guard text.count > columns else { return self }
        return TopLine(text: String(text.prefix(max(0, columns - 1))) + "…", style: style)
    }
}
