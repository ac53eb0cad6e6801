#if FAULT_INJECTION
    /// Faults of the undo that tests switch on, to prove that they are found. A release build has none of this.
    ///
    /// Only what no decoration of a store, a clock or a client can bring about is here.
    package struct InjectedFaults: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Only the session of the first row that is lost is taken back.
        package static let partialUndo = InjectedFaults(rawValue: 1)
        /// What is taken back leaves the timers as they are now.
        package static let timersStay = InjectedFaults(rawValue: 2)
        /// What is taken back is still remembered by id.
        package static let idsStay = InjectedFaults(rawValue: 4)
        /// What happens while the storage is out is not taken back.
        package static let takesWhileOut = InjectedFaults(rawValue: 8)
    }

    extension Sessions {
        /// The faults that are switched on.
        package var injectedFaults: InjectedFaults {
            get { recording.injectedFaults }
            set { recording.injectedFaults = newValue }
        }
    }
#endif
