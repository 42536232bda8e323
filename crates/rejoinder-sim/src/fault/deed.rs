//! The rare things that people, devices and the agent do.

use super::named;

named! {
    /// A rare deed of somebody. Each kind must occur at least once in a survey of many worlds.
    Deed {
        /// A device joined while faults were happening.
        LateJoin = "late join",
        /// A member completed a request a second time.
        SecondProposal = "second proposal",
        /// A member completed a request that was settled.
        LateProposal = "late proposal",
        /// A home hosts one workspace and is a member of another.
        SecondWorkspace = "second workspace",
        /// A ticket named a stranger beside the host.
        StrangersHint = "stranger's hint",
        /// A ticket named several members.
        SeveralHints = "several hints",
        /// A device asked again while it waited to be let in.
        AskedTwice = "asked to join twice",
        /// A device asked more often than there are places at the door.
        AskedOften = "asked to join often",
        /// A person let a device in after a while.
        Approved = "let in by a person",
        /// A person did not let a device in.
        NotApproved = "not let in by a person",
        /// A host did not let a device in.
        JoinRefused = "join refused",
        /// A request had to be answered before it could be accepted.
        Required = "required question",
        /// A request came with answers.
        Seeded = "seeded request",
        /// A request asked for a page to be opened, and nothing else.
        UrlOnly = "request without questions",
        /// A question was asked again as one of another kind.
        OtherKind = "question of another kind",
        /// A text came to its limit, or above it where several typed.
        LongText = "text at its limit",
        /// A request had hundreds of changes.
        LongHistory = "long history",
        /// More requests were settled than stay in memory.
        ManySettled = "many settled requests",
        /// A settled request was looked at again.
        OldRead = "old request read",
    }
}
