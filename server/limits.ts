/** Everything that could grow without end, and where it ends. Each can be set; the defaults are safe for a small machine. */
export interface Limits {
  /** Bytes of one HTTP body or one socket message. */
  readonly messageBytes: number
  /** Fragments of one socket message, and milliseconds until an incomplete one is given up. */
  readonly fragments: number
  readonly messageDeadline: number
  /** Milliseconds for the headers of a request, and for all of it. */
  readonly headersDeadline: number
  readonly requestDeadline: number
  /** Open connections, those of one agent, and requests of one connection that are being worked on. */
  readonly connections: number
  readonly connectionsPerAgent: number
  readonly requestsInFlight: number
  /** Requests per second of one agent, and how many it may save up. */
  readonly requestsPerSecond: number
  readonly requestBurst: number
  readonly observationsPerRequest: number
  /** Watches of one connection, and those of them that follow a whole list of handoffs. */
  readonly watchesPerConnection: number
  readonly listsPerConnection: number
  /** Bytes waiting to be sent to one connection: from the first on changes are left out, at the second it is cut. */
  readonly sendQueueBytes: number
  readonly sendQueueMaximum: number
  /** Milliseconds a connection may stay above the first of the two. */
  readonly slowReaderDeadline: number
  /** Pieces of evidence of one user, and the share of them that is kept free for people. */
  readonly evidencePerUser: number
  readonly peopleReserve: number
  /** Other names of one user. */
  readonly aliasesPerUser: number
  /** Writes of one user that wait for a commit, and how many one commit takes. */
  readonly queuedPerUser: number
  readonly writesPerCommit: number
  /** Writes of one user after which its log is put together, and words of one field after which it is compacted. */
  readonly writesPerFold: number
  readonly wordsPerFold: number
  /** Bytes of users that nobody is working on but that are kept at hand. */
  readonly idleRoomBytes: number
  /** Milliseconds between pings; a connection that misses two is gone. */
  readonly heartbeat: number
  /** Milliseconds a read may wait for the version it asks for. */
  readonly versionDeadline: number
  /** Milliseconds a view may be served from memory. */
  readonly viewAge: number
  /** Milliseconds between looks at tokens of open connections. */
  readonly tokenCheck: number
  /** Open handoffs: of all users, of one user, and those that one agent holds or has offered. */
  readonly openHandoffs: number
  readonly openHandoffsPerUser: number
  readonly openHandoffsPerAgent: number
  /** Offers to one target in vain after which its breaker opens, and milliseconds it stays open at first. */
  readonly breakerFailures: number
  readonly breakerOpen: number
  /** Held offers of one target that are delivered at one look. */
  readonly offersReleased: number
  /** Milliseconds in which receivers of a broadcast have to act if nothing else is said. */
  readonly deadline: number
  /** Milliseconds that whoever handed on may stay to be asked, at most. */
  readonly overlapMaximum: number
  /** Times that work may be handed on. */
  readonly hops: number
  /** Connections that one delivery of an offer goes to, and offers that one which has just come is told. */
  readonly offersAtOnce: number
  readonly offersOnArrival: number
  /** Milliseconds: between looks at what is due; of leases, of waits for an answer and of grants if nothing else is said. */
  readonly handoffCheck: number
  /** Milliseconds between looks at what was kept long enough. */
  readonly retentionCheck: number
  readonly lease: number
  readonly acknowledge: number
  readonly grant: number
  /** What may be said instead, at most. */
  readonly leaseMaximum: number
  readonly acknowledgeMaximum: number
  readonly grantMaximum: number
  /** Deliveries to one target, and holders that may vanish, before the next is tried or a person has to look. */
  readonly attempts: number
  readonly lapses: number
}

export const DEFAULT_LIMITS: Limits = {
  messageBytes: 262_144,
  fragments: 64,
  messageDeadline: 10_000,
  headersDeadline: 10_000,
  requestDeadline: 30_000,
  connections: 10_000,
  connectionsPerAgent: 1_000,
  requestsInFlight: 1_024,
  requestsPerSecond: 2_000,
  requestBurst: 4_000,
  observationsPerRequest: 256,
  watchesPerConnection: 1_000,
  listsPerConnection: 8,
  sendQueueBytes: 1_048_576,
  sendQueueMaximum: 16_777_216,
  slowReaderDeadline: 15_000,
  evidencePerUser: 20_000,
  peopleReserve: 0.1,
  aliasesPerUser: 64,
  queuedPerUser: 4_096,
  writesPerCommit: 256,
  writesPerFold: 1_024,
  wordsPerFold: 256,
  idleRoomBytes: 512 * 1_048_576,
  heartbeat: 15_000,
  versionDeadline: 2_000,
  viewAge: 1_000,
  tokenCheck: 1_000,
  openHandoffs: 20_000,
  openHandoffsPerUser: 256,
  openHandoffsPerAgent: 2_000,
  breakerFailures: 3,
  breakerOpen: 30_000,
  offersReleased: 5,
  deadline: 3_600_000,
  overlapMaximum: 3_600_000,
  hops: 10,
  offersAtOnce: 8,
  offersOnArrival: 256,
  handoffCheck: 100,
  retentionCheck: 60_000,
  lease: 60_000,
  acknowledge: 30_000,
  grant: 86_400_000,
  leaseMaximum: 86_400_000,
  acknowledgeMaximum: 3_600_000,
  grantMaximum: 30 * 86_400_000,
  attempts: 4,
  lapses: 3,
}
