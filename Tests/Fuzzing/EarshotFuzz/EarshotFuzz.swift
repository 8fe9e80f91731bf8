import CLibFuzzer
import Foundation

/// All fuzzers in one program, so that there is one to build: `EARSHOT_FUZZ_TARGET=name EarshotFuzz [libFuzzer's options]`.
///
/// `EarshotFuzz list` prints the targets, each with the largest input that makes sense for it. libFuzzer starts this
/// program again for some of its work, with its own options only: hence the environment variable.
@main
enum EarshotFuzz {
    static let targets: [FuzzTarget] =
        discoveryTargets + protocolTargets + [peerFrames, incomingLog] + textTargets + fileTargets + gatewayTargets

    static func main() {
        if CommandLine.arguments.dropFirst() == ["list"] {
            for target in targets { print(target.name, target.maximumBytes) }
            return
        }
        guard let target else {
            print("EARSHOT_FUZZ_TARGET is to be one of: \(targets.map(\.name).joined(separator: ", "))")
            exit(2)
        }
        target.prepare()
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
                EarshotFuzz.target?.run(FuzzInput(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }

    private static let target = targets.first { $0.name == ProcessInfo.processInfo.environment["EARSHOT_FUZZ_TARGET"] }
}
