/// What ends a line of a serial device.
public enum LineEnd: String, CaseIterable, Sendable {
    /// LF. A CR before it does not belong to the line.
    case lf
    case cr
    /// CR and then LF. A single CR or LF is a part of the line.
    case crlf
    /// CR, LF, or CR and then LF.
    case any
}
