import Foundation
public import GameFlow
internal import Support
internal import Timers

/// Hosts named machines of one flow in a server, and keeps them in a store.
///
///     let host = SessionHost(Checkout(), store: try FileSnapshotStore("/var/lib/shop"))
///     try await host.restore()
///     try await host.open("order-7")
///     try await host.send(.pay, to: "order-7", id: request.id)
///
/// A `send` returns when the change is saved. Requests and firings of timers of one name are carried out one at a time, each saved
/// before the next begins. Timers follow their declared policies over a restart.
///
/// Names and ids are compared by their bytes. A store belongs to one host at a time. A host that is released ends its timers and the
/// sequences of its readers; its machines stay in the store.
public actor SessionHost<F: Flow>: FiringHost
where F.State: Sendable, F.StateName: Sendable, F.Event: Sendable {
    private let definition: FlowDefinition<F>
    private let store: any SnapshotStore
    /// Makes the clock on the host's isolation.
    private let makeClock: (isolated (any Actor)?) -> TaskClock
    private let sleep: @Sendable (Duration) async -> Void
    private lazy var clock = makeClock(self)
    private lazy var numbers = EntryNumbers(startingAt: clock.now)
    private var machines: [ByteText: HostedMachine<F>] = [:]
    private var forgottenIDs = ForgottenIDs(limit: SessionHost.forgottenIDLimit)
    /// The machines of the store that are not open.
    private var unopened = Unopened.unread
    /// Whether a task reads the store. Meanwhile no machine is opened.
    private var isReading = false
    /// The tasks that wait until the store is read.
    private var waitingForReading: [CheckedContinuation<Void, Never>] = []

    private enum Unopened {
        case unread
        case names(Set<ByteText>)
    }

    /// The greatest number of bytes of a name.
    public static var nameLimit: Int { 64 }
    /// The greatest number of requests for a machine that wait until those before them are saved. A further one is refused (`limit`).
    public static var waitingLimit: Int { 1024 }
    /// The greatest number of forgotten ids, of all machines, that the host remembers.
    static var forgottenIDLimit: Int { 1_048_576 }
    /// The first and the longest pause before the change of a firing is saved again.
    private static var pauses: (first: Duration, longest: Duration) {
        (.milliseconds(100), .seconds(30))
    }

    /// Creates a host without machines; `restore` brings back those of the store.
    public init(_ flow: sending F, store: any SnapshotStore) {
        self.init(flow, store: store, clock: ContinuousClock()) {
            .seconds(Date().timeIntervalSince1970)
        }
    }

    /// Creates a host whose timers run by `clock`; for tests. `wallTime` returns the time since 1970, from which timers continue
    /// after a restart.
    public init<C: Clock>(
        _ flow: sending F, store: any SnapshotStore, clock: C,
        wallTime: @escaping @Sendable () -> Duration
    ) where C.Duration == Duration {
        (definition, self.store) = (FlowDefinition(flow), store)
        makeClock = { isolation in
            TaskClock(clock, startingAt: .zero + wallTime(), isolation: isolation)
        }
        sleep = { try? await clock.sleep(for: $0) }
    }

    // MARK: requests

    /// Opens a machine in the flow's initial state, or in `state`, and returns its state when it is saved. Throws `HostRefusal`:
    /// `exists`, also if the store has a machine of this name that was not restored; `invalid` if the state needs data or is final,
    /// or the name is empty or too long; or `storage`. The first call for a host that has not restored reads the store.
    @discardableResult
    public func open(_ name: String, at state: F.StateName? = nil) async throws -> F.State {
        guard 1...Self.nameLimit ~= name.utf8.count else {
            throw HostRefusal(.invalid, "a name has 1 to \(Self.nameLimit) bytes")
        }
        if let state = state?.rawValue, definition.anyFlow.finals.contains(state) {
            throw HostRefusal(.invalid, "\(state) is a final state")
        }
        let name = ByteText(name)
        try await requireNew(name)
        let hosted = newMachine(name)
        do throws(Reason) {
            try hosted.machine.open(state?.rawValue, [], from: .program)
        } catch { throw HostRefusal(.invalid, error.sentence, error) }
        machines[name] = hosted
        hosted.isBusy = true
        do { try await save(hosted) } catch {
            machines[name] = nil
            hosted.close()
            throw HostRefusal(.storage, "\(error)")
        }
        hosted.publish()
        let opened = hosted.machine.state
        end(hosted)
        return opened
    }

    /// Sends an event, and returns the state after it when it is saved. With `entry`, the event is refused as `stale` if the
    /// machine has entered a state since that visit, also if it was closed and opened again. With `id`, of 1 to 64 characters, a
    /// repeated request gets the first answer and changes nothing; the answers to the last 1 024 ids of a machine are kept, over
    /// restarts, too. A request whose answer is forgotten, or whose machine was closed since, is refused as `stale`: the host knows
    /// about a million such ids until it ends. Signals come from timers only, so one from elsewhere is refused with the reason
    /// `forbidden`. If the change cannot be saved, it is undone. If `waitingLimit` requests for the machine wait, the event is refused
    /// as `limit`.
    @discardableResult
    public func send(
        _ event: F.Event, to name: String, entry: Int? = nil, id: String? = nil
    ) async throws(HostRefusal) -> F.State {
        let name = ByteText(name)
        let id = try id.map { id throws(HostRefusal) in try RequestID(id) }
        let hosted = try await begin(name)
        defer { end(hosted) }
        if let id {
            let answer: F.State?
            do throws(Reason) { answer = try hosted.answer(to: id) } catch {
                throw HostRefusal(.invalid, error.sentence, error)
            }
            if let answer { return answer }
            if forgottenIDs.contains(id.text, of: name) {
                throw HostRefusal(.stale, "the answer to a request with this id is forgotten")
            }
        }
        if let entry, entry != hosted.entry {
            throw HostRefusal(.stale, "entry \(entry) is over; the present one is \(hosted.entry)")
        }
        let mark = hosted.mark
        let state: F.State
        do throws(Refusal<F.State, F.Event>) { state = try hosted.send(event) } catch {
            throw HostRefusal(.refused, "\(error)", error.reason)
        }
        // If the step is undone, the forgotten answers are there again, and are found first.
        if let id { forget(hosted.remember(id), of: name) }
        do { try await save(hosted) } catch {
            let waiting = hosted.waiting
            hosted.undo(to: mark)
            clock.fireDueTimers()
            hosted.orderWaiting(as: waiting)
            throw HostRefusal(.storage, "\(error)")
        }
        hosted.publish()
        return state
    }

    /// The state of a machine that is saved; nil if no machine has the name.
    public func state(of name: String) -> F.State? { machines[ByteText(name)]?.saved?.state }

    /// The names of the machines, sorted by their bytes.
    public var names: [String] { machines.keys.sorted().map(\.text) }

    /// The saved changes of a machine: the present state first. The sequence ends when the machine is closed; at once if no machine
    /// has the name.
    public func changes(of name: String) -> HostedChanges<F.State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: HostedChanges<F.State>.Element.self,
            bufferingPolicy: .bufferingNewest(HostedChanges<F.State>.limit))
        if let hosted = machines[ByteText(name)] {
            hosted.addWatcher(continuation)
        } else {
            continuation.finish()
        }
        return HostedChanges(stream)
    }

    /// Closes a machine: removes it from the store, and ends its timers and its readers. Throws `HostRefusal`: `unknown`, `storage`
    /// or, as `send`, `limit`.
    public func close(_ name: String) async throws {
        let name = ByteText(name)
        let hosted = try await begin(name)
        do { try await store.save(nil, of: name.text) } catch {
            end(hosted)
            throw HostRefusal(.storage, "\(error)")
        }
        machines[name] = nil
        forget(hosted.answers.map { ByteText($0.id) }, of: name)
        hosted.close()
    }

    private func forget(_ ids: [ByteText], of name: ByteText) {
        for id in ids { forgottenIDs.add(id, of: name) }
    }

    private func save(_ hosted: HostedMachine<F>) async throws {
        try await store.save(hosted.snapshot, of: hosted.name.text)
    }

    // MARK: the machines of the store

    /// Brings back the machines of the store that are not open, and returns their names, sorted. Their timers continue by their
    /// declared policies; those that became due meanwhile fire now. Throws `HostRefusal`: `storage`, or `invalid` with the name of
    /// a machine that the flow does not accept; then none is brought back.
    ///
    /// Requests for machines that are not open wait while the store is read. A machine that is closed meanwhile stays closed.
    @discardableResult
    public func restore() async throws -> [String] {
        let restored = try await bringBack()
        // The next restart continues from here, and not from before this one. If the store fails, it continues from before.
        for hosted in restored where !hosted.isBusy {
            hosted.isBusy = true
            try? await save(hosted)
            end(hosted)
        }
        clock.fireDueTimers()
        return restored.map(\.name.text)
    }

    private func bringBack() async throws(HostRefusal) -> [HostedMachine<F>] {
        while isReading { await readingEnds() }
        isReading = true
        defer { endReading() }
        let snapshots = try await readUnopened()
        // The host that made the newest snapshot was alive then.
        let lastAlive = snapshots.values.map(\.savedNs).max().map { Instant(nanoseconds: $0) }
        var (timers, restored): ([RestoredTimer], [HostedMachine<F>]) = ([], [])
        for (name, snapshot) in snapshots.sorted(by: { $0.key < $1.key }) {
            let hosted = newMachine(name)
            guard snapshot.flow == definition.anyFlow.name else {
                throw HostRefusal(
                    .invalid, "\(name.text): a machine of the flow \(snapshot.flow)")
            }
            let downtime = Downtime(
                lastAlive: lastAlive, snapshotAt: Instant(nanoseconds: snapshot.savedNs))
            do { try hosted.restore(snapshot, downtime, adding: &timers) } catch {
                let sentence = (error as? Reason)?.sentence ?? "\(error)"
                throw HostRefusal(.invalid, "\(name.text): \(sentence)", error as? Reason)
            }
            restored.append(hosted)
        }
        RestoredTimer.set(timers, on: clock.timerQueue, queueIsEmpty: machines.isEmpty)
        for hosted in restored {
            machines[hosted.name] = hosted
            hosted.publish()
        }
        unopened = .names([])
        return restored
    }

    /// Reads the snapshots of the machines that are not open. While the caller has set `isReading`, none is opened. So a machine that
    /// was open at the beginning is not among them, even if it is closed before the store answers.
    private func readUnopened() async throws(HostRefusal) -> [ByteText: MachineSnapshot] {
        let open = machines
        let kept: [(name: String, snapshot: MachineSnapshot)]
        do { kept = try await store.loadAll() } catch {
            throw HostRefusal(.storage, "\(error)")
        }
        // Also those of machines that are not restored, or not yet.
        for (_, snapshot) in kept where MachineSnapshot.counts ~= snapshot.entry {
            numbers.skip(to: snapshot.entry)
        }
        let snapshots = Dictionary(kept.map { (ByteText($0.name), $0.snapshot) }) { $1 }
            .filter { open[$0.key] == nil }
        unopened = .names(Set(snapshots.keys))
        return snapshots
    }

    /// Waits until no task reads the store, and throws if a machine of this name is open or in the store.
    private func requireNew(_ name: ByteText) async throws(HostRefusal) {
        while machines[name] == nil {
            if isReading {
                await readingEnds()
                continue
            }
            if case .names(let names) = unopened {
                guard names.contains(name) else { return }
                throw HostRefusal(.exists, "the store has a machine of this name; restore it")
            }
            isReading = true
            defer { endReading() }
            _ = try await readUnopened()
        }
        throw .exists
    }

    private func readingEnds() async {
        await withCheckedContinuation { waitingForReading.append($0) }
    }

    private func endReading() {
        isReading = false
        let waiting = waitingForReading
        waitingForReading = []
        for continuation in waiting { continuation.resume() }
    }

    // MARK: one at a time

    private func newMachine(_ name: ByteText) -> HostedMachine<F> {
        HostedMachine(name, definition, on: clock, numbers, due: dueHandler(name))
    }

    /// Returns what is called with the firings of a machine. The machine is used on the host's isolation only, so its timers are
    /// due there.
    private nonisolated func dueHandler(_ name: ByteText) -> (Firing) -> Void {
        { [weak self] firing in self?.assumeIsolated { $0.isDue(firing, of: name) } }
    }

    /// Waits until it is the turn of a request.
    private func begin(_ name: ByteText) async throws(HostRefusal) -> HostedMachine<F> {
        while machines[name] == nil, isReading { await readingEnds() }
        // Timers that are due fire before the request.
        clock.fireDueTimers()
        guard let hosted = machines[name] else { throw .unknown }
        if hosted.isBlocked { throw .storage }
        guard hosted.isBusy else {
            hosted.isBusy = true
            return hosted
        }
        if hosted.waitingRequestCount >= Self.waitingLimit { throw .limit }
        if let refusal = await withCheckedContinuation({ hosted.waiting.append(.request($0)) }) {
            throw refusal
        }
        return hosted
    }

    /// Gives the turn to what waits next.
    private func end(_ hosted: HostedMachine<F>) {
        guard !hosted.waiting.isEmpty else {
            hosted.isBusy = false
            return
        }
        switch hosted.waiting.removeFirst() {
        case .request(let continuation): continuation.resume(returning: nil)
        case .firing(let due): carryOutLater(due, hosted)
        }
    }

    // MARK: timers

    private func isDue(_ firing: Firing, of name: ByteText) {
        guard let hosted = machines[name] else { return }
        let due = DueFiring(firing: firing, entry: hosted.entry)
        if hosted.isBusy { return hosted.waiting.append(.firing(due)) }
        hosted.isBusy = true
        carryOutLater(due, hosted)
    }

    /// Carries out a firing, and saves the machine. If the store fails, tries again after a pause, until it works; requests for the
    /// machine are refused meanwhile. The task does not retain the host, not even during a save: if timers fire faster than the store
    /// works, the host would never be released. The snapshot has a timer whose firing waits as one that has yet to fire.
    private func carryOutLater(_ due: DueFiring, _ hosted: HostedMachine<F>) {
        let (name, pauses) = (hosted.name, Self.pauses)
        Task { [weak host = self as any FiringHost, store, sleep] in
            var unsaved = await host?.carryOut(due, name)
            var pause = pauses.first
            while let snapshot = unsaved {
                do { try await store.save(snapshot, of: name.text) } catch {
                    await host?.firingIsNotSaved(of: name)
                    await sleep(pause)
                    pause = min(pause + pause, pauses.longest)
                    unsaved = await host?.snapshot(of: name)
                    continue
                }
                await host?.firingIsSaved(of: name)
                return
            }
        }
    }

    /// Carries out a firing, unless its visit of the state is over, and returns the snapshot to save; nil if nothing is to be saved.
    /// It saves also after a firing that changes nothing, because the timer would otherwise fire again after a restart. The beat of a
    /// pendulum that changes nothing is not saved.
    func carryOut(_ due: DueFiring, _ name: ByteText) -> MachineSnapshot? {
        // The machine is busy with this firing, so it is not closed.
        guard let hosted = machines[name] else { return nil }
        let changes = hosted.changes
        if hosted.entry == due.entry {
            try? hosted.machine.take(due.firing)
            hosted.isPublished = hosted.changes == changes
            if !hosted.isPublished || !hosted.isPendulum(due.firing) { return hosted.snapshot }
        }
        end(hosted)
        return nil
    }

    func snapshot(of name: ByteText) -> MachineSnapshot? { machines[name]?.snapshot }

    func firingIsSaved(of name: ByteText) {
        guard let hosted = machines[name] else { return }
        hosted.isBlocked = false
        if !hosted.isPublished { hosted.publish() }
        end(hosted)
    }

    func firingIsNotSaved(of name: ByteText) {
        guard let hosted = machines[name] else { return }
        hosted.isBlocked = true
        hosted.refuseWaiting(.storage)
    }
}
