/// Text in the OpenMetrics format: families with their type and help.
struct MetricsPage {
    private var text = ""

    /// A value that can increase and decrease.
    mutating func gauge(_ name: String, _ help: String, _ value: Int, unit: String? = nil) {
        family(name, "gauge", help, unit)
        text += "\(name) \(value)\n"
    }

    /// A value that only increases. The sample, but not the family, has the suffix `_total`.
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
