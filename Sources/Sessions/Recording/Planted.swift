/// Mistakes that tests switch on, to prove that they would be caught. Nothing else sets any.
package struct Planted: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// What shows a session goes out before its changes are on the disk: answers, refusals, notifications.
    package static let answersAtOnce = Planted(rawValue: 1)
    package static let refusalsAtOnce = Planted(rawValue: 2)
    package static let noticesAtOnce = Planted(rawValue: 4)
    /// Only the session of the first row that is lost is taken back.
    package static let partialUndo = Planted(rawValue: 8)
    /// What is taken back leaves the timers as they are now.
    package static let timersStay = Planted(rawValue: 16)
    /// What is taken back is still remembered by id.
    package static let idsStay = Planted(rawValue: 32)
    /// What happens while the storage is out is not taken back.
    package static let takesWhileOut = Planted(rawValue: 64)
    /// What a step did besides its changes is not written down.
    package static let restUnwritten = Planted(rawValue: 128)
    /// The rows of one call are handed over one by one.
    package static let splitCalls = Planted(rawValue: 256)
    /// What may be there all the same is said to be undone.
    package static let falselyUndone = Planted(rawValue: 512)
}
