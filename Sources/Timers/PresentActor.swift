internal import CExecution

/// The actor on which code ran at some moment, as the runtime knew it. `#isolation` is known at compile time only, and it is nil in
/// initial values and in the `init` of an actor.
@safe struct PresentActor {
    /// The actor or its executor; weak, because an actor usually retains what refers to it here.
    private weak var owner: AnyObject?
    private let executor: UnownedSerialExecutor

    init(_ actor: any Actor) {
        unsafe self.init(owner: actor, executor: actor.unownedExecutor)
    }

    @unsafe private init(owner: AnyObject, executor: UnownedSerialExecutor) {
        self.owner = owner
        unsafe self.executor = executor
    }

    /// The actor on which the caller runs; nil if it runs on none.
    static var current: PresentActor? {
        if execution_task() == 0 { return execution_is_main_thread() == 0 ? nil : main }
        let executor = execution_executor()
        guard executor.identity != 0 else { return nil }
        // The executor of the main actor need not be an object.
        if executor.identity == execution_main_actor() { return main }
        let bits = (executor.identity, executor.implementation)
        return unsafe PresentActor(
            owner: Unmanaged<AnyObject>.fromOpaque(
                UnsafeRawPointer(bitPattern: executor.identity)!
            ).takeUnretainedValue(),
            executor: unsafeBitCast(bits, to: UnownedSerialExecutor.self))
    }

    private static var main: PresentActor {
        unsafe PresentActor(owner: MainActor.shared, executor: MainActor.sharedUnownedExecutor)
    }

    /// Whether the actor was not released.
    var exists: Bool { owner != nil }

    /// Something that runs code on the actor; nil if the actor was released.
    var seat: ActorSeat? {
        guard let owner else { return nil }
        return unsafe ActorSeat(RetainedOwner(object: owner), executor)
    }
}

/// An actor or its executor, which is retained and not used.
@safe private struct RetainedOwner: @unchecked Sendable {
    let object: AnyObject
}

/// Runs code on another actor, whose executor it has.
@safe actor ActorSeat {
    nonisolated let unownedExecutor: UnownedSerialExecutor
    /// Keeps the executor alive.
    private let owner: RetainedOwner

    @unsafe fileprivate init(_ owner: RetainedOwner, _ executor: UnownedSerialExecutor) {
        unsafe unownedExecutor = executor
        self.owner = owner
    }

    /// Calls `work` on the actor.
    func run(_ work: @Sendable () -> Void) { work() }
}
