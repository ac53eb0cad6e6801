import Durability
import GameFlow
import Journal
import Sessions
import Testing
import Timers

/// What becomes of sessions when the disk does not do its work.
@Suite struct OutageTests {
    private let desk = DurabilityFixture()
    private let ann: DurabilityFixture.Client
    private let bob: DurabilityFixture.Client

    init() {
        (ann, bob) = (desk.client(), desk.client())
        desk.say("open session=main flow=game", ann)
        desk.say("send id=k0 startPlaying", ann)
        desk.store.commit()
        _ = desk.heard(ann)
    }

    private let lost = #"ERR storage {"why":"disk I/O error","outcome":"undone"}"#
    private let doubtful = #"ERR storage {"why":"disk I/O error","outcome":"unknown"}"#

    private func status() -> String {
        desk.say("status", bob)
        return desk.heard(bob).last ?? ""
    }

    @Test func `a change that could not be stored is rolled back`() {
        desk.say("advance 10s", ann)
        desk.store.commit()
        _ = desk.heard(ann)
        let before = status()
        desk.say("send id=k1 chooseEpisode episode=2", ann)
        desk.say("send chooseLevel level=3", ann)
        desk.store.fail()
        #expect(desk.heard(ann) == [])
        desk.store.recover(true)
        #expect(desk.heard(ann) == [lost, lost])
        #expect(status() == before && before.contains(#""remainingMs":50000"#))
        // The id is free, and the number too.
        desk.say("send id=k1 chooseEpisode episode=1", ann)
        desk.store.commit()
        #expect(desk.heard(ann)[0].hasPrefix(#"OK {"session":"main","seq":3,"pos":3,"#))
        desk.end()
    }

    @Test func `a failed commit removes opened sessions and restores closed ones`() throws {
        desk.say("watch", bob)
        _ = desk.heard(bob)
        desk.say("open session=new flow=quiz", ann)
        desk.say("close session=main", ann)
        desk.say("open session=main flow=quiz", ann)
        desk.say("watch session=new", ann)
        desk.store.fail()
        desk.store.recover(true)
        #expect(desk.heard(ann) == [lost, lost, lost, lost])
        #expect(desk.sessions.count == 1)
        #expect(try desk.sessions.session(.main).flow.name == "game")
        #expect(desk.heard(bob) == [])
        // Who watched it still does, and ids are remembered.
        desk.say("send id=k0 returnHome", ann)
        #expect(desk.heard(ann)[0].contains(#""seq":2"#))
        desk.say("send returnHome", ann)
        desk.store.commit()
        #expect(desk.heard(bob).count == 1)
        desk.end()
    }

    @Test func `rolled back openings are reported when the storage is back, and no others`() {
        desk.say("close session=main", ann)
        desk.store.commit()
        desk.say("open session=new flow=quiz", ann)
        desk.say("send @new start rounds=1", ann)
        desk.store.fail()
        desk.store.recover(false)
        desk.retry()
        desk.store.recover(true)
        desk.say("open session=next flow=quiz", ann)
        desk.store.commit()
        desk.say("send @next start rounds=1", ann)
        desk.store.fail()
        desk.retry()
        desk.store.recover(true)
        #expect(desk.undone == [["new"], []])
        desk.end()
    }

    @Test func `during a storage failure all changes are refused with the storage error`() {
        desk.say("send chooseEpisode episode=2", ann)
        desk.store.fail()
        #expect(desk.held == [true])
        desk.store.recover(false)
        #expect(desk.heard(ann) == [doubtful])
        #expect(status().hasSuffix(#","storage":"disk I/O error"}"#))
        desk.say("ping", ann)
        #expect(desk.heard(ann) == [#"OK {"pong":true,"storage":"disk I/O error"}"#])
        // No flow is asked: its session may not be there as it was.
        desk.say("send resume", ann)
        desk.say("send chooseEpisode episode=1", ann)
        desk.say("open session=x flow=game", ann)
        desk.say("goto help", ann)
        desk.say("timer idle pause", ann)
        desk.say("close session=main", ann)
        desk.say("advance 1s", ann)
        let told = desk.heard(ann)
        #expect(told[0] == doubtful)
        // Of `main` something may be on the disk; of `x` there is nothing.
        #expect(told[1...] == [doubtful, lost, doubtful, doubtful, doubtful, lost])
        desk.retry()
        desk.store.recover(true)
        #expect(desk.held == [true, false])
        #expect(
            status().hasPrefix(#"OK {"session":"main","flow":"game","state":"choosingEpisode""#))
        #expect(!status().contains("storage"))
        desk.end()
    }

    @Test func `a rollback restores paused timers, running timers and deferred events exactly`()
        throws
    {
        desk.say("open session=s flow=startup", ann)
        desk.say(#"send @s deepLink link=app://home"#, ann)
        desk.say("timer idle pause", ann)
        desk.say("advance 2s", ann)
        desk.store.commit()
        _ = desk.heard(ann)
        func all() -> [String] {
            desk.say("status", bob)
            desk.say("status session=s", bob)
            return desk.heard(bob)
        }
        let before = all()
        desk.say("timer idle resume", ann)
        desk.say("send @s didLaunch", ann)
        desk.store.fail()
        desk.store.recover(true)
        #expect(all() == before)
        desk.end()
    }

    @Test func `a rollback restores the virtual time`() {
        let before = status()
        desk.say("watch topics=changes,beats", bob)
        _ = desk.heard(bob)
        desk.say("advance 5m", ann)
        desk.store.fail()
        desk.store.recover(true)
        #expect(desk.heard(ann) == [lost])
        #expect(desk.time.now == .zero && status() == before)
        desk.say("advance 1m", ann)
        desk.store.commit()
        #expect(
            desk.heard(ann)[0].hasPrefix(
                #"OK {"fired":[{"session":"main","fires":"idle","atMs":60000}]"#))
        desk.end()
    }

    @Test func `a rollback restores ids that were removed for newer ones`() {
        for number in 0..<1023 {
            desk.say("send id=a\(number) \(number % 2 == 0 ? "returnHome" : "startPlaying")", ann)
        }
        desk.store.commit()
        _ = desk.heard(ann)
        for number in 0..<900 {
            desk.say("send id=b\(number) \(number % 2 == 0 ? "startPlaying" : "returnHome")", ann)
        }
        desk.store.fail()
        desk.store.recover(true)
        #expect(desk.heard(ann).allSatisfy { $0 == lost })
        desk.say("send id=k0 displayHelp", ann)
        desk.say("send id=a500 displayHelp", ann)
        let told = desk.heard(ann)
        #expect(
            told.count == 2 && told[0].contains(#""seq":2,"#) && told[1].contains(#""seq":503,"#))
        desk.end()
    }

    @Test func `a repeated watch request that is refused keeps the existing subscription`() {
        desk.say("watch", bob)
        _ = desk.heard(bob)
        desk.say("send returnHome", ann)
        desk.say("watch topics=changes,refusals", bob)
        desk.store.fail()
        desk.store.recover(true)
        #expect(desk.heard(bob) == [lost])
        desk.say("send returnHome", ann)
        desk.store.commit()
        #expect(desk.heard(bob).count == 1)
        desk.end()
    }

    @Test func `a store that can be opened but not written is retried with a delay`() {
        desk.say("send returnHome", ann)
        desk.store.fail()
        desk.store.recover(true)
        desk.say("send returnHome", ann)
        desk.store.fail()
        #expect(desk.store.recovery == nil && desk.retries.count == 1)
        desk.retry()
        desk.store.recover(true)
        desk.say("send returnHome", ann)
        desk.store.commit()
        #expect(desk.heard(ann).count == 3)
        desk.end()
    }

    @Test func `a failure of the store itself is noticed, but not after it was closed`() {
        desk.store.broke("disk I/O error")
        #expect(desk.held == [true])
        desk.store.recover(true)
        #expect(desk.held == [true, false])
        desk.keeper.end()
        desk.say("send returnHome", ann)
        #expect(desk.store.batches.isEmpty)
        desk.store.broke("the journal is closed")
        #expect(desk.store.recovery == nil && desk.sessions.outage == nil)
        desk.end()
    }
}
