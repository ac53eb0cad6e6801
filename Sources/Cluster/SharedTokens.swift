package import Access
package import EventLoop
import Parts
package import PostgresStore
import Support
import Timers

/// The tokens and invitations that all nodes share.
///
/// The tokens and their version number are in a table of the database. This node has a copy. It reads the table again when
/// another node notifies it of a change, and checks every second whether the version has changed.
///
/// This node makes a change in its copy and sends it to the database with the version of the copy. If another node has changed
/// the tokens meanwhile, the database does not execute the change, and this node reads the tokens and tries again. So an
/// invitation for one guest is used once, even if guests use it at several nodes.
package final class SharedTokens: TokenStore {
    /// The table of the database, with a line for each token.
    private let table: TokenTable
    private let loop: LibeventLoop
    /// This node's copy of the tokens.
    package private(set) var tokens: TokenFile
    /// The version of `tokens`; nil before the first read.
    package private(set) var version: Int?
    /// Called with the new tokens when a read has found tokens that differ from the copy.
    package var changed: (TokenFile) -> Void = { _ in }
    /// Called with the reason when the tokens in the store cannot be read; not twice in a row with the same reason.
    package var failed: (_ why: String) -> Void = {
        Log.write(
            .error, .access,
            "the tokens in the store cannot be read, those that were read last stay valid: \($0)")
    }
    /// Changes that wait until the present change is complete.
    private var waitingChanges = Deque<() -> Void>()
    /// Whether a change is in progress; later changes wait.
    private var isChanging = false
    /// Whether `readIfChanged` waits for the database.
    private var isReading = false
    private var readTimer = Ticker()
    /// The reason in the last call of `failed`.
    private var reportedReason = ReportedReason()
    /// Whether the tokens may have changed although their version number is the same. After a fail-over, the new server may
    /// have lost the newest changes. It may then use the version numbers of these changes for other changes.
    private var isVersionDoubtful = false

    /// The maximum number of attempts to make a change while other nodes change the tokens.
    static let attemptLimit = 20
    private static let readInterval = Duration.seconds(1)

    /// If `acceptsWeakStore` is true, a database is used although it may lose acknowledged changes (`--accept-weak-store`).
    package init(
        _ location: PostgresLocation, acceptsWeakStore: Bool, on loop: LibeventLoop
    ) throws(TokenFile.TokenError) {
        // Without a file: the tokens are only in memory until the first read.
        tokens = try TokenFile(nil)
        self.loop = loop
        table = TokenTable(location, acceptsWeakStore: acceptsWeakStore, on: loop)
        table.mayHaveChanged = { [unowned self] in readIfChanged() }
        table.connected = { [unowned self] in
            isVersionDoubtful = true
            readIfChanged()
        }
        table.start()
        readTimer.start(on: loop, Self.readInterval) { [unowned self] _ in
            readIfChanged()
        }
    }

    package func stop() {
        readTimer.stop()
        table.stop()
    }

    // MARK: reading

    /// Reads the tokens if they have changed, unless such a read is in progress.
    private func readIfChanged() {
        guard !isReading else { return }
        isReading = true
        read { [unowned self] _ in isReading = false }
    }

    /// Reads the tokens if they have changed. Calls `done` with nil, or with the reason of a failure.
    private func read(_ done: @escaping (_ why: String?) -> Void) {
        let knownVersion = version
        let versionToCompare = isVersionDoubtful ? nil : knownVersion
        isVersionDoubtful = false
        table.read(unlessVersionIs: versionToCompare) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let contents): done(use(contents, versionAtRequest: knownVersion))
            case .failure(let error):
                if versionToCompare == nil { isVersionDoubtful = true }
                report(error)
                done(error.why)
            }
        }
    }

    /// Reports a failed read. A read that fails again for the reason of the previous failed read is not reported. Before the
    /// first successful read, a missing connection is not reported: `ClusterStart` then waits for the connection, and a report
    /// would make the start fail.
    private func report(_ error: PostgresError) {
        guard version != nil || !error.isDisconnect,
            reportedReason.isNew(error.why)
        else { return }
        failed(error.why)
    }

    /// Replaces the copy with the contents that were read, unless this node has changed the copy since the request to read.
    /// `versionAtRequest` is the version of the copy at the time of the request. Returns why the contents are invalid; nil if
    /// they are valid or not used.
    private func use(_ contents: TokenTable.Contents, versionAtRequest: Int?) -> String? {
        // `lines` is nil if the version in the database equals the version in the request: nothing has changed.
        guard let lines = contents.lines else {
            reportedReason.clear()
            return nil
        }
        // This node has changed the tokens since the request: the contents may be older than the copy.
        if version != versionAtRequest { return nil }
        do throws(TokenFile.TokenError) {
            let newTokens = try TokenFile(lines: lines)
            let (removedNames, changedLines) = newTokens.differences(from: tokens)
            let isFirstRead = version == nil
            (tokens, version) = (newTokens, contents.version)
            reportedReason.clear()
            if isFirstRead || !removedNames.isEmpty || !changedLines.isEmpty { changed(newTokens) }
            return nil
        } catch {
            if reportedReason.isNew(error.why) { failed(error.why) }
            return error.why
        }
    }

    // MARK: changing

    /// Makes a change. `body` changes a copy of the tokens. If another node has changed the tokens meanwhile, `body` is called
    /// again.
    ///
    /// Calls `done` with the result of `body` and all tokens when the change is in the database. Otherwise calls `done` with
    /// an error: the error of `body`, `storage` if nothing was changed, or `unknown` if the outcome is not known.
    package func change<Value>(
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<(Value, TokenFile), TokenFile.TokenError>) -> Void
    ) {
        waitingChanges.append { [weak self] in
            self?.attempt(Self.attemptLimit, body) { result in
                done(result)
                self?.startNextChange()
            }
        }
        if !isChanging { startNextChange() }
    }

    private func startNextChange() {
        guard let change = waitingChanges.removeFirst() else {
            isChanging = false
            return
        }
        isChanging = true
        change()
    }

    /// Tries at most `attemptsLeft` times to make a change. An attempt fails if another node has changed the tokens meanwhile.
    private func attempt<Value>(
        _ attemptsLeft: Int,
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<(Value, TokenFile), TokenFile.TokenError>) -> Void
    ) {
        guard let version else {
            return done(.failure(.storage("the tokens in the store were not read yet")))
        }
        guard attemptsLeft > 0 else {
            return done(.failure(.storage("the tokens in the store are changed too often")))
        }
        var newTokens = tokens
        let value: Value
        do throws(TokenFile.TokenError) { value = try body(&newTokens) } catch {
            return done(.failure(error))
        }
        let (removedNames, changedLines) = newTokens.differences(from: tokens)
        guard !removedNames.isEmpty || !changedLines.isEmpty else {
            return done(.success((value, newTokens)))
        }
        table.change(from: version, removing: removedNames, writing: changedLines) {
            [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let newVersion?):
                (tokens, self.version) = (newTokens, newVersion)
                done(.success((value, newTokens)))
            case .success(nil):
                // Another node has changed the tokens, so the database has refused this change.
                read { [weak self] why in
                    if let why { return done(.failure(.storage(why))) }
                    self?.attempt(attemptsLeft - 1, body, done)
                }
            case .failure(let error) where error.isDisconnect:
                done(.failure(.unknown(error.why)))
            case .failure(let error): done(.failure(.storage(error.why)))
            }
        }
    }
}
