public import JSON
public import Sessions

extension JSONWriter {
    /// An error: its number, its name and its data.
    mutating func error(_ error: RequestError) {
        beginObject()
        name("code")
        int(error.number)
        name("message")
        string(error.name.description)
        name("data")
        object(error.data)
        endObject()
    }

    /// What a client is told of an error besides its name.
    public mutating func data(of error: RequestError) { object(error.data) }
}
