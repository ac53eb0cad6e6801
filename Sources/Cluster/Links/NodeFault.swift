import Support
package import Timers

/// Why connections to a node fail, and when the next one is tried.
package struct NodeFault {
    /// The reason of the last failure; empty before.
    private var why = ""
    private var backoff = Backoff(first: .milliseconds(50), longest: .seconds(1))
    /// No connection is tried before this instant.
    package private(set) var retryInstant = Instant.zero

    package init() {}

    /// Records that a connection has failed at an instant. `hasWorked` is whether it worked for a while before: then the next one is
    /// tried at once. Returns whether the reason is new.
    package mutating func record(_ why: String, hasWorked: Bool, at now: Instant) -> Bool {
        if hasWorked { self = NodeFault() } else { retryInstant = now + backoff.fail() }
        defer { self.why = why }
        return self.why != why
    }
}
