import Timers

/// Owns the timers of a clock that moves on and on.
private final class Owner: TimerOwner {
    let clock = VirtualClock()
    private var group = TimerGroup()
    private(set) var countdown: Countdown
    private(set) var pendulum: Pendulum

    override init() {
        let owner = TimerOwner()
        countdown = clock.timerQueue.setCountdown(.seconds(1), in: &group, for: owner)
        pendulum = clock.timerQueue.setPendulum(.seconds(1), in: &group, for: owner)
        super.init()
        replaceTimers()
    }

    deinit { clock.timerQueue.end(group) }

    /// Ends the timers and sets others.
    func replaceTimers() {
        clock.timerQueue.end(group)
        group = TimerGroup()
        countdown = clock.timerQueue.setCountdown(.minutes(5), in: &group, for: self)
        pendulum = clock.timerQueue.setPendulum(.seconds(1), in: &group, for: self)
    }

    override func due(_ firing: Firing) {}
}

/// An owner on an actor.
private actor Room {
    private let owner = Owner()

    func turn() -> (Countdown, Pendulum) {
        owner.clock.advance(by: .milliseconds(700))
        owner.countdown.restart()
        owner.replaceTimers()
        return (owner.countdown, owner.pendulum)
    }
}

/// An owner that one task gives to the next. Only the latest receiver uses it.
private final class Baton: @unchecked Sendable {
    private let owner: Owner
    init(_ owner: sending Owner) { self.owner = owner }

    /// Uses the owner, and gives it on.
    func run(_ laps: Int) async {
        owner.clock.advance(by: .milliseconds(700))
        owner.replaceTimers()
        let (countdown, pendulum) = (owner.countdown, owner.pendulum)
        guard laps > 0 else { return }
        async let next: Void = Task.detached { await self.run(laps - 1) }.value
        // The owner is given away. These handles may work until the next task has taken it, and are ended then.
        for _ in 0..<50 { use(countdown, pendulum) }
        await next
    }
}

/// A clock that one task makes and another one releases, without using it.
private final class Given: @unchecked Sendable {
    private var clock: VirtualClock? = VirtualClock()
    private let owner = TimerOwner()
    private var group = TimerGroup()

    func setCountdown() -> Countdown {
        clock!.timerQueue.setCountdown(.minutes(5), in: &group, for: owner)
    }

    func release() { clock = nil }
}

/// Uses a handle while another task releases its clock.
private func useWhileReleased() async {
    let given = Given()
    let countdown = given.setCountdown()
    async let released: Void = Task.detached { given.release() }.value
    for _ in 0..<50 {
        _ = countdown.remaining
        countdown.pause()
    }
    await released
}

private func use(_ countdown: Countdown, _ pendulum: Pendulum) {
    _ = countdown.remaining
    countdown.pause()
    countdown.extend(by: .seconds(1))
    countdown.resume()
    pendulum.restart()
    _ = pendulum.isLive
}

@main private struct HandleRaces {
    static func main() async {
        let rooms = [Room(), Room()]
        await withTaskGroup(of: Void.self) { group in
            for room in rooms {
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<200 {
                            let (countdown, pendulum) = await room.turn()
                            for _ in 0..<20 { use(countdown, pendulum) }
                        }
                    }
                }
            }
            for _ in 0..<4 { group.addTask { await Baton(Owner()).run(200) } }
            for _ in 0..<4 {
                group.addTask { for _ in 0..<500 { await useWhileReleased() } }
            }
            for _ in 0..<2 { group.addTask { await handAround() } }
        }
        print("no race")
    }
}
