import Timers

/// What a person does with a device.
extension Peripheral {
    /// Presses a button, counted from 0; false if there is none such.
    @discardableResult public func press(button: Int) -> Bool {
        guard model.buttons.indices.contains(button) else { return false }
        press(model.buttons[button].characteristic, model.buttons[button].value)
        return true
    }

    /// Has a characteristic tell a value.
    func press(_ characteristic: Subscription, _ value: [UInt8]) {
        presses.pressed += 1
        if case .asleep = presence {
            // It wakes, and has to be found first.
            appear()
        }
        stayAwake()
        if tell(characteristic, value) { return }
        guard model.queue > 0 else {
            presses.lost += 1
            return
        }
        if kept.count == model.queue {
            kept.removeFirst()
            presses.lost += 1
        }
        kept.append((characteristic, value))
    }

    /// It goes out of reach until it is told to come back.
    public func drop() { drop(for: nil) }

    /// It goes out of reach; for good, or for a while.
    func drop(for while: Duration?) {
        let timer = `while`.map { time in
            ScopedCountdown(on: air.timeline, time) { [unowned self] in comeBack() }
        }
        let before = presence
        presence = .away(timer)
        if case .linked(let link) = before { link.breakOff() }
    }

    /// It is within reach again, and awake.
    public func comeBack() {
        switch presence {
        case .away, .asleep:
            stayAwake()
            appear()
        case .here, .linked: break
        }
    }

    /// It ends its link, and sleeps until it is pressed.
    public func fallAsleep() {
        let before = presence
        presence = .asleep
        if case .linked(let link) = before { link.end(.remoteUserEnded) }
    }

    func stayAwake() {
        guard let after = model.sleepsAfter else { return }
        sleep = ScopedCountdown(on: air.timeline, after) { [unowned self] in
            if !isAway { fallAsleep() }
        }
    }
}
