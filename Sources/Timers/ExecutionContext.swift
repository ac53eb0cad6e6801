internal import CExecution

/// Where code runs: on an actor, otherwise in a task, otherwise on a thread. In one context, one thing runs at a time.
///
/// On Apple's platforms the main actor's context is the main thread, where callbacks of the system run in no task. On Linux any
/// thread may run the main actor after `dispatchMain`.
struct ExecutionContext: Equatable, Sendable {
    /// The address of an actor or of a task, or the identifier of a thread; 0 for no context.
    private let id: UInt

    private init(_ id: UInt) { self.id = id }

    /// No context. It is unequal to every context in which code runs.
    static let none = ExecutionContext(0)

    /// The context of a queue whose clock waits for its first user. It is unequal to every context in which code runs: there is no
    /// actor, task or thread at this address.
    static let unclaimed = ExecutionContext(1)

    /// Whether the caller runs on this thread, in a task or in none.
    @inline(__always) var isThisThread: Bool { id == execution_thread() }

    /// Whether the caller runs on this thread, and in no task.
    @inline(__always) var isOutsideTasks: Bool { isThisThread && execution_task() == 0 }

    /// The context in which the caller runs.
    @inline(__always) static var current: ExecutionContext {
        let task = execution_task()
        return ExecutionContext(task == 0 ? execution_thread() : contextOfTask(task))
    }

    private static func contextOfTask(_ task: UInt) -> UInt {
        let actor = execution_actor()
        if actor == 0 { return task }
        #if canImport(Darwin)
            if actor == mainActor { return execution_thread() }
        #endif
        return actor
    }

    #if canImport(Darwin)
        private static let mainActor = execution_main_actor()
    #endif
}
