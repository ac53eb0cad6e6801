import TestSupport
import Testing
import Timers

/// Compares a countdown with overtime and its marks, and a stopwatch, with a model that counts milliseconds.
@Suite struct OvertimeModelTests {
    /// The tag of the countdown; the marks have the tags after it.
    private static let countdownTag: UInt8 = 1
    /// What the countdown has left when the marks fire, in milliseconds, in the order of their tags.
    private static let marks: [Int64] = [20, 0, 50, -10]

    private struct Model {
        var left: Int64 = 60
        var total: Int64 = 60
        var isPaused = false
        var hasFired = false
        /// Whether each mark can fire: the countdown had more than the mark's time.
        var canFire = OvertimeModelTests.marks.map { 60 > $0 }
        var spent: Int64 = 0
        var fired: [UInt8] = []

        /// Fires what is due after the countdown has got `left`, the largest time first, and the countdown after its marks.
        mutating func settle(firesCountdown: Bool) {
            let crossed = OvertimeModelTests.marks.indices.filter {
                canFire[$0] && left <= OvertimeModelTests.marks[$0]
            }.sorted { OvertimeModelTests.marks[$0] > OvertimeModelTests.marks[$1] }
            let fires = firesCountdown && !hasFired && left <= 0
            for index in crossed where !fires || OvertimeModelTests.marks[index] >= 0 {
                fired.append(OvertimeModelTests.countdownTag + 1 + UInt8(index))
            }
            if fires { fired.append(OvertimeModelTests.countdownTag) }
            for index in crossed where fires && OvertimeModelTests.marks[index] < 0 {
                fired.append(OvertimeModelTests.countdownTag + 1 + UInt8(index))
            }
            if fires { hasFired = true }
            for index in crossed { canFire[index] = false }
            for index in canFire.indices where left > OvertimeModelTests.marks[index] {
                canFire[index] = true
            }
        }

        mutating func set(_ newLeft: Int64) {
            left = newLeft
            if left > 0 { hasFired = false }
            settle(firesCountdown: !isPaused)
        }
    }

    @Test func `a countdown with overtime can be shortened any number of times`() throws {
        let clock = VirtualClock()
        let queue = clock.timerQueue
        let owner = RecordingTimerOwner(queue)
        var group = TimerGroup()
        let countdown = queue.setCountdown(
            .seconds(10), .overtime, tag: 1, in: &group, for: owner)
        queue.setMark(
            left: .zero - .longest, of: countdown, countdownTag: 1, tag: 2, in: &group, for: owner)
        for isPaused in [false, true] {
            if isPaused { countdown.pause() }
            for _ in 0..<100 { queue.shorten(countdown.id, by: .longest) }
            #expect(queue.info(countdown.id)?.remaining == .zero - .longest)
        }
        countdown.resume()
        clock.fireDueTimers()
        #expect(queue.info(countdown.id)?.remaining == .zero - .longest)
        queue.end(group)
    }

    /// The first timers of a restored queue have lower numbers than those that were set before the restore.
    @Test func `a mark fires when its countdown was restored paused and is set below the mark`() {
        let clock = VirtualClock()
        let queue = clock.timerQueue
        let owner = RecordingTimerOwner(queue)
        var (fired, group) = ([UInt8](), TimerGroup())
        owner.onDue = { fired.append($0) }
        let countdown = queue.setCountdown(
            .seconds(10), .overtime, tag: 1, in: &group, for: owner)
        queue.setMark(
            left: .seconds(5), of: countdown, countdownTag: 1, tag: 2, in: &group, for: owner)
        queue.restartOrder()
        queue.restore(countdown.id, total: .seconds(10), pausedWith: .seconds(8))
        queue.setRemaining(countdown.id, to: .seconds(2))
        clock.fireDueTimers()
        #expect(fired == [2])
        queue.end(group)
    }

    @Test(arguments: seeds(100))
    func `random operations fire a countdown and its marks as the model does`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        let clock = VirtualClock()
        let queue = clock.timerQueue
        let owner = RecordingTimerOwner(queue)
        var (model, fired, group) = (Model(), [UInt8](), TimerGroup())
        owner.onDue = { fired.append($0) }
        let stopwatch = queue.setStopwatch(tag: 99, in: &group, for: owner)
        let countdown = queue.setCountdown(
            .milliseconds(60), .overtime, tag: Self.countdownTag, in: &group, for: owner)
        for (index, left) in Self.marks.enumerated() {
            queue.setMark(
                left: .milliseconds(left), of: countdown, countdownTag: Self.countdownTag,
                tag: Self.countdownTag + 1 + UInt8(index), in: &group, for: owner)
        }
        for step in 0..<200 {
            let ms = Int64(random.below(40))
            switch random.below(8) {
            case 0:
                countdown.pause()
                model.isPaused = true
            case 1:
                countdown.resume()
                model.isPaused = false
                model.settle(firesCountdown: true)
            case 2:
                _ = queue.extend(countdown.id, by: .milliseconds(ms))
                model.total += ms
                model.set(model.left + ms)
            case 3:
                queue.shorten(countdown.id, by: .milliseconds(ms))
                model.set(model.left - ms)
            case 4:
                queue.setRemaining(countdown.id, to: .milliseconds(ms))
                model.total = max(model.total, ms)
                model.set(ms)
            case 5:
                countdown.restart()
                (model.isPaused, model.hasFired) = (false, false)
                model.set(model.total)
            default:
                for _ in 0..<ms {
                    model.spent += 1
                    guard !model.isPaused else { continue }
                    model.left -= 1
                    model.settle(firesCountdown: true)
                }
                clock.advance(by: .milliseconds(ms))
            }
            clock.fireDueTimers()
            let shown = "seed \(seed), step \(step)"
            #expect(fired == model.fired, "\(shown)")
            #expect(countdown.remaining == .milliseconds(model.left), "\(shown)")
            #expect(queue.info(countdown.id)?.isInOvertime == model.hasFired, "\(shown)")
            #expect(stopwatch.spent == .milliseconds(model.spent), "\(shown)")
            if fired != model.fired { break }
        }
        queue.end(group)
        #expect(queue.count == 0)
        #expect(clock.pending.isEmpty)
    }
}
