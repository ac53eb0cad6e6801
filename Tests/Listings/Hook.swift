import GameFlow

enum Lamp { case on, off }
enum Press { case button }
func log(_ from: Lamp, _ event: Press, _ to: Lamp) {}

func add(_ hooks: [Hook<Lamp, Press>]) {}

add([
    // block 1
])
