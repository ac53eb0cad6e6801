internal import GameFlow
internal import Sessions
internal import Timers

/// Writes the values that a body consists of.
extension BodyWriter {
    mutating func value(_ value: Value) {
        switch value {
        case .null: byte(0)
        case .bool(false): byte(1)
        case .bool(true): byte(2)
        case .int(let number):
            byte(3)
            signed(Int64(number))
        case .string(let text):
            byte(4)
            string(text)
        case .array(let values):
            byte(5)
            count(values.count)
            for value in values { self.value(value) }
        case .object(let members):
            byte(6)
            self.members(members)
        case .unfit(_, let raw):
            byte(7)
            string(raw)
        }
    }

    mutating func members(_ members: [Member]) {
        count(members.count)
        for member in members {
            string(member.name)
            value(member.value)
        }
    }

    mutating func place(_ place: StateRecord) {
        string(place.state)
        members(place.data)
    }

    mutating func happening(_ event: EventRecord) {
        string(event.name)
        members(event.arguments)
    }

    mutating func source(_ source: Source) {
        byte(source.kind.code ?? 0)
        if source.kind.code == nil { string(source.kind.name) }
        let hasPrincipal: UInt8 = source.principal == nil ? 0 : 4
        switch source.peer {
        case nil: byte(0 | hasPrincipal)
        case .process(let pid, let uid, let gid):
            byte(1 | hasPrincipal)
            signed(Int64(pid))
            unsigned(UInt64(uid))
            unsigned(UInt64(gid))
        case .address(let text):
            byte(2 | hasPrincipal)
            string(text)
        case .device(let text):
            byte(3 | hasPrincipal)
            string(text)
        }
        if let principal = source.principal { string(principal) }
    }

    /// The kind, and flags for the parts that follow: event 1, source state 2, target state 4,
    /// effects 8, missed beats 16.
    mutating func step(_ step: Step) {
        byte(step.kind.code)
        var has: UInt8 = step.event == nil ? 0 : 1
        if step.from != nil { has |= 2 }
        if step.to != nil { has |= 4 }
        if !step.effects.isEmpty { has |= 8 }
        if step.missed > 0 { has |= 16 }
        byte(has)
        source(step.source)
        if let event = step.event { happening(event) }
        if let from = step.from { place(from) }
        if let to = step.to { place(to) }
        if !step.effects.isEmpty {
            count(step.effects.count)
            for effect in step.effects {
                string(effect.name)
                members(effect.arguments)
            }
        }
        if step.missed > 0 { count(step.missed) }
    }

    mutating func order(_ order: Change.Order) {
        switch order {
        case .override(nil): byte(0)
        case .override(let reason?):
            byte(1)
            string(reason)
        case .timer(let operation):
            byte(operation.by == nil ? 2 : 3)
            string(operation.fires)
            byte(operation.action.code)
            if let by = operation.by { signed(by.nanoseconds) }
        }
    }

    mutating func timers(_ timers: [TimerRecord]) {
        count(timers.count)
        for timer in timers {
            string(timer.fires)
            signed(timer.total.nanoseconds)
            switch timer.standing {
            case .running(let until):
                byte(0)
                signed(until.nanoseconds)
                unsigned(timer.order)
            case .paused(let remaining):
                byte(1)
                signed(remaining.nanoseconds)
            }
        }
    }

    mutating func waiting(_ waiting: [MachineSnapshot.Deferred]) {
        count(waiting.count)
        for deferred in waiting {
            happening(deferred.event)
            source(deferred.source)
        }
    }
}
