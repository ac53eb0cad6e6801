internal import Support

/// Work that runs in a later turn of the loop. Releasing the task cancels it.
@safe public final class DeferredTask {
    private let loop: LibeventLoop
    private let work: () -> Void
    /// The number of the task in the loop's queue; nil while it is not called.
    fileprivate var number: Int?

    /// Creates a task that calls `work` on the loop's thread, once after one or more uses of `call`.
    public init(on loop: LibeventLoop, _ work: @escaping () -> Void) {
        (self.loop, self.work) = (loop, work)
    }

    deinit { if let number { loop.deferredTasks.cancel(number) } }

    /// Requests a call of the work. If a turn is in progress, the work runs in the next one, after the descriptors that are
    /// ready.
    public func call() {
        guard number == nil else { return }
        number = loop.deferredTasks.add(self)
    }

    fileprivate func run() {
        number = nil
        work()
    }
}

/// The deferred tasks of a loop that were called and did not run yet, in the order of the calls.
@safe struct DeferredTasks {
    /// A task is not retained, because releasing it cancels it; nil for a cancelled task. Tasks are numbered without gaps from
    /// `firstNumber`.
    private var tasks = unsafe Deque<Unmanaged<DeferredTask>?>()
    private var firstNumber = 0

    var isEmpty: Bool { unsafe tasks.isEmpty }
    /// The number that the next task gets.
    var end: Int { unsafe firstNumber + tasks.count }

    mutating func add(_ task: DeferredTask) -> Int {
        unsafe tasks.append(Unmanaged.passUnretained(task))
        return end - 1
    }

    mutating func cancel(_ number: Int) { unsafe tasks[number - firstNumber] = nil }

    /// Removes and returns the first task whose number is less than `end`; nil if there is none.
    fileprivate mutating func take(before end: Int) -> DeferredTask? {
        while firstNumber < end, let first = unsafe tasks.removeFirst() {
            firstNumber += 1
            // Retained for the duration of the call, because the work may release the task.
            if let task = unsafe first { return unsafe task.takeUnretainedValue() }
        }
        return nil
    }
}

extension LibeventLoop {
    /// Runs the tasks with numbers less than `end`, until the turn ends.
    func runDeferredTasks(before end: Int) {
        while !hasEndedTurn, let task = deferredTasks.take(before: end) {
            task.run()
            callbackEnded()
        }
    }
}
