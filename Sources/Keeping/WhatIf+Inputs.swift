internal import GameFlow
internal import Sessions
internal import Timers

/// What happened then, one thing after the other, and what comes of it now.
extension WhatIf {
    func follow(_ deed: Deed, _ record: SessionRecord, _ course: Course) {
        switch deed {
        case .consequence: course.compare(record)
        case .firing(let signal, let missed):
            fire(signal, missed, record, course)
            course.compare(record)
        case .refusal(let event, let arguments, let source, let why, let isWhole):
            run(until: record.at)
            // An event whose arguments were too long for the journal cannot be sent again.
            guard isWhole else { return }
            refuse(event, arguments, source, why, record, course)
        case .givenUp:
            run(until: record.at)
            giveUp(record, course)
        case .open, .close, .send, .goto, .operate:
            run(until: record.at)
            course.expectNothing(before: record)
            do throws(RequestError) {
                try sessions.perform(deed, on: course.session, id: record.id)
                course.compare(record)
            } catch { course.refused(error.name.description, record) }
        case .start, .advance, .forgotten: break
        }
    }

    /// What was refused is sent again: it may be taken now. What the daemon or a timer refused was not sent,
    /// or was not the flow's business.
    private func refuse(
        _ event: String, _ arguments: [Member], _ source: Source, _ why: String,
        _ record: SessionRecord, _ course: Course
    ) {
        guard course.difference == nil, source.kind != .timer, why != "stale", why != "storage",
            why != "forbidden", let session = try? sessions.session(course.session)
        else { return }
        course.expectNothing(before: record)
        let before = course.now
        guard
            (try? sessions.send(event, arguments, to: session, RequestContext(from: source)))
                != nil,
            course.now != before
        else { return }
        course.taken(why, record)
    }

    /// Nobody could go on with it then: that ended it, whatever it is now.
    private func giveUp(_ record: SessionRecord, _ course: Course) {
        if let session = try? sessions.session(course.session) {
            try? sessions.close(session, RequestContext(from: .program))
        }
        course.quarantined("it was given up then", at: record.at)
    }

    // MARK: time

    /// Lets everything happen that is due by an instant, each at its own.
    func run(until instant: Instant) {
        guard !isCutShort else { return }
        while let next = time.next, next.deadline <= instant { time.fireNext(at: next.deadline) }
        time.move(to: instant)
    }

    /// Where the clock stopped in the middle of what was due at an instant, what fired there has rows.
    func advance(to instant: Instant, isCutShort: Bool) {
        self.isCutShort = false
        run(until: isCutShort ? instant + Duration.nanoseconds(-1) : instant)
        time.move(to: instant)
        self.isCutShort = isCutShort
    }

    /// A timer fired then. One that stands as it did fires at the same instant, which on the real clock is a
    /// little after its deadline; any other at its own.
    private func fire(_ signal: String, _ missed: Int, _ record: SessionRecord, _ course: Course) {
        isCutShort = false
        let stands = course.stands(signal)
        while let next = time.next, next.deadline <= record.at {
            if stands {
                if next.isMeant(course.session, signal, missed, at: record.at) {
                    return time.fireNext(at: record.at)
                }
            } else if !isDue(course, by: record.at) {
                return
            }
            time.fireNext(at: next.deadline)
        }
    }

    private func isDue(_ course: Course, by instant: Instant) -> Bool {
        guard let session = try? sessions.session(course.session) else { return false }
        return session.machine.liveTimers.contains { timer in
            timer.facts.deadline.map { $0 <= instant } ?? false
        }
    }
}
