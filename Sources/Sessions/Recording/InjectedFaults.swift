#if FAULT_INJECTION
    /// Faults in the code that undoes changes after a failure of the store. Tests switch the faults on, to prove that the
    /// invariants of a simulated run find them. The released programs do not contain them.
    ///
    /// The set contains only faults that a test double of a store, a clock or a client cannot cause.
    package struct InjectedFaults: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Restores only the first of the suspended sessions.
        package static let partialUndo = InjectedFaults(rawValue: 1)
        /// Does not set the timers of the restored sessions.
        package static let timersNotRestored = InjectedFaults(rawValue: 2)
        /// Keeps the answers of undone requests in the idempotency cache.
        package static let idsStay = InjectedFaults(rawValue: 4)
        /// Accepts changes while the store does not work.
        package static let acceptsDuringOutage = InjectedFaults(rawValue: 8)
    }

    extension Sessions {
        /// The faults that are switched on.
        package var injectedFaults: InjectedFaults {
            get { recording.injectedFaults }
            set { recording.injectedFaults = newValue }
        }
    }
#endif
