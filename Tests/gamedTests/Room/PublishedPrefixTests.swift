import Inputs
import Sessions
import Testing

@testable import GamedServer
@testable import Room

@Suite struct PublishedPrefixTests {
    @Test func `a topic leads back to its session, and other topics to none`() throws {
        let (prefix, session) = (PublishedPrefix(text: "a/b"), try #require(SessionName("x.1")))
        for topic in [prefix.state(of: session), prefix.detail(of: session)] {
            #expect(prefix.session(ofTopic: topic) == session)
        }
        for topic in ["a/b/status", "a/x.1/state", "a/b/x.1/other", "a/b/c/x/state", "a/b/+/state"]
        {
            #expect(prefix.session(ofTopic: topic) == nil, "\(topic)")
        }
    }

    @Test func `a command's topic leads to its session and event, and other topics to none`() throws
    {
        let (prefix, session) = (PublishedPrefix(text: "a/b"), try #require(SessionName("x.1")))
        let send = try #require(prefix.command(ofTopic: "a/b/x.1/send/go"))
        #expect(send.session == session && send.1 == .send(event: "go"))
        let pause = try #require(prefix.command(ofTopic: "a/b/x.1/paused/set"))
        #expect(pause.session == session && pause.1 == .pause)
        for topic in ["a/b/x.1/state", "a/b/send/go", "a/c/x.1/send/go", "a/b/x.1/send/go/on"] {
            #expect(prefix.command(ofTopic: topic) == nil, "\(topic)")
        }
    }

    @Test func `two sessions never have one id for Home Assistant`() throws {
        let prefixes = ["a", "a_b", "a/b", "a__5F", "a_", "5F"]
        let sessions = ["c", "b_c", "raum.1", "raum_1", "_c", "__5Fc", "5Fc", "-", "_"]
        var ids: Set<String> = []
        for prefix in prefixes {
            for session in sessions {
                let name = try #require(SessionName(session))
                let id = HomeAssistant.identifier(PublishedPrefix(text: prefix), name)
                #expect(id.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || $0 >= 0x30 }, "\(id)")
                ids.insert(id)
            }
        }
        #expect(ids.count == prefixes.count * sessions.count)
        let main = HomeAssistant.identifier(PublishedPrefix(text: "gamed"), .main)
        #expect(main == "gamed_gamed_main")
    }
}
