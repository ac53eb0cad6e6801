import TestSupport
import Testing
import Timers

/// Compares the timer queue with a simple model, a list that is searched for due timers.
@Suite struct TimerQueueModelTests {
    private struct ModelTimer {
        var deadline: Int64
        var order: Int
        let tag: UInt8
        let timer: Countdown
        /// The remaining time in nanoseconds while the timer is paused; nil while it runs.
        var pausedRemaining: Int64?
        var total: Int64
    }

    @Test(arguments: seeds(300))
    func `random operations fire the timers in the model's order`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        let time = VirtualClock()
        var owners: [UInt8: RecordingTimerOwner] = [:]
        var model: [ModelTimer] = []
        var order = 0
        var fired: [UInt8] = []
        var expected: [UInt8] = []
        for step in 0..<250 {
            order += 1
            switch random.below(9) {
            // Set a timer.
            case 0...3 where model.count < 200:
                let ms = [5, 5, 5, 10, 20, Int64(random.below(100))][random.below(6)]
                let tag = UInt8(step)
                let owner = RecordingTimerOwner(time.timerQueue)
                owner.onDue = { fired.append($0) }
                let timer = owner.countdown(.milliseconds(ms), tag)
                owners[tag] = owner
                model.append(
                    ModelTimer(
                        deadline: time.now.nanoseconds + ms * 1_000_000, order: order, tag: tag,
                        timer: timer, pausedRemaining: nil, total: ms * 1_000_000))
            // End a timer.
            case 4 where !model.isEmpty:
                let ended = model.remove(at: random.below(model.count))
                owners[ended.tag] = nil
            // Pause or resume a timer.
            case 5 where !model.isEmpty:
                let index = random.below(model.count)
                if let pausedRemaining = model[index].pausedRemaining {
                    model[index].timer.resume()
                    (model[index].pausedRemaining, model[index].deadline, model[index].order) =
                        (nil, time.now.nanoseconds + pausedRemaining, order)
                } else {
                    model[index].timer.pause()
                    model[index].pausedRemaining = model[index].deadline - time.now.nanoseconds
                }
            // Extend a timer. A running timer then fires after those that were set for the same instant.
            case 6 where !model.isEmpty:
                let index = random.below(model.count)
                model[index].timer.extend(by: .milliseconds(7))
                model[index].total += 7_000_000
                if model[index].pausedRemaining != nil {
                    model[index].pausedRemaining! += 7_000_000
                }
                model[index].deadline += 7_000_000
                if model[index].pausedRemaining == nil { model[index].order = order }
            // Restart a timer.
            case 7 where !model.isEmpty:
                let index = random.below(model.count)
                model[index].timer.restart()
                (model[index].pausedRemaining, model[index].deadline, model[index].order) =
                    (nil, time.now.nanoseconds + model[index].total, order)
            // Advance the clock, and expect the timers that are due.
            default:
                let end = time.now.nanoseconds + Int64(random.below(8)) * 1_000_000
                let due = model.filter { $0.pausedRemaining == nil && $0.deadline <= end }
                    .sorted { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
                expected += due.map(\.tag)
                model.removeAll { timer in due.contains { $0.tag == timer.tag } }
                time.advance(by: Duration.nanoseconds(end - time.now.nanoseconds))
            }
            #expect(time.timerQueue.count == model.count, "seed \(seed), step \(step)")
        }
        #expect(fired == expected, "seed \(seed)")
        owners = [:]
        #expect(time.pending.isEmpty, "seed \(seed)")
    }
}
