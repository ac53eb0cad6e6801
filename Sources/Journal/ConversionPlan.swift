/// What the conversion of a journal to the newest version needs.
package struct ConversionPlan: Sendable {
    /// The path of the copy of the old file.
    package let copyPath: String
    /// Whether all rows are rewritten.
    package let rewritesRows: Bool
    /// The space that the copy and the conversion need, in bytes.
    package let neededBytes: UInt64
    /// The free space in bytes; nil if it is not known.
    package let freeBytes: UInt64?

    package init(copyPath: String, rewritesRows: Bool, neededBytes: UInt64, freeBytes: UInt64?) {
        (self.copyPath, self.rewritesRows) = (copyPath, rewritesRows)
        (self.neededBytes, self.freeBytes) = (neededBytes, freeBytes)
    }

    /// How many bytes of space are missing.
    package var missingBytes: UInt64 {
        freeBytes.map { $0 < neededBytes ? neededBytes - $0 : 0 } ?? 0
    }
}
