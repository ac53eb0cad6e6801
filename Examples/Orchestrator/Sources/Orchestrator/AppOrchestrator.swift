public import GameFlow
public import ShippedFlows
public import Timers

/// Starts an app: the machine decides what happens next, and the orchestrator carries out the machine's effects.
///
/// The work for an effect belongs to the entry into the state that requested the effect. Leaving the state cancels the work. A
/// result that comes too late is dropped, so that it is not taken for the result of a later attempt.
@MainActor public final class AppOrchestrator {
    public let app: StateMachine<Startup.State, Startup.Event>

    /// Creates the machine in its first state. Without a clock, the machine's timers run in real time.
    public init(_ services: any Services, on clock: (any TimerClock)? = nil) {
        app = clock.map { StateMachine(Startup(), on: $0) } ?? StateMachine(Startup())
        let foundToken = FoundToken()
        app.handle(.loadSession) {
            guard let token = await services.loadToken() else {
                return .hydrateSucceeded(hasSession: false)
            }
            await foundToken.set(token)
            return .tokenFound
        }
        app.handle(.validateToken) {
            do {
                return .tokenAccepted(userID: try await services.validate(await foundToken.token))
            } catch {
                return .tokenRejected(message: "\(error)")
            }
        }
        app.handle(.authenticate) {
            do { return .loginSucceeded(userID: try await services.authenticate()) } catch {
                return .loginFailed(message: "\(error)")
            }
        }
        app.handle(.synchronize) {
            do {
                try await services.synchronize()
                return .syncAcknowledged
            } catch { return .syncFailed(message: "\(error)") }
        }
    }

    /// Starts the app.
    public func launch() throws { try app.send(.didLaunch) }

    /// Opens a link. If the present state cannot show links, the link waits until the state `ready`. A link can be opened
    /// before `launch`, too.
    public func open(link: String) throws { try app.send(.deepLink(link: link)) }
}

/// The token that `loadToken` has found, for `validate`. The token is not part of the state, because clients can see states.
private actor FoundToken {
    private(set) var token = ""

    func set(_ token: String) { self.token = token }
}
