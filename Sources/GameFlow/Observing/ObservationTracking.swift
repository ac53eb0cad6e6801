#if canImport(Observation)
    public import Observation

    /// A machine can be tracked by the platform's Observation. A view that reads `state` is then drawn again after the next
    /// step that enters a state or changes the state's data.
    extension StateMachine: Observable {
        /// Reports a read of `state` to the registrar, which is created at the first call. A machine whose `state` is
        /// never read has no registrar.
        func track() {
            let tracking = typedFeatures?.tracking ?? makeTracking()
            tracking.access(self)
        }

        private func makeTracking() -> ObservationTracking<State, Event> {
            let newTracking = ObservationTracking<State, Event>()
            existingOrNewTypedFeatures.tracking = newTracking
            updateHasObservers()
            return newTracking
        }
    }

    /// The registrar of a machine. The key path is created once, because creating one takes about a
    /// microsecond.
    final class ObservationTracking<State, Event> {
        private let registrar = ObservationRegistrar()
        private let keyPath = \StateMachine<State, Event>.state

        func access(_ machine: StateMachine<State, Event>) {
            registrar.access(machine, keyPath: keyPath)
        }

        func willChange(_ machine: StateMachine<State, Event>) {
            registrar.willSet(machine, keyPath: keyPath)
        }

        func didChange(_ machine: StateMachine<State, Event>) {
            registrar.didSet(machine, keyPath: keyPath)
        }
    }
#endif
