/// The reason of a failure that may last, so that each reason is reported once.
package struct ReportedReason {
    private var reason: String?

    package init() {}

    /// Keeps the reason of the present failure. Returns whether it differs from the last one.
    package mutating func isNew(_ reason: String) -> Bool {
        exchange(&self.reason, with: reason) != reason
    }

    /// The failure has ended.
    package mutating func clear() { reason = nil }
}
