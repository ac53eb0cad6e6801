/// A format in which the bodies of rows are written. Each body begins with the number of its format, so a journal may contain rows
/// of several formats.
///
/// The bodies of the first format are JSON. They are only in a journal of version 1 that was not converted yet, so this type does
/// not have them (see the module JournalVersion1).
public enum RowFormat: UInt8, Sendable, CaseIterable {
    /// Has no fields that a reader may skip.
    case second = 2
    /// Has the front of a session's row (`RowFront`), and fields that a reader may skip.
    case third = 3

    /// The format of new journals.
    public static let newest = RowFormat.third
    /// The version of new journals. The version of a journal is the greatest format of its rows.
    public static let newestVersion = "\(newest.rawValue)"
}
