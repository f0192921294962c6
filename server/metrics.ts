import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What operators watch. Labels name operations, roles and codes, never users, agents or fields. */
export class Metrics {
  readonly registry = new Registry()

  readonly seconds = new Histogram({
    name: 'selfsame_request_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['door', 'operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [this.registry],
  })

  readonly requests = new Counter({
    name: 'selfsame_requests_total',
    help: 'Requests by outcome.',
    labelNames: ['door', 'operation', 'role', 'code'],
    registers: [this.registry],
  })

  readonly damaged = new Counter({
    name: 'selfsame_damaged_records_total',
    help: 'Records that could not be read; the rest of the user was served.',
    registers: [this.registry],
  })

  readonly webhookEventsLost = new Counter({
    name: 'selfsame_webhook_events_lost_total',
    help: 'Events that a webhook did not take, however often they were sent.',
    labelNames: ['type'],
    registers: [this.registry],
  })

  readonly upgradesRefused = new Counter({
    name: 'selfsame_upgrades_refused_total',
    help: 'Sockets that were not let in.',
    labelNames: ['reason'],
    registers: [this.registry],
  })

  constructor(read: { readonly rooms: () => number; readonly connections: () => number }) {
    collectDefaultMetrics({ register: this.registry, prefix: 'selfsame_' })
    new Gauge({
      name: 'selfsame_rooms',
      help: 'Users in memory.',
      registers: [this.registry],
      collect() {
        this.set(read.rooms())
      },
    })
    new Gauge({
      name: 'selfsame_connections',
      help: 'Open sockets.',
      registers: [this.registry],
      collect() {
        this.set(read.connections())
      },
    })
  }
}
