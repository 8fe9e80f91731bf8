import Foundation

#if INSTRUMENTED
    import CLibFuzzer
#endif

/// All fuzzers in one program, so that there is one to build.
///
/// - `EarshotFuzz list` prints the targets, each with the largest input that makes sense for it.
/// - `EarshotFuzz replay NAME FOLDER` gives a target each input in the folder once. It needs no instrumentation.
/// - `EARSHOT_FUZZ_TARGET=NAME EarshotFuzz [libFuzzer's options]` looks for new inputs, if every module is
///   instrumented. libFuzzer starts this program again for some of its work, with its own options only: hence the
///   environment variable.
@main
enum EarshotFuzz {
    static let targets: [FuzzTarget] =
        discoveryTargets + protocolTargets + [peerFrames, edgeNumbers, incomingLog, membership, pairing] + textTargets
        + fileTargets
        + gatewayTargets

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "list": for target in targets { print(target.name, target.maximumBytes) }
        case "replay" where arguments.count == 3: try replay(arguments[1], inputsIn: arguments[2])
        default: fuzz()
        }
    }

    /// Ends the program if an input breaks a promise, after it has printed the input's path.
    private static func replay(_ name: String, inputsIn folder: String) throws {
        guard let target = targets.first(where: { $0.name == name }) else { refuse(name) }
        let inputs = try FileManager.default.contentsOfDirectory(
            at: URL(filePath: folder, directoryHint: .isDirectory), includingPropertiesForKeys: nil)
        target.prepare()
        for input in inputs.sorted(by: { $0.path() < $1.path() }) {
            FileHandle.standardError.write(Data("\(input.path())\n".utf8))
            let bytes = try [UInt8](Data(contentsOf: input))
            bytes.withUnsafeBufferPointer { target.run(FuzzInput($0)) }
        }
        print(inputs.count)
    }

    private static func refuse(_ name: String) -> Never {
        print("there is no target \(name); there are: \(targets.map(\.name).joined(separator: ", "))")
        exit(2)
    }

    #if INSTRUMENTED
        private static let chosenName = ProcessInfo.processInfo.environment["EARSHOT_FUZZ_TARGET"] ?? ""
        private static let chosen = targets.first { $0.name == chosenName }

        private static func fuzz() {
            guard let chosen else { refuse(chosenName) }
            chosen.prepare()
            var count = CommandLine.argc
            var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
            exit(
                LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                    EarshotFuzz.chosen?.run(FuzzInput(UnsafeBufferPointer(start: bytes, count: count)))
                    return 0
                })
        }
    #else
        private static func fuzz() {
            print("this build only lists and replays: script/fuzz makes one that looks for new inputs")
            exit(2)
        }
    #endif
}
