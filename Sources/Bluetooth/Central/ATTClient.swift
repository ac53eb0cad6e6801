import Timers

/// Asks one device about its attributes: one request at a time, as the protocol has it.
final class ATTClient {
    /// Nil where the device did not answer, or not what was asked.
    typealias Done = (ATTAnswer?) -> Void

    private enum State {
        case idle
        case asked(ATTOpcode, ScopedCountdown, Done)
        /// It was silent for too long, or made no sense: the protocol allows no further request over this link.
        case ended
    }

    private var state = State.idle
    private let timeline: any TimerClock
    private let patience: Duration
    private let send: (ATTPacket) -> Void

    init(on timeline: any TimerClock, patience: Duration, send: @escaping (ATTPacket) -> Void) {
        (self.timeline, self.patience, self.send) = (timeline, patience, send)
    }

    /// Asks; only when nothing else is asked.
    func ask(_ opcode: ATTOpcode, _ words: [UInt16], _ rest: [UInt8] = [], _ done: @escaping Done) {
        guard case .idle = state else { return done(nil) }
        let timer = ScopedCountdown(on: timeline, patience) { [unowned self] in
            state = .ended
            done(nil)
        }
        state = .asked(opcode, timer, done)
        send(ATTPacket(opcode, words, rest))
    }

    /// Takes what may be an answer. One that nobody waits for, or not for this, changes nothing.
    func take(_ payload: [UInt8]) {
        guard case .asked(let opcode, _, let done) = state, ATTAnswer.isMeant(payload, for: opcode)
        else { return }
        let answer = ATTAnswer(payload, to: opcode)
        state = answer == nil ? .ended : .idle
        done(answer)
    }
}
