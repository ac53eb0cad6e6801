package import GameFlow
internal import Support
internal import Timers

/// Events that wait for others of their name, so that they are sent in the order in which the clients sent them.
extension Sessions {
    /// What became of an event that may have to wait.
    package enum Collected {
        /// The event was sent at once.
        case sent(Answer<Change>)
        case waits(WaitingEvent)
    }

    /// The greatest number of events that wait for each other in a session.
    package static let collectedLimit = 256

    /// Whether events of a name wait for each other. Never on a virtual clock.
    package func collects(_ event: RequestedEvent, in flow: AnyFlow) -> Bool {
        guard flow.collectsEvents, !isVirtual, case .known(let index) = event else { return false }
        return flow.schema(of: index).collectingTime != nil
    }

    /// Sends an event for which `collects` is true, or lets it wait. An event that is refused in any case is refused at once.
    /// `longestAge` is how much of the age that the sender gives counts.
    package func collect(
        _ event: RequestedEvent, _ arguments: [Member], to session: Session,
        _ context: RequestContext, longestAge: Duration
    ) throws(RequestError) -> Collected {
        if let id = context.id, let same = collectWindows[session.name]?.find(id: id) {
            return .waits(same)
        }
        let isAnswered = try cachedAnswer(to: context, of: session.name) != nil
        let receipt = Change.Receipt(
            received: now, ageMs: min(context.ageMs, Int(longestAge.milliseconds)))
        guard !isAnswered, case .known(let index) = event,
            mayWait(event, arguments, session, context),
            let time = session.flow.schema(of: index).collectingTime
        else {
            // Who pressed first is decided by the same rule for an event that is refused.
            return .sent(try send(event, arguments, to: session, context, receipt: receipt))
        }
        if let window = collectWindows[session.name], window.event != index {
            endCollecting(of: session)
            return try collect(
                event, arguments, to: session, context, longestAge: longestAge)
        }
        let window =
            collectWindows[session.name]
            ?? CollectWindow(session, index, for: time, on: timerQueue)
        guard window.events.count < Self.collectedLimit else {
            let error = RequestError.limit(which: "collected", limit: Self.collectedLimit)
            refuse(
                EventRecord(event.name(in: session.flow), arguments), from: context.source, error,
                of: session, receipt: receipt)
            throw error
        }
        collectWindows[session.name] = window
        var checked = context
        (checked.missingRight, checked.ageLimitMs) = (nil, nil)
        let waiting = WaitingEvent(arguments, checked, receipt)
        window.add(waiting)
        return .waits(waiting)
    }

    /// Whether nothing is known at receipt for which the event would be refused.
    private func mayWait(
        _ event: RequestedEvent, _ arguments: [Member], _ session: Session,
        _ context: RequestContext
    ) -> Bool {
        guard !isRunning, outage == nil,
            let (machine, index) = try? checkReceipt(event, session, context),
            machine.flow.fits(arguments, index)
        else { return false }
        let name = event.name(in: machine.flow)
        return machine.accepts.contains { $0.hasSameBytes(as: name) }
    }

    /// Ends the window of a session before an event, unless the event is refused in any case.
    func endCollecting(
        before event: RequestedEvent, _ arguments: [Member], _ session: Session,
        _ context: borrowing RequestContext
    ) {
        guard collectWindows[session.name] != nil,
            mayWait(event, arguments, session, copy context)
        else { return }
        endCollecting(of: session)
    }

    /// Sends the events that wait in a session, before a command. Throws if the command is meant for another entry than the present
    /// one, or than the one that these events have entered.
    func endCollecting(of session: Session, ifEntryIs entry: Int?) throws(RequestError) {
        try checkEntry(entry, of: session)
        if endCollecting(of: session) { try checkEntry(entry, of: session) }
    }

    /// Sends the events that wait in a session. Returns whether there were any.
    @discardableResult func endCollecting(of session: Session) -> Bool {
        guard hasCollectWindows, !isRunning,
            let window = collectWindows.removeValue(forKey: session.name)
        else { return false }
        window.end()
        for waiting in window.inOrder {
            do throws(RequestError) {
                let present = try self.session(session.name)
                let answer = try send(
                    RequestedEvent.known(window.event), waiting.arguments, to: present,
                    waiting.context, receipt: waiting.receipt)
                waiting.end(.success(answer))
            } catch { waiting.end(.failure(error)) }
        }
        return true
    }

    /// Sends all events that wait, before this process gives the sessions up.
    package func endCollecting() {
        for window in collectWindows.values.sorted(by: { $0.session.name < $1.session.name }) {
            endCollecting(of: window.session)
        }
    }

    /// Gives up the events that wait: they were not sent, and nothing of them is recorded.
    package func abandonCollecting() {
        let windows = collectWindows.values
        collectWindows = [:]
        for window in windows {
            window.end()
            for waiting in window.events { waiting.end(nil) }
        }
    }
}

extension CollectWindow {
    /// The event with a request id; nil if none has it.
    fileprivate func find(id: String) -> WaitingEvent? {
        events.first { $0.context.id?.hasSameBytes(as: id) == true }
    }
}
