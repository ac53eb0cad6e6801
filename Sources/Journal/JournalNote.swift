/// The names of notes: texts that are stored beside the rows of a journal.
public enum JournalNote {
    /// The text of the token file. Every copy of a journal has it, even if the text is empty. The daemon removes it when it first
    /// uses the copy.
    public static let tokens = "tokens"
    /// As `tokens`, of an archive. An archive is written to, and therefore is no copy.
    package static let archivedTokens = "archived tokens"
    /// The position up to which old rows were removed, in decimal digits.
    package static let pruned = "pruned"
    /// Which clock the times in the rows are of: `real` or `virtual`.
    package static let clock = "clock"
}
