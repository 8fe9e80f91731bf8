import EarshotModel

/// What `ModelStore` keeps for programs: the order of arrival, consumers, and what waits for its time or for a person.
struct ModelPrograms {
    /// Where each entry stood when it came; its place is its number, from 1. An own one may be elsewhere since.
    private var arrivals: [MessageID] = []
    private var ofName: [String: ConsumerRecord] = [:]
    private var ofID: [EntryKey: ScheduledRecord] = [:]
    private var draftOfID: [EntryKey: DraftRecord] = [:]
    /// In the order in which they were discarded.
    private(set) var discardedDrafts: [EntryKey] = []

    var consumers: [ConsumerRecord] { ofName.values.sorted { $0.name < $1.name } }
    var drafts: [DraftRecord] { draftOfID.values.sorted { $0.draftID < $1.draftID } }
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
        case .draft(let step): try apply(step)
        }
    }

    private mutating func apply(_ step: DraftStep) throws(ModelStore.Refused) {
        switch step {
        case .insert(let record):
            guard draftOfID.updateValue(record, forKey: record.draftID) == nil else {
                throw ModelStore.Refused(reason: "a draft is inserted twice")
            }
        case .update(let record):
            guard draftOfID.updateValue(record, forKey: record.draftID) != nil else {
                throw ModelStore.Refused(reason: "a draft is changed that is not there")
            }
        case .send(let record, _): try removeDraft(record.draftID)
        case .discard(let record):
            try removeDraft(record.draftID)
            if !discardedDrafts.contains(record.draftID) { discardedDrafts.append(record.draftID) }
            discardedDrafts = discardedDrafts.suffix(Limits.discardedDrafts)
        }
    }

    private mutating func removeDraft(_ draftID: EntryKey) throws(ModelStore.Refused) {
        guard draftOfID.removeValue(forKey: draftID) != nil else {
            throw ModelStore.Refused(reason: "a draft goes that is not there")
        }
    }
}
