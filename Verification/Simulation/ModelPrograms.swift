import EarshotModel

/// What `ModelStore` keeps for programs: the order of arrival, consumers, and what waits for its time.
struct ModelPrograms {
    /// Where each entry stood when it came; its place is its number, from 1. An own one may be elsewhere since.
    private var arrivals: [MessageID] = []
    private var ofName: [String: ConsumerRecord] = [:]
    private var ofID: [EntryKey: ScheduledRecord] = [:]

    var consumers: [ConsumerRecord] { ofName.values.sorted { $0.name < $1.name } }
    var scheduled: [ScheduledRecord] { ofID.values.sorted { $0.scheduledID < $1.scheduledID } }

    mutating func arrived(_ messageID: MessageID) { arrivals.append(messageID) }

    func places(after cursor: Int64) -> some Sequence<(Int64, MessageID)> {
        arrivals.indices.dropFirst(Int(cursor)).lazy.map { (Int64($0) + 1, arrivals[$0]) }
    }

    mutating func apply(_ change: ProgramChange) throws(ModelStore.Refused) {
        switch change {
        case .consumer(let name, .make(let record)):
            guard ofName[name] == nil else { throw ModelStore.Refused(reason: "there is a consumer \(name)") }
            ofName[name] = record
        case .consumer(let name, .remove): ofName[name] = nil
        case .consumer(let name, let change): ofName[name]?.apply(change)
        case .schedule(let record):
            guard ofID.updateValue(record, forKey: record.scheduledID) == nil else {
                throw ModelStore.Refused(reason: "a message is scheduled twice")
            }
        case .unschedule(let scheduledID): ofID[scheduledID] = nil
        }
    }
}
