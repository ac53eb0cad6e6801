package import GameFlow
public import JSONCoding
public import Sessions
internal import Timers

/// The present state of sessions. The comment of each function says what JSON it writes.
extension Encoder {
    /// A session: its state, its data, its timers, and what it accepts.
    public func write(_ session: SessionStatus, _ view: SessionView, to writer: inout JSONWriter) {
        writer.beginObject()
        members(of: session, view, to: &writer)
        writer.endObject()
    }

    /// The members of a session, added to the open object.
    func members(of session: SessionStatus, _ view: SessionView, to writer: inout JSONWriter) {
        writer.name("session")
        writer.string(session.name.text)
        writer.name("flow")
        writer.string(session.flow.name)
        writer.name("state")
        writer.string(session.stateRecord.state)
        writer.name("data")
        let hidden = view.namesToHide(session.flow.hidden)
        writer.object(hidden.shown(session.stateRecord).data)
        writer.name("final")
        writer.bool(session.isFinal)
        writer.name("seq")
        writer.int(session.seq)
        writer.name("entry")
        writer.int(session.entry)
        writer.name("openedMs")
        writer.int(Int(session.openedAt.milliseconds))
        writer.version(of: session.flow)
        writer.language(session.flow.language)
        writer.timers(session.timers, in: session.stateRecord.state, hidden)
        // The number of events that wait until a state takes them.
        writer.name("deferred")
        writer.int(session.deferred)
        writer.name("accepts")
        writer.strings(hidden.shown(session.accepts))
        if view == .full, !session.flow.settings.isEmpty {
            writer.name("settings")
            writeSettings(of: session.flow, to: &writer)
        }
        // The name of the timer that the players' screen shows in large type.
        if let clock = session.clock, hidden?.hidesEvent(clock) != true {
            writer.name("clock")
            writer.string(clock)
        }
        let screen = session.flow.clientView?.screen(session.stateRecord)
        if let members = Self.shown(screen, session.join) {
            writer.name("show")
            writer.object(members)
        }
        if let screen { writer.failures(of: screen, view) }
        if view == .full, session.isStuck {
            writer.name("stuck")
            writer.bool(true)
        }
        writer.notes(session.notes, view, at: session.at)
        // The reason why the store cannot record changes at present.
        if let storage = session.storage {
            writer.name("storage")
            writer.string(view == .full ? storage : RequestError.storageFailed)
        }
    }

    /// What the players' screen shows, as far as it depends on the data, and how people join; nil if there is nothing of both.
    private static func shown(_ screen: ShownScreen?, _ join: ScreenJoin?) -> [Member]? {
        guard let join else { return screen?.members }
        let members = [
            Member("link", join.link), Member("code", join.code),
            Member("untilMs", Int(join.until.milliseconds)),
        ]
        return (screen?.members ?? []) + [Member("join", .object(members))]
    }

    /// A session in a list: its name, flow, state, `seq`, labels and language, and whether it is stuck.
    func writeListItem(_ session: Session, _ view: SessionView, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("session")
        writer.string(session.name.text)
        writer.name("flow")
        writer.string(session.flow.name)
        writer.name("state")
        writer.string(session.shownState)
        writer.name("seq")
        writer.int(session.seq)
        writer.labels(session.labels, view)
        writer.language(session.flow.language)
        if view == .full, session.isStuck {
            writer.name("stuck")
            writer.bool(true)
        }
        writer.endObject()
    }

    /// The sessions at the start of a subscription, as members of the open object. `more` says that there are further sessions,
    /// which did not fit.
    public func members(
        of page: SessionPage, _ view: (SessionName) -> SessionView, to writer: inout JSONWriter
    ) {
        writer.name("sessions")
        writer.beginArray()
        for session in page.sessions { write(session, view(session.name), to: &writer) }
        writer.endArray()
        writer.name("more")
        writer.bool(page.more)
    }
}

extension JSONWriter {
    /// The language of a session's texts; nil if its flow does not have several languages.
    fileprivate mutating func language(_ language: String?) {
        guard let language else { return }
        name("language")
        string(language)
    }

    /// The version of a flow. For a flow file, this is the beginning of the SHA-256 of its text; for any other flow, it is a
    /// number.
    package mutating func version(of flow: AnyFlow) {
        name("version")
        if let source = flow.source { string(source.version) } else { int(flow.version) }
    }

    /// The keys of `show` whose values cannot be computed, for operators.
    mutating func failures(of screen: ShownScreen, _ view: SessionView) {
        guard view == .full, !screen.failures.isEmpty else { return }
        name("unshown")
        strings(screen.failures)
    }

    /// The labels of a session, and the message to its screens. A message that ended before or at `now` is
    /// left out.
    fileprivate mutating func notes(_ notes: SessionNotes?, _ view: SessionView, at now: Instant) {
        guard let notes else { return }
        self.labels(notes.labels, view)
        guard let message = notes.message, message.isShown(at: now) else { return }
        name("say")
        self.message(message)
    }

    /// The labels that a view shows; no member if it shows none.
    fileprivate mutating func labels(_ labels: [Member], _ view: SessionView) {
        let visibleLabels = labels.filter { view.shows(label: $0.name) }
        guard !visibleLabels.isEmpty else { return }
        name("labels")
        object(visibleLabels)
    }

    /// The timers of a state, without those in `hidden`. `hidden` is nil if nothing is hidden.
    mutating func timers(_ timers: [LiveTimer], in state: String, _ hidden: HiddenNames?) {
        name("timers")
        beginArray()
        for timer in timers where hidden?.hidesTimer(timer.fires, in: state) != true {
            beginObject()
            name("fires")
            string(timer.fires)
            name("kind")
            plain(timer.info.kind.rawValue)
            times(of: timer)
            name("paused")
            bool(timer.info.isPaused)
            if !timer.info.traits.isEmpty { traits(of: timer.info) }
            endObject()
        }
        endArray()
    }

    /// The times of a timer: what a stopwatch has spent, or what is left of the whole. For a mark, its countdown and what that has
    /// left when the mark fires; what the mark has left only while it can fire. For a timer that fires at a time of day, that
    /// time as well.
    private mutating func times(of liveTimer: LiveTimer) {
        let timer = liveTimer.info
        if let mark = timer.mark {
            name("of")
            string(liveTimer.countdown)
            name("leftMs")
            int(Int(mark.left.milliseconds))
            guard mark.canFire else { return }
            name("remainingMs")
            return int(Int(timer.remaining.milliseconds))
        }
        if timer.kind == .stopwatch {
            name("spentMs")
            return int(Int(timer.spent.milliseconds))
        }
        name("remainingMs")
        int(Int(timer.remaining.milliseconds))
        name("totalMs")
        int(Int(timer.total.milliseconds))
        guard let until = liveTimer.until else { return }
        name("until")
        plain(until.time.description)
    }

    /// Whether a countdown runs on below zero, whether it has fired, whether a timer that begins paused was not started, and
    /// whether an operator paused all timers of the state.
    private mutating func traits(of timer: TimerInfo) {
        if timer.traits.contains(.overtime) {
            name("overtime")
            bool(true)
        }
        if timer.isInOvertime {
            name("fired")
            bool(true)
        }
        if timer.traits.contains(.beginsPaused) {
            name("declaredPaused")
            bool(true)
        }
        if timer.traits.contains(.held) {
            name("held")
            bool(true)
        }
    }
}
