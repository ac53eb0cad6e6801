package import GameFlow

/// The flows whose names, states and events a configuration may use: the flows of the program and of the flow files.
package struct KnownFlows {
    package let flows: [AnyFlow]
    /// Whether flows are missing because their files have mistakes. Unknown names are then not reported, because they may
    /// belong to those flows.
    package let isPartial: Bool
    /// Whether the journal may have flows that are missing here, because their files were removed. A line about such a flow
    /// does not prevent a start: sessions that play the flow are restored without its file.
    package let isCompletedByJournal: Bool

    package init(_ flows: [AnyFlow], isPartial: Bool = false, isCompletedByJournal: Bool = false) {
        (self.flows, self.isPartial) = (flows, isPartial)
        self.isCompletedByJournal = isCompletedByJournal
    }

    /// Whether an unknown name may be the name of a flow that is missing here.
    package var lacksFlows: Bool { isPartial || isCompletedByJournal }
}
