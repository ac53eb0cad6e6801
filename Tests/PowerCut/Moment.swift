/// The disk just before an operation, with what the journal had promised by then: a point to cut
/// the power at.
package struct Moment: Sendable {
    package let disk: SimulatedDisk
    package let promise: Promise
    /// What was about to be done; nothing at the end.
    package let operation: DiskOperation?
}
