import ArgumentParser
import Testing

@testable import EarshotCommand

@Suite("Every command")
struct CommandNameTests {
    @Test("says its name: the argument parser makes one of the type's name slowly, each time that the program starts")
    func names() {
        var types: [any ParsableCommand.Type] = [EarshotProgram.self]
        while let type = types.popLast() {
            #expect(type.configuration.commandName != nil, "\(type)")
            types += type.configuration.subcommands
        }
    }
}
