/// The names of notes: texts that are stored beside the rows of a journal.
public enum JournalNote {
    /// The text of the token file. Every copy of a journal has it, even if the text is empty. The daemon removes it when it first
    /// uses the copy.
    public static let tokens = "tokens"
}
