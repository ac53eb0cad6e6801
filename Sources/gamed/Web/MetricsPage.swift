/// Text as OpenMetrics has it: each family with its type and what it says.
struct MetricsPage {
    private var text = ""

    /// A number that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ value: Int, unit: String? = nil) {
        family(name, "gauge", help, unit)
        text += "\(name) \(value)\n"
    }

    /// A number that only grows; what it is called has `_total` behind it in its sample alone.
    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        family(name, "counter", help, nil)
        text += "\(name)_total \(value)\n"
    }

    private mutating func family(_ name: String, _ type: String, _ help: String, _ unit: String?) {
        text += "# TYPE \(name) \(type)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(help)\n"
    }

    func end() -> [UInt8] { Array((text + "# EOF\n").utf8) }
}
