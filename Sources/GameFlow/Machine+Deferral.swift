/// What comes too early waits, and goes before anything new.
extension Machine {
    /// An event that waits for a state that takes it, and who sent it.
    struct Waiting {
        let event: F.Event
        let happening: Happening
        let source: Source
    }

    func wait(_ event: F.Event, _ happening: Happening, _ source: Source) throws(Reason) {
        guard waiting.count < Self.deferLimit else { throw .deferQueueFull }
        waiting.append(Waiting(event: event, happening: happening, source: source))
        tell(Step(.defer, happening, from: source, place, place))
    }

    /// After each entry, what waits is offered again from the oldest on; an entry on the way begins
    /// from the oldest again. What is refused now is dropped, and told as such.
    func offerAgain() {
        var at = 0
        while at < waiting.count {
            let next = waiting.remove(at: at)
            do throws(Reason) {
                switch try offer(next) {
                case .keep: break
                case .enter: at = 0
                case .wait:
                    waiting.insert(next, at: at)
                    at += 1
                }
            } catch {
                whyDropped = error
                tell(Step(.drop, next.happening, from: next.source, place, place))
            }
        }
    }

    private func offer(_ next: Waiting) throws(Reason) -> Transition<F>.Kind {
        let transition = try select(next.event)
        switch transition.kind {
        case .keep: try keep(transition, next.happening, next.source, missed: 0)
        case .enter: try enter(transition, .enter, next.happening, next.source)
        case .wait: break
        }
        return transition.kind
    }

    var waitingCount: Int { waiting.count }

    /// Whether the state takes or defers the event, whatever its arguments' validators would say.
    func takes(_ event: F.Event) -> Bool {
        do throws(Reason) {
            _ = try select(event)
            return true
        } catch {
            return error != .noTransition && error != .finished
        }
    }
}
