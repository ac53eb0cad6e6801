import GameFlow
import TestSupport

/// The tables of the shipped flows, written from their documentation.
extension NaiveModel.Table {
    typealias Row = NaiveModel.Row
    typealias Next = NaiveModel.Next

    static var startup: NaiveModel.Table {
        NaiveModel.Table(
            states: [
                "launching", "hydrating", "needsLogin", "authenticating", "ready", "showing",
                "error", "validating", "syncing",
            ],
            events: [
                "didLaunch", "hydrateSucceeded", "loginRequested", "loginSucceeded", "loginFailed",
                "retry", "logout", "deepLink", "closeLink", "tokenFound", "tokenAccepted",
                "tokenRejected", "syncRequested", "syncAcknowledged", "syncFailed",
            ],
            signals: [
                "launchTimedOut", "hydrateTimedOut", "loginTimedOut", "sync", "validationTimedOut",
                "syncTimedOut",
            ],
            timers: [
                "launching": [.countdown("launchTimedOut", 5000)],
                "hydrating": [.countdown("hydrateTimedOut", 10_000)],
                "authenticating": [.countdown("loginTimedOut", 30_000)],
                "ready": [.pendulum("sync", 60_000)], "showing": [.pendulum("sync", 60_000)],
                "validating": [.countdown("validationTimedOut", 10_000)],
                "syncing": [.countdown("syncTimedOut", 30_000)],
            ],
            rows: [
                Row(["launching"], ["didLaunch"], "hydrating", effect: "loadSession"),
                Row(["launching"], ["launchTimedOut"]) { _, _ in failed("launch timed out") },
                Row(["hydrating"], ["hydrateSucceeded"]) { _, arguments in
                    arguments["hasSession"] == .bool(true)
                        ? Next(state: "ready", data: [Member("userID", "unknown-yet")])
                        : Next(state: "needsLogin")
                },
                Row(["hydrating"], ["hydrateTimedOut"]) { _, _ in failed("hydration timed out") },
                Row(["needsLogin"], ["loginRequested"], "authenticating", effect: "authenticate"),
                Row(["authenticating"], ["loginSucceeded"]) { _, arguments in
                    let id = text(arguments, "userID")
                    return 1...64 ~= id.count
                        ? Next(state: "ready", data: [Member("userID", id)]) : nil
                },
                Row(["authenticating"], ["loginFailed"]) { _, arguments in
                    failed(text(arguments, "message"))
                },
                Row(["authenticating"], ["loginTimedOut"]) { _, _ in failed("login timed out") },
                Row(["error"], ["retry"], "hydrating", effect: "loadSession"),
                Row(["ready", "showing"], ["logout"], "needsLogin"),
                Row(["ready", "showing"], ["deepLink"], effect: "openLink") { model, arguments in
                    let link = text(arguments, "link")
                    let data = [Member("userID", text(model.data, "userID")), Member("link", link)]
                    return link.hasPrefix("app://") ? Next(state: "showing", data: data) : nil
                },
                Row(["showing"], ["closeLink"]) { model, _ in
                    Next(state: "ready", data: [Member("userID", text(model.data, "userID"))])
                },
                .keep(["ready", "showing"], ["sync"], effect: "synchronize"),
                Row(["hydrating"], ["tokenFound"], "validating", effect: "validateToken"),
                Row(["validating"], ["tokenAccepted"]) { _, arguments in
                    let id = text(arguments, "userID")
                    return 1...64 ~= id.count
                        ? Next(state: "ready", data: [Member("userID", id)]) : nil
                },
                Row(["validating"], ["tokenRejected"]) { _, arguments in
                    failed(text(arguments, "message"))
                },
                Row(["validating"], ["validationTimedOut"]) { _, _ in
                    failed("token validation timed out")
                },
                Row(["ready"], ["syncRequested"], effect: "synchronize") { model, _ in
                    Next(state: "syncing", data: [Member("userID", text(model.data, "userID"))])
                },
                Row(["syncing"], ["syncAcknowledged"]) { model, _ in
                    Next(state: "ready", data: [Member("userID", text(model.data, "userID"))])
                },
                Row(["syncing"], ["syncFailed"]) { _, arguments in
                    failed(text(arguments, "message"))
                },
                Row(["syncing"], ["syncTimedOut"]) { _, _ in failed("sync timed out") },
                Row(["syncing"], ["logout"], "needsLogin"),
            ],
            deferred: ["deepLink": { text($0, "link").hasPrefix("app://") }],
            data: [
                "ready": [Member("userID", "u1")],
                "showing": [Member("userID", "u1"), Member("link", "app://a")],
                "syncing": [Member("userID", "u1")],
                "error": [Member("message", "m")],
            ],
            arguments: { event, random in
                switch event {
                case "hydrateSucceeded": [Member("hasSession", random.below(2) == 0)]
                case "loginSucceeded", "tokenAccepted":
                    [Member("userID", random.pick(["ann", "bob", ""]))]
                case "loginFailed", "tokenRejected", "syncFailed": [Member("message", "no")]
                case "deepLink":
                    [Member("link", random.pick(["app://\(random.below(100))", "app://x", "x"]))]
                default: []
                }
            },
            goodArguments: [
                "hydrateSucceeded": [Member("hasSession", true)],
                "loginSucceeded": [Member("userID", "ann")],
                "tokenAccepted": [Member("userID", "ann")],
                "loginFailed": [Member("message", "no")],
                "tokenRejected": [Member("message", "no")],
                "syncFailed": [Member("message", "no")],
                "deepLink": [Member("link", "app://b")],
            ])
    }

    static var registration: NaiveModel.Table {
        NaiveModel.Table(
            states: [
                "login", "createProfile", "facebookProfile", "selectAvatar", "termsAndConditions",
                "finished",
            ],
            events: ["next", "login", "facebookRegister", "registerLater", "back"],
            signals: ["sessionExpired"],
            finals: ["finished"],
            timers: Dictionary(
                uniqueKeysWithValues: [
                    "createProfile", "facebookProfile", "selectAvatar", "termsAndConditions",
                ].map { ($0, [.countdown("sessionExpired", 900_000)]) }),
            rows: [
                Row(["login"], ["next"], "createProfile", effect: "show"),
                Row(["login"], ["login"], "finished", effect: "show"),
                Row(["createProfile", "facebookProfile"], ["next"], effect: "show") { model, _ in
                    Next(state: "selectAvatar", data: [Member("from", model.state)])
                },
                Row(["createProfile"], ["facebookRegister"], "facebookProfile", effect: "show"),
                Row(
                    ["createProfile", "facebookProfile"], ["registerLater"], "termsAndConditions",
                    effect: "show"),
                Row(["selectAvatar"], ["next"], "termsAndConditions", effect: "show"),
                Row(["selectAvatar"], ["back"], effect: "show") { model, _ in
                    Next(state: text(model.data, "from"))
                },
                Row(["termsAndConditions"], ["next"], "finished", effect: "show"),
                Row(
                    ["createProfile", "facebookProfile", "selectAvatar", "termsAndConditions"],
                    ["sessionExpired"], "login", effect: "show"),
            ],
            data: ["selectAvatar": [Member("from", "facebookProfile")]])
    }

    static var onboarding: NaiveModel.Table {
        NaiveModel.Table(
            states: [
                "accountLoader", "welcome", "deviceIdentification", "performDeviceChecks", "error",
                "offline", "loggedOut",
            ],
            events: [
                "accountLoaderFinished", "startFlowTapped", "deviceWasIdentified", "retry",
                "connectivityLost", "serversDown", "connectivityRestored", "accessTokenRevoked",
            ],
            signals: ["loaderTimedOut", "probe"],
            finals: ["performDeviceChecks", "loggedOut"],
            timers: [
                "accountLoader": [.countdown("loaderTimedOut", 20_000)],
                "offline": [.pendulum("probe", 5000)],
            ],
            rows: [
                Row(["accountLoader"], ["accountLoaderFinished"], "welcome"),
                Row(["accountLoader"], ["loaderTimedOut"]) { _, _ in
                    failed("account loader timed out")
                },
                Row(["welcome"], ["startFlowTapped"], "deviceIdentification"),
                Row(["deviceIdentification"], ["deviceWasIdentified"]) { _, arguments in
                    text(arguments, "cmMac") == "a0-b1-c2-d3-e4-f5"
                        ? Next(
                            state: "performDeviceChecks",
                            data: [Member("cmMac", "A0:B1:C2:D3:E4:F5")]) : nil
                },
                Row(["error"], ["retry"], "accountLoader"),
                Row(
                    ["accountLoader", "welcome", "deviceIdentification", "error"],
                    ["connectivityLost", "serversDown"]
                ) { model, _ in
                    Next(state: "offline", data: [Member("resume", model.state)] + model.data)
                },
                Row(["offline"], ["connectivityRestored"]) { model, _ in
                    Next(
                        state: text(model.data, "resume"),
                        data: model.data.filter { $0.name == "message" })
                },
                .keep(["offline"], ["probe"], effect: "checkConnection"),
                Row(
                    ["accountLoader", "welcome", "deviceIdentification", "error", "offline"],
                    ["accessTokenRevoked"], "loggedOut"),
            ],
            data: [
                "performDeviceChecks": [Member("cmMac", "A0:B1:C2:D3:E4:F5")],
                "error": [Member("message", "m")],
                "offline": [Member("resume", "error"), Member("message", "m")],
            ],
            arguments: { event, random in
                let octets = ["a0-b1-c2-d3-e4-f5", "a0-b1-c2-d3-e4", "a0:b1-c2:d3-e4:f5", "g0"]
                return event == "deviceWasIdentified" ? [Member("cmMac", random.pick(octets))] : []
            },
            goodArguments: ["deviceWasIdentified": [Member("cmMac", "a0-b1-c2-d3-e4-f5")]])
    }

    private static func failed(_ message: String) -> Next {
        Next(state: "error", data: [Member("message", message)])
    }

    static func text(_ members: [Member], _ name: String) -> String {
        if case .string(let text) = members[name] { text } else { "" }
    }
}
