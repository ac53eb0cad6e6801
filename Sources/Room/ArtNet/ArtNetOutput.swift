package import EventLoop
import GameFlow
import Inputs
import JSONCoding
import Net
package import Outputs
package import Parts
import Support

/// The channels of a DMX universe, the templates of their levels, and the receiver of Art-Net that has the universe.
package struct ArtNetOutput: OutputTarget {
    package static let word = "artnet"
    package static let form = "artnet=ADDRESS[:PORT] universe=N channels=JSON"
    package static let keys = ["universe", "channels"]
    package static var serviceNeeds: [ServiceNeed] { [.network("artnet=", dropIn: "osc")] }

    private let host: String
    private let port: UInt16
    private let universe: Int
    private let channels: [DimmerChannel]

    private struct DimmerChannel: Equatable {
        let number: Int
        let level: OutputTemplate
    }

    package init(_ line: OnDirective) throws(ConfigurationError) {
        let text = try line.text(Self.word)
        guard
            case .network(let host, let port)? = Address(text)
                ?? Address("\(text):\(ArtNetPacket.port)"), port > 0,
            HostLookup.numericAddresses(of: host, port) != nil
        else { throw line.mistake(Self.word, "expected a numeric address such as 10.0.0.7") }
        (self.host, self.port) = (host, port)
        guard let universe = Int(line.optionalText("universe") ?? "0"),
            ArtNetPacket.universes.contains(universe)
        else {
            throw line.mistake(
                "universe",
                "expected \(ArtNetPacket.universes.lowerBound) to \(ArtNetPacket.universes.upperBound)"
            )
        }
        self.universe = universe
        channels = try Self.channels(line)
    }

    private static func channels(_ line: OnDirective) throws(ConfigurationError) -> [DimmerChannel]
    {
        guard case .object(let members)? = Value(json: try line.text("channels").utf8),
            !members.isEmpty
        else { throw line.mistake("channels", #"expected an object such as {"1":255}"#) }
        var channels: [DimmerChannel] = []
        for member in members {
            guard let number = Int(member.name), 1...ArtNetPacket.channels ~= number else {
                throw line.mistake(
                    "channels",
                    "\(member.name): expected a channel from 1 to \(ArtNetPacket.channels)")
            }
            let level = try line.template("channels", member.value.text ?? member.value.description)
            guard !level.placeholders.isEmpty || Self.level(level.value { _ in nil }) != nil else {
                throw line.mistake("channels", "\(member.name): expected a level from 0 to 255")
            }
            channels.append(DimmerChannel(number: number, level: level))
        }
        return channels
    }

    /// Nil unless the value is a whole number from 0 to 255, or its text.
    private static func level(_ value: Value?) -> UInt8? {
        switch value {
        case .int(let number)?: UInt8(exactly: number)
        case .string(let text)?: UInt8(text)
        default: nil
        }
    }

    package var name: String { "artnet \(host):\(port)" }
    package var connection: String { Self.word }
    package var usesConnection: Bool { false }

    package func content(of occasion: OutputOccasion, id: String) throws(ContentError)
        -> ArtNetContent
    {
        var levels: [(number: Int, level: UInt8)] = []
        for channel in channels {
            guard let level = Self.level(channel.level.value(occasion.value(of:))) else {
                throw ContentError(
                    "channels", channel.level.placeholders, occasion.value(of:),
                    isUnfit: { Self.level($0) == nil }, otherwise: "expected a level from 0 to 255")
            }
            levels.append((channel.number, level))
        }
        return ArtNetContent(host: host, port: port, universe: universe, levels: levels)
    }

    package static func sender(_: RoomConnections, on _: LibeventLoop) -> any OutputSender {
        ArtNetOutputSender()
    }
}

/// Levels of channels, and the receiver that gets them.
package struct ArtNetContent: OutputContent {
    package let host: String
    package let port: UInt16
    package let universe: Int
    package let levels: [(number: Int, level: UInt8)]

    package var summary: String {
        let levels = levels.map { "\($0.number)=\($0.level)" }.joined(separator: " ")
        return "universe \(universe): \(levels)"
    }
}

/// Sends the levels. An output counts as delivered when it is written.
package final class ArtNetOutputSender: OutputSender {
    private let sender = ArtNetSender()

    package func send(
        _ content: ArtNetContent, _: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void
    ) {
        done(
            DeliveryResult(
                failure: sender.send(
                    content.levels, universe: content.universe, toHost: content.host,
                    port: content.port)))
    }
}
