import Durability
import GameFlow
import Journal
import Sessions
import Testing
import Timers

/// Sessions, replies and timers while the store fails, and after it has recovered.
///
/// `store.fail` makes the pending commit fail, and the group commit begins to recover the store. `store.completeRecovery` says
/// whether this attempt has succeeded. `fixture.retry` begins the next attempt.
@Suite struct OutageTests {
    private let fixture = DurabilityFixture()
    private let ann: DurabilityFixture.Client
    private let bob: DurabilityFixture.Client

    init() {
        (ann, bob) = (fixture.client(), fixture.client())
        fixture.request("open session=main flow=game", from: ann)
        fixture.request("send id=k0 startPlaying", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
    }

    private let undoneError = #"ERR storage {"why":"disk I/O error","outcome":"undone"}"#
    private let unknownError = #"ERR storage {"why":"disk I/O error","outcome":"unknown"}"#

    private func status() -> String {
        fixture.request("status", from: bob)
        return fixture.received(by: bob).last ?? ""
    }

    @Test func `a change that could not be stored is rolled back`() {
        fixture.request("advance 10s", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
        let before = status()
        fixture.request("send id=k1 chooseEpisode episode=2", from: ann)
        fixture.request("send chooseLevel level=3", from: ann)
        fixture.store.fail()
        #expect(fixture.received(by: ann) == [])
        fixture.store.completeRecovery(works: true)
        #expect(fixture.received(by: ann) == [undoneError, undoneError])
        #expect(status() == before && before.contains(#""remainingMs":50000"#))
        // After the rollback the id `k1` is new again, and the numbers of the rolled back change are used again.
        fixture.request("send id=k1 chooseEpisode episode=1", from: ann)
        fixture.store.commit()
        #expect(fixture.received(by: ann)[0].hasPrefix(#"OK {"session":"main","seq":3,"pos":3,"#))
        fixture.end()
    }

    @Test func `an event that would be refused anyway gets that refusal, and nothing changes`() {
        fixture.request("open session=other flow=game", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
        let before = status()
        func answer(_ request: String) -> String {
            fixture.request(request, from: ann)
            return fixture.received(by: ann).last ?? ""
        }
        fixture.request("send @other startPlaying", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: false)
        #expect(answer("send chooseEpisode episode=x").hasPrefix("ERR invalid"))
        #expect(answer("send completeLevel score=1").hasPrefix("ERR noTransition"))
        // The flow's own check of an argument.
        #expect(answer("send chooseEpisode episode=99").hasPrefix("ERR invalid"))
        #expect(answer("send id=k5 chooseEpisode episode=2") == undoneError)
        // What the other session has done is not known.
        #expect(answer("send @other completeLevel score=1") == undoneError)
        #expect(answer("send @other id=k6 completeLevel score=1") == unknownError)
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        #expect(status() == before)
        #expect(answer("send id=k5 chooseEpisode episode=99").hasPrefix("ERR invalid"))
        fixture.store.commit()
        fixture.end()
    }

    @Test func `a failed commit removes opened sessions and restores closed ones`() throws {
        fixture.request("watch", from: bob)
        _ = fixture.received(by: bob)
        fixture.request("open session=new flow=quiz", from: ann)
        fixture.request("close session=main", from: ann)
        fixture.request("open session=main flow=quiz", from: ann)
        fixture.request("watch session=new", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        #expect(fixture.received(by: ann) == [undoneError, undoneError, undoneError, undoneError])
        #expect(fixture.sessions.count == 1)
        #expect(try fixture.sessions.session(.main).flow.name == "game")
        #expect(fixture.received(by: bob) == [])
        // The subscription and the answers to ids are restored, too.
        fixture.request("send id=k0 returnHome", from: ann)
        #expect(fixture.received(by: ann)[0].contains(#""seq":2"#))
        fixture.request("send returnHome", from: ann)
        fixture.store.commit()
        #expect(fixture.received(by: bob).count == 1)
        fixture.end()
    }

    @Test func `a watcher by name gets the closing of its session once this is durable`() {
        fixture.request("watch", from: bob)
        _ = fixture.received(by: bob)
        fixture.request("close session=main", from: ann)
        #expect(fixture.received(by: bob) == [])
        fixture.store.commit()
        let notifications = fixture.received(by: bob)
        #expect(notifications.count == 1 && notifications[0].contains(#""kind":"close""#))
        // The watch has ended with the session.
        fixture.request("open session=main flow=quiz", from: ann)
        fixture.store.commit()
        #expect(fixture.received(by: bob) == [])
        fixture.end()
    }

    @Test func `when the storage is back, exactly the rolled back openings are reported`() {
        fixture.request("close session=main", from: ann)
        fixture.store.commit()
        fixture.request("open session=new flow=quiz", from: ann)
        fixture.request("send @new start rounds=1", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: false)
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        fixture.request("open session=next flow=quiz", from: ann)
        fixture.store.commit()
        fixture.request("send @next start rounds=1", from: ann)
        fixture.store.fail()
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        // The opening of `next` was committed before the second failure.
        #expect(fixture.undoneOpenings == [["new"], []])
        fixture.end()
    }

    @Test func `during a storage failure all changes are refused with the storage error`() {
        fixture.request("send chooseEpisode episode=2", from: ann)
        fixture.store.fail()
        #expect(fixture.timerHolds == [true])
        fixture.store.completeRecovery(works: false)
        #expect(fixture.received(by: ann) == [unknownError])
        #expect(status().hasSuffix(#","storage":"disk I/O error"}"#))
        fixture.request("ping", from: ann)
        #expect(fixture.received(by: ann) == [#"OK {"pong":true,"storage":"disk I/O error"}"#])
        // The state does not take `resume`, but the error is the storage's error: the store is checked first, because the state
        // may be rolled back.
        fixture.request("send resume", from: ann)
        fixture.request("send chooseEpisode episode=1", from: ann)
        fixture.request("open session=x flow=game", from: ann)
        fixture.request("goto help", from: ann)
        fixture.request("timer idle pause", from: ann)
        fixture.request("close session=main", from: ann)
        fixture.request("advance 1s", from: ann)
        // These requests were not carried out.
        #expect(fixture.received(by: ann) == Array(repeating: undoneError, count: 7))
        // The store may contain the first change of `main`, and a request with an id may repeat its request. Nothing was written
        // for `x`.
        fixture.request("send id=k1 chooseEpisode episode=2", from: ann)
        fixture.request("close session=main id=k2", from: ann)
        fixture.request("open session=x flow=game id=k3", from: ann)
        #expect(fixture.received(by: ann) == [unknownError, unknownError, undoneError])
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        #expect(fixture.timerHolds == [true, false])
        #expect(
            status().hasPrefix(#"OK {"session":"main","flow":"game","state":"choosingEpisode""#))
        #expect(!status().contains("storage"))
        fixture.end()
    }

    @Test func `a rollback restores paused timers, running timers and deferred events exactly`()
        throws
    {
        fixture.request("open session=s flow=startup", from: ann)
        fixture.request(#"send @s deepLink link=app://home"#, from: ann)
        fixture.request("timer idle pause", from: ann)
        fixture.request("advance 2s", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
        func statuses() -> [String] {
            fixture.request("status", from: bob)
            fixture.request("status session=s", from: bob)
            return fixture.received(by: bob)
        }
        let before = statuses()
        fixture.request("timer idle resume", from: ann)
        fixture.request("send @s didLaunch", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        #expect(statuses() == before)
        fixture.end()
    }

    @Test func `a rollback restores the virtual time`() {
        let before = status()
        fixture.request("watch topics=changes,beats", from: bob)
        _ = fixture.received(by: bob)
        fixture.request("advance 5m", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        #expect(fixture.received(by: ann) == [undoneError])
        #expect(fixture.time.now == .zero && status() == before)
        fixture.request("advance 1m", from: ann)
        fixture.store.commit()
        #expect(
            fixture.received(by: ann)[0].hasPrefix(
                #"OK {"fired":[{"session":"main","fires":"idle","atMs":60000}]"#))
        fixture.end()
    }

    @Test func `a rollback restores ids that were forgotten because of newer ids`() {
        // A session remembers 1024 ids: `k0` and these. Each of the 900 newer ones displaces the oldest id.
        for number in 0..<1023 {
            fixture.request(
                "send id=a\(number) \(number % 2 == 0 ? "returnHome" : "startPlaying")", from: ann)
        }
        fixture.store.commit()
        _ = fixture.received(by: ann)
        for number in 0..<900 {
            fixture.request(
                "send id=b\(number) \(number % 2 == 0 ? "startPlaying" : "returnHome")", from: ann)
        }
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        #expect(fixture.received(by: ann).allSatisfy { $0 == undoneError })
        fixture.request("send id=k0 displayHelp", from: ann)
        fixture.request("send id=a500 displayHelp", from: ann)
        // The requests with these ids made the changes 2 and 2 + 501.
        let replies = fixture.received(by: ann)
        #expect(
            replies.count == 2 && replies[0].contains(#""seq":2,"#)
                && replies[1].contains(#""seq":503,"#))
        fixture.end()
    }

    @Test func `a repeated watch request that is refused keeps the existing subscription`() {
        fixture.request("watch", from: bob)
        _ = fixture.received(by: bob)
        fixture.request("send returnHome", from: ann)
        fixture.request("watch topics=changes,refusals", from: bob)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        #expect(fixture.received(by: bob) == [undoneError])
        fixture.request("send returnHome", from: ann)
        fixture.store.commit()
        #expect(fixture.received(by: bob).count == 1)
        fixture.end()
    }

    @Test func `if the first write after a recovery fails, the next recovery is delayed`() {
        fixture.request("send returnHome", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: true)
        fixture.request("send returnHome", from: ann)
        fixture.store.fail()
        #expect(fixture.store.recovery == nil && fixture.retries.count == 1)
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        fixture.request("send returnHome", from: ann)
        fixture.store.commit()
        #expect(fixture.received(by: ann).count == 3)
        fixture.end()
    }

    @Test func `a failure that the store reports is noticed until the group commit has ended`() {
        fixture.store.onFailure("disk I/O error")
        #expect(fixture.timerHolds == [true])
        fixture.store.completeRecovery(works: true)
        #expect(fixture.timerHolds == [true, false])
        fixture.groupCommit.end()
        fixture.request("send returnHome", from: ann)
        #expect(fixture.store.batches.isEmpty)
        fixture.store.onFailure("the journal is closed")
        #expect(fixture.store.recovery == nil && fixture.sessions.outage == nil)
        fixture.end()
    }
}
