/// What the compiler makes of the value of a task, for `script/toolchain`. Each task gives its number. With `-O`, Swift 6.3.1
/// never writes the first member of a tuple that the task's closure returns from both sides of a `do` and a `catch` around a
/// call of an asynchronous closure: it is what was in the memory, which is mostly 0.
@main
struct TaskValues {
    struct Numbered: Sendable {
        let number: Int
        let outcome: Result<[String], any Error>
    }

    static func main() async {
        await structs()
        await tuples()
    }

    private static func structs() async {
        let work: @Sendable (Int) async throws -> [String] = { [String($0)] }
        var numbers: [Int] = []
        await withTaskGroup(of: Numbered.self) { group in
            for number in 1...5 {
                group.addTask {
                    do { return Numbered(number: number, outcome: .success(try await work(number))) } catch {
                        return Numbered(number: number, outcome: .failure(error))
                    }
                }
            }
            for await numbered in group { numbers.append(numbered.number) }
        }
        print("struct:", numbers.sorted())
    }

    /// Other numbers than those that the tasks above have left in the memory.
    private static func tuples() async {
        let work: @Sendable (Int) async throws -> [String] = { [String($0)] }
        var numbers: [Int] = []
        await withTaskGroup(of: (Int, Result<[String], any Error>).self) { group in
            for number in 11...15 {
                group.addTask {
                    do { return (number, .success(try await work(number))) } catch { return (number, .failure(error)) }
                }
            }
            for await (number, _) in group { numbers.append(number) }
        }
        print("tuple:", numbers.sorted())
    }
}
