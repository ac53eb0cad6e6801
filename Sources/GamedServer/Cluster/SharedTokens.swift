import EventLoop
import PostgresStore
import Support
import Timers

/// The tokens and invitations that all nodes share.
///
/// This node has a copy, which it reads again when another node has changed the tokens: that node says so, and once in
/// a second this one looks by itself. A change is made in the copy and then in the database, which executes it only if no
/// other node has changed the tokens meanwhile; otherwise it is made again in a new copy. So an invitation for one is
/// used once, whichever nodes the guests ask.
final class SharedTokens {
    private let table: TokenTable
    private let loop: LibeventLoop
    /// The tokens as they were read last.
    private(set) var tokens: TokenFile
    /// Their version; nil before the first look.
    private(set) var version: Int?
    /// Called when the tokens were read and differ from the copy.
    var changed: (TokenFile) -> Void = { _ in }
    /// Called with each reason once why the tokens in the store cannot be read.
    var failed: (_ why: String) -> Void = {
        Log.write(
            .error,
            "the tokens in the store cannot be read, those that were read last stay valid: \($0)")
    }
    /// Changes that wait for the one that is being made.
    private var waiting = Deque<() -> Void>()
    private var isChanging = false
    private var isLooking = false
    private var pulse: ScopedPendulum?
    private var lastFault: String?
    /// Whether the version may have another meaning than before: a server that takes the place of another one may have lost
    /// the newest changes, and number others in the same way.
    private var isVersionDoubtful = false

    /// How often a change is made again because another node was faster.
    static let attempts = 20
    private static let look = Duration.seconds(1)

    init(
        _ location: PostgresLocation, acceptsWeak: Bool, on loop: LibeventLoop
    ) throws(TokenFile.TokenError) {
        tokens = try TokenFile(nil)
        self.loop = loop
        table = TokenTable(location, acceptsWeak: acceptsWeak, on: loop)
        table.mayHaveChanged = { [unowned self] in look() }
        table.connected = { [unowned self] in
            isVersionDoubtful = true
            look()
        }
        table.start()
        pulse = ScopedPendulum(on: loop, Self.look) { [unowned self] _ in look() }
    }

    func stop() {
        pulse = nil
        table.stop()
    }

    // MARK: reading

    private func look() {
        guard !isLooking else { return }
        isLooking = true
        read { [unowned self] _ in isLooking = false }
    }

    /// Reads the tokens if they have changed. `done` gets the reason if that fails.
    private func read(_ done: @escaping (_ why: String?) -> Void) {
        let known = version
        let knownByServer = isVersionDoubtful ? nil : known
        isVersionDoubtful = false
        table.read(known: knownByServer ?? -1) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let contents): done(take(contents, readAt: known))
            case .failure(let error):
                if knownByServer == nil { isVersionDoubtful = true }
                report(error)
                done(error.why)
            }
        }
    }

    /// Reports a failed read: each reason once, until a read succeeds. Before the first read has succeeded, a start waits for a
    /// connection.
    private func report(_ error: PostgresError) {
        guard version != nil || !error.isDisconnect,
            exchange(&lastFault, with: error.why) != error.why
        else { return }
        failed(error.why)
    }

    /// Returns the reason why the contents cannot be used; nil if they can. `known` is the version of the copy when they were
    /// asked for.
    private func take(_ contents: TokenTable.Contents, readAt known: Int?) -> String? {
        guard let lines = contents.lines else {
            lastFault = nil
            return nil
        }
        // A read that was sent before a change of this node must not bring the older tokens back.
        if version != known { return nil }
        do throws(TokenFile.TokenError) {
            let fresh = try TokenFile(lines: lines)
            let (removed, written) = fresh.differences(from: tokens)
            let isFirst = version == nil
            (tokens, version, lastFault) = (fresh, contents.version, nil)
            if isFirst || !removed.isEmpty || !written.isEmpty { changed(fresh) }
            return nil
        } catch {
            if exchange(&lastFault, with: error.why) != error.why { failed(error.why) }
            return error.why
        }
    }

    // MARK: changing

    /// Makes a change. `done` gets the body's result and all tokens when every node will see them; a failure says
    /// whether nothing was changed, or whether that is unknown.
    func change<Value>(
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<(Value, TokenFile), TokenFile.TokenError>) -> Void
    ) {
        waiting.append { [weak self] in
            self?.attempt(Self.attempts, body) { result in
                done(result)
                self?.next()
            }
        }
        if !isChanging { next() }
    }

    private func next() {
        guard let change = waiting.removeFirst() else {
            isChanging = false
            return
        }
        isChanging = true
        change()
    }

    private func attempt<Value>(
        _ left: Int,
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<(Value, TokenFile), TokenFile.TokenError>) -> Void
    ) {
        guard let version else {
            return done(.failure(.file("the tokens in the store were not read yet")))
        }
        guard left > 0 else {
            return done(.failure(.file("the tokens in the store are changed too often")))
        }
        var fresh = tokens
        let value: Value
        do throws(TokenFile.TokenError) { value = try body(&fresh) } catch {
            return done(.failure(error))
        }
        let (removed, written) = fresh.differences(from: tokens)
        guard !removed.isEmpty || !written.isEmpty else { return done(.success((value, fresh))) }
        table.change(from: version, removing: removed, writing: written) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let new?):
                (tokens, self.version) = (fresh, new)
                done(.success((value, fresh)))
            case .success(nil):
                read { [weak self] why in
                    if let why { return done(.failure(.file(why))) }
                    self?.attempt(left - 1, body, done)
                }
            case .failure(let error) where error.isDisconnect:
                done(.failure(.unknown(error.why)))
            case .failure(let error): done(.failure(.file(error.why)))
            }
        }
    }
}
