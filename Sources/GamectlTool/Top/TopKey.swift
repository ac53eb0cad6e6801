/// A key that was pressed in `gamectl top`.
enum TopKey: Equatable {
    case up
    case down
    case enter
    case escape
    case backspace
    /// Control and C.
    case interrupt
    case character(Character)
}
