/// The disk before an operation, and the rows that the journal must contain if the power is cut then.
package struct CutState: Sendable {
    package let disk: SimulatedDisk
    package let expected: ExpectedRows
    /// The next operation; nil at the end.
    package let operation: DiskOperation?
}
